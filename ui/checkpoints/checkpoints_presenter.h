// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/text_table.h"
#include "core/run/trainer.h"
#include "core/store/score.h"
#include "ui/list/record_models.h"
#include "ui/list/selection.h"
#include "ui/list/workspace_presenter.h"

namespace batchwise {

/// Predictions of a checkpoint for each [MASK], and those of another run for comparison.
struct MaskComparison {
  FilledMasks own;
  std::optional<FilledMasks> comparison;
  std::string comparisonError;  ///< error of the other run; empty if none
};

struct NamedRun {
  QString id, name;
  bool operator==(const NamedRun&) const = default;
};

/// Runs that have trained, newest first, at most 100; without run `except`.
std::vector<NamedRun> trainedRuns(const RunList& runs, const QString& except = {});

/// Checkpoints of the selected run and the operations on them. All work runs on task queues; `slow` takes loading the
/// trainer, reading whole files and predicting masks. GUI thread.
class CheckpointsPresenter final : public QObject {
  Q_OBJECT

 public:
  CheckpointsPresenter(TaskQueue& tasks, TaskQueue& slow, WorkspacePresenter& workspace, const Selection& selection,
                       TrainerSource trainer, QObject* parent = nullptr);

  const QString& run() const { return selection_.run(); }
  /// Empty while the run is not listed.
  QString runName() const;
  CheckpointModel& model() { return model_; }
  /// Scores of a checkpoint on texts and tasks, the mean over seeds; no rows if it was not scored.
  TextTable scoresOf(const QString& checkpoint) const;
  /// Reads the checkpoints and their scores again.
  void read();

  /// Reads the file and checks every hash; the model shows the result.
  void verify(const QString& checkpoint);
  void setPinned(const QString& checkpoint, bool pinned);
  /// Hides the checkpoint and deletes it after 10 s unless undoRemove() is called, whatever run is selected meanwhile.
  /// Deletes the one removed before at once, as closing the window does.
  void remove(const QString& checkpoint);
  void undoRemove();
  /// Ends the wait: deletes the removed checkpoint at once, if there is one.
  void removeNow();
  /// Id of the removed checkpoint that can still come back; empty: none. Nothing should begin with it.
  const QString& removing() const { return removing_; }
  /// Exports the model in Hugging Face format to `folder`; emits statusMessage() or failed().
  void exportTo(const QString& checkpoint, const QString& folder);
  /// Predicts each [MASK] of `text`, also with the newest good checkpoint of run `comparison` unless that is empty;
  /// emits filled() or fillFailed().
  void fill(const QString& checkpoint, const QString& text, const QString& comparison = {});
  /// Runs to compare predictions with, see trainedRuns().
  std::vector<NamedRun> otherRuns() const { return trainedRuns(workspace_.runs(), run()); }

 Q_SIGNALS:
  void runChanged();
  /// otherRuns() may have changed.
  void runsChanged();
  /// remove() was called, and can be undone until removalEnded().
  void removed(std::int64_t batch);
  /// The removal was undone, or the checkpoint is being deleted.
  void removalEnded();
  /// The export has begun or ended well.
  void statusMessage(const QString& message);
  void checkpointsRead();
  void failed(const QString& message);
  void filled(const batchwise::MaskComparison& masks);
  void fillFailed(const QString& message);

 private:
  void showRun();
  template <typename Work>
  void change(std::shared_ptr<Workspace> workspace, Work work);

  TaskQueue& tasks_;
  TaskQueue& slow_;
  WorkspacePresenter& workspace_;
  const Selection& selection_;
  TrainerSource trainer_;
  CheckpointModel model_;
  std::vector<Score> scores_;  // of the run
  QString removing_;           // id of the checkpoint to delete
  std::shared_ptr<Workspace> removingFrom_;
  QTimer removal_;
  std::optional<EvalMetric> metric_;  // of the run; none: not read yet
  bool reading_ = false;
};

}  // namespace batchwise
