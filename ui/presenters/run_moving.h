// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QTimer>
#include <deque>
#include <memory>

#include "core/store/workspace.h"
#include "ui/bridge/task_queue.h"
#include "ui/presenters/file_work.h"

namespace batchwise {

/// Runs that leave the workspace as archives, and come in from them, one after the other on a task queue: an archive
/// may hold gigabytes of checkpoints. A file appears, or takes the place of an older one, when it is whole; a run, too.
/// Destruction gives up. GUI thread.
class RunMoving final : public FileWork {
  Q_OBJECT

 public:
  explicit RunMoving(TaskQueue& slow, QObject* parent = nullptr);
  ~RunMoving() override;

  /// The run with its newest checkpoint. exported() or exportFailed() follows, unless it is given up.
  void exportRun(std::shared_ptr<const Workspace> workspace, const QString& run, const QString& file);
  /// imported() or importFailed() follows, unless it is given up.
  void importRun(std::shared_ptr<Workspace> workspace, const QString& archive);

  bool busy() const override { return !waiting_.empty(); }
  QString sentence() const override;
  int percent() const override;
  /// exported() or imported() follows nevertheless if it was too late.
  void giveUp() override;

 Q_SIGNALS:
  void exported(const QString& file);
  void exportFailed(const QString& what);
  /// `folder`: of the workspace, which may not be the open one any more.
  void imported(const QString& run, const QString& name, const QString& folder);
  /// `archive`: name of the file.
  void importFailed(const QString& archive, const QString& why);

 private:
  struct Work;
  template <typename Move, typename Tell>
  void post(const std::shared_ptr<Work>& work, Move move, Tell tell);
  void remove(const std::shared_ptr<Work>& work);

  TaskQueue& slow_;
  std::deque<std::shared_ptr<Work>> waiting_;  // the first is worked at
  QTimer look_;                                // at how far it is
  int shown_ = 0;                              // percent, told last
};

}  // namespace batchwise
