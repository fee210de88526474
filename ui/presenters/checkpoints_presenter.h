// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "core/run/trainer.h"
#include "ui/models/checkpoint_model.h"
#include "ui/presenters/workspace_presenter.h"

namespace batchwise {

/// What a checkpoint puts in the place of each [MASK], and what another run's newest good one does.
struct TriedMasks {
  FilledMasks own;
  std::optional<FilledMasks> beside;
  QString besideProblem;  ///< why there is nothing beside although it was asked for
};

struct NamedRun {
  QString id, name;
  bool operator==(const NamedRun&) const = default;
};

/// The checkpoints of the selected run, and what can be done with one. All of it happens on task queues; loading the
/// trainer, reading whole files and filling masks on the slow one. GUI thread.
class CheckpointsPresenter final : public QObject {
  Q_OBJECT

 public:
  CheckpointsPresenter(TaskQueue& tasks, TaskQueue& slow, WorkspacePresenter& workspace, TrainerSource trainer,
                       QObject* parent = nullptr);

  void select(const QString& run);
  const QString& run() const { return run_; }
  CheckpointModel& model() { return model_; }

  /// Reads the file back and checks every hash; the model tells.
  void verify(const QString& checkpoint);
  void setPinned(const QString& checkpoint, bool pinned);
  /// Takes it from the list at once and deletes it after a while, unless undoRemove() comes before. Closing the window
  /// before keeps it.
  void remove(const QString& checkpoint);
  void undoRemove();
  /// Writes a folder as transformers reads it; told() follows.
  void exportTo(const QString& checkpoint, const QString& folder);
  /// Fills each [MASK] of `text`, with another run's weights too unless `beside`, its id, is empty; filled() follows,
  /// or fillFailed().
  void fill(const QString& checkpoint, const QString& text, const QString& beside = {});
  /// Runs that can be tried beside the selected one, the newest ones, newest first.
  std::vector<NamedRun> otherRuns() const;

 Q_SIGNALS:
  void runChanged();
  /// otherRuns() may be others.
  void runsRead();
  void removed(std::int64_t batch);
  void told(const QString& message);
  void failed(const QString& message);
  void filled(const batchwise::TriedMasks& masks);
  void fillFailed(const QString& message);

 private:
  void read();
  void removeNow();
  template <typename Work>
  void change(std::shared_ptr<Workspace> workspace, Work work);

  TaskQueue& tasks_;
  TaskQueue& slow_;
  WorkspacePresenter& workspace_;
  TrainerSource trainer_;
  CheckpointModel model_;
  QString run_;
  QString removing_;  // id of the checkpoint that is to be deleted
  std::shared_ptr<Workspace> removingFrom_;
  QTimer removal_;
  bool reading_ = false;
};

}  // namespace batchwise
