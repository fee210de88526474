// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/presenters/resume_preview.h"
#include "ui/presenters/workspace_presenter.h"

namespace batchwise {

/// An interrupted run with a usable checkpoint.
struct ResumeOffer {
  ResumableRun resumable;  ///< the first checkpoint is verified
  QStringList skipped;     ///< errors of newer, damaged checkpoints
};

/// Finds interrupted runs and verifies their checkpoints, on task queues. GUI thread.
class ResumePresenter final : public QObject {
  Q_OBJECT

 public:
  /// `slow`: queue for reading whole checkpoints.
  ResumePresenter(TaskQueue& tasks, TaskQueue& slow, WorkspacePresenter& workspace, QObject* parent = nullptr);

  /// Offers the newest interrupted run, see offer().
  void offerNewest();
  /// Emits offered() if the run is interrupted, has checkpoints, and was not dismissed.
  void offer(const QString& run);
  /// Dismisses the offer until the run is interrupted again.
  void dismiss(const ResumeOffer& offer);
  /// Reads the run and its checkpoints; emits ready() or failed().
  void load(const QString& run);

 Q_SIGNALS:
  void offered(const batchwise::ResumeOffer& offer);
  void ready(const batchwise::ResumableRun& resumable);
  void failed(const QString& message);

 private:
  void verify(ResumableRun resumable);

  TaskQueue& tasks_;
  TaskQueue& slow_;
  WorkspacePresenter& workspace_;
};

}  // namespace batchwise
