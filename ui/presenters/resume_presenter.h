// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/presenters/resume_outlook.h"
#include "ui/presenters/workspace_presenter.h"

namespace batchwise {

/// An interrupted run with the checkpoint that would do.
struct ResumeOffer {
  ResumeCase which;        ///< its first checkpoint is good
  QStringList passedOver;  ///< newer checkpoints that are not, and why
};

/// Finds interrupted runs and what they can go on from. Reading and checking happen on task queues. GUI thread.
class ResumePresenter final : public QObject {
  Q_OBJECT

 public:
  /// `slow`: for reading whole checkpoints.
  ResumePresenter(TaskQueue& tasks, TaskQueue& slow, WorkspacePresenter& workspace, QObject* parent = nullptr);

  /// Looks for the newest interrupted run that nobody has settled; offered() follows if there is one.
  void offerNewest();
  /// offered() follows if this run is interrupted and not settled.
  void offer(const QString& run);
  /// The person wants no more of it: it is not offered again unless it is interrupted again.
  void keepStopped(const ResumeOffer& offer);
  /// Reads what going on with this run is about; ready() follows.
  void look(const QString& run);

 Q_SIGNALS:
  void offered(const batchwise::ResumeOffer& offer);
  void ready(const batchwise::ResumeCase& which);
  void failed(const QString& message);

 private:
  void verify(ResumeCase which);

  TaskQueue& tasks_;
  TaskQueue& slow_;
  WorkspacePresenter& workspace_;
};

}  // namespace batchwise
