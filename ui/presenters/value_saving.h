// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>
#include <memory>
#include <optional>

#include "ui/bridge/task_queue.h"
#include "ui/models/chart_content.h"

namespace batchwise {

/// Writes the values of a chart into a .csv file, in blocks on the task queue, between which other work has its turn.
/// The file appears, or takes the place of an older one, when it is whole. Destruction gives up. GUI thread.
class ValueSaving final : public QObject {
  Q_OBJECT

 public:
  /// `part`: of the x axis; nothing: everything.
  ValueSaving(TaskQueue& tasks, const ChartContent& content, std::optional<AxisRange> part, const QString& file,
              QObject* parent = nullptr);
  ~ValueSaving() override;

  void start();

 Q_SIGNALS:
  /// 0 to 100.
  void progressed(int percent);
  /// What went wrong; empty if nothing did.
  void finished(const QString& problem);

 private:
  struct Work;

  void writeNext();

  TaskQueue& tasks_;
  std::shared_ptr<Work> work_;  // touched on the task queue only, once begun
};

}  // namespace batchwise
