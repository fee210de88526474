// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QStringList>
#include <vector>

#include "core/run/trainer.h"
#include "core/store/records.h"
#include "ui/list/workspace_presenter.h"

namespace batchwise {

/// A stored run that can be resumed.
struct ResumableRun {
  RunDetail run;
  std::vector<CheckpointRecord> checkpoints;  ///< order of attempts of a resume
};

/// The user's choices.
struct ResumeChoice {
  QString checkpoint;    ///< id; empty: the first one
  QString maxDuration;   ///< a Time; empty: unchanged
  QStringList changes;   ///< each like --set: "eval.interval=50ba"
  bool stretch = false;  ///< resolve the schedule for the new length
  bool fork = false;     ///< create a new run; the original is unchanged
  QString name;          ///< of the fork; empty: name of the run plus a number
};

/// Preview of a resume or fork in translated text, and the launch request for it.
struct ResumePreview {
  QString exactness;            ///< what is restored, and how exactly
  QString overlap;              ///< what happens to rows after the checkpoint
  QStringList changed;          ///< permitted differences
  QStringList problems;         ///< errors; empty: possible
  bool possibleAsFork = false;  ///< all errors are changes that a fork permits
  LaunchRequest request;
  bool possible() const { return problems.isEmpty(); }
};

/// Default name of a fork. The store appends a number if the name is taken.
QString forkName(const ResumableRun& which);

/// Pure.
ResumePreview previewResume(const ResumableRun& which, const ResumeChoice& choice,
                            const std::filesystem::path& workspace);

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
  /// Emits offered() if the run is interrupted and was not dismissed. `without`: a checkpoint that is being removed.
  void offer(const QString& run, const QString& without = {});
  /// Dismisses the offer until the run is interrupted again.
  void dismiss(const ResumeOffer& offer);
  /// Reads the run and its checkpoints; emits ready() or failed(). `without`: a checkpoint that is being removed.
  void load(const QString& run, const QString& without = {});

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
