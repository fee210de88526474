// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <memory>

#include "core/analysis/row_source.h"
#include "ui/bridge/task_queue.h"
#include "ui/presenters/file_work.h"

namespace batchwise {

/// Writes long tables into .csv files, one file after the other, in blocks on the task queue, between which other work
/// has its turn. A file appears, or takes the place of an older one, when it is whole. Destruction gives up. GUI
/// thread.
class ValueSaving final : public FileWork {
  Q_OBJECT

 public:
  explicit ValueSaving(TaskQueue& tasks, QObject* parent = nullptr);
  ~ValueSaving() override;

  /// finished() follows, always later.
  void save(std::unique_ptr<RowSource> rows, const QString& file);
  /// Gives up the file that is written now; finished() does not follow. The next one is begun. A file that is whole and
  /// just being put into its place cannot be given up any more: finished() follows.
  void giveUp() override;

  bool busy() const override { return !waiting_.empty(); }
  QString sentence() const override;
  /// The file that is written now; empty if none is.
  QString file() const;
  int percent() const override { return percent_; }

 Q_SIGNALS:
  /// `problem`: what went wrong; empty if nothing did. progressed() follows.
  void finished(const QString& file, const QString& problem);

 private:
  struct Work;

  void writeNext();
  void beginNext();

  TaskQueue& tasks_;
  std::deque<std::shared_ptr<Work>> waiting_;  // the first one is touched on the task queue only
  int percent_ = 0;                            // of the first
};

}  // namespace batchwise
