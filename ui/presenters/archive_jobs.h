// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QTimer>
#include <deque>
#include <memory>

#include "core/store/workspace.h"
#include "ui/bridge/task_queue.h"
#include "ui/presenters/file_jobs.h"

namespace batchwise {

/// Exports runs to archives and imports them, one after the other on a task queue; archives may hold gigabytes of
/// checkpoints. Files and runs appear, or replace older ones, only when complete. Destruction cancels. GUI thread.
class ArchiveJobs final : public FileJobs {
  Q_OBJECT

 public:
  explicit ArchiveJobs(TaskQueue& slow, QObject* parent = nullptr);
  ~ArchiveJobs() override;

  /// Exports the run with its newest checkpoint. Emits exported() or exportFailed() unless canceled.
  void exportRun(std::shared_ptr<const Workspace> workspace, const QString& run, const QString& file);
  /// Emits imported() or importFailed() unless canceled.
  void importRun(std::shared_ptr<Workspace> workspace, const QString& archive);

  bool busy() const override { return !jobs_.empty(); }
  QString description() const override;
  int percent() const override;
  /// Emits exported() or imported() if the operation had already completed.
  void cancel() override;

 Q_SIGNALS:
  void exported(const QString& file);
  void exportFailed(const QString& what);
  /// `folder`: of the workspace, which may have been closed meanwhile.
  void imported(const QString& run, const QString& name, const QString& folder);
  /// `archive`: file name.
  void importFailed(const QString& archive, const QString& why);

 private:
  struct Job;
  template <typename Transfer, typename Done>
  void post(const std::shared_ptr<Job>& job, Transfer move, Done report);
  void remove(const std::shared_ptr<Job>& job);

  TaskQueue& slow_;
  std::deque<std::shared_ptr<Job>> jobs_;  // front: in progress
  QTimer pollTimer_;                       // polls the progress
  int shownPercent_ = 0;                   // last emitted percent
};

}  // namespace batchwise
