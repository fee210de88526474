// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <memory>

#include "core/analysis/row_source.h"
#include "ui/bridge/task_queue.h"
#include "ui/presenters/file_jobs.h"

namespace batchwise {

/// Writes long tables to .csv files, one after the other, in blocks on the task queue that leave room for other tasks.
/// A file appears, or replaces an older one, only when complete. Destruction cancels. GUI thread.
class CsvExportJobs final : public FileJobs {
  Q_OBJECT

 public:
  explicit CsvExportJobs(TaskQueue& tasks, QObject* parent = nullptr);
  ~CsvExportJobs() override;

  /// Emits finished(), never before returning.
  void save(std::unique_ptr<RowSource> rows, const QString& file);
  /// Cancels the current file, without finished(), and starts the next. A complete file that is being moved into place
  /// cannot be canceled: finished() follows.
  void cancel() override;

  bool busy() const override { return !jobs_.empty(); }
  QString description() const override;
  /// Current file; empty if idle.
  QString file() const;
  int percent() const override { return percent_; }

 Q_SIGNALS:
  /// `problem`: error, empty on success. progressChanged() follows.
  void finished(const QString& file, const QString& problem);

 private:
  struct Job;

  void writeNext();
  void startNext();

  TaskQueue& tasks_;
  std::deque<std::shared_ptr<Job>> jobs_;  // front: in progress, accessed by the task queue only
  int percent_ = 0;                        // progress of the front
};

}  // namespace batchwise
