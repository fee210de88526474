// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QTimer>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/store/workspace.h"
#include "ui/bridge/thread_bridge.h"
#include "ui/runs/run_series.h"

namespace batchwise {

/// What the store has of a run that was not read before.
struct RunUpdate {
  bool changed = false;  ///< false: the store has not changed
  RunDetail detail;
  std::map<std::string, LongSeries> points;  ///< new points; the x of series per step are steps
  std::vector<StoredEvent> events;           ///< new ones, oldest first
  std::set<std::string> extraSeries;         ///< series without a standard chart
  std::set<std::string> thinned;             ///< those of `points` that are extremes of stretches
  /// The run as a whole, `points` and `events` included: at the first read, and after a resume, which supersedes rows.
  std::optional<RunView> view;
};

/// The one reader of a stored run: reads what is new since its last read, on the task queue. Events of a run that is
/// trained here only wake it. GUI thread.
class RunReader final : public QObject {
  Q_OBJECT

 public:
  /// After an error, the next read starts where this one did.
  using Arrived = std::function<void(Result<RunUpdate>)>;

  /// `arrived` is called after each read, in the GUI thread. A run of more than 24 million points is read as the
  /// extremes of 50,000 buckets per series. `extraSeries`: besides those of the standard charts.
  RunReader(TaskQueue& tasks, std::shared_ptr<const Workspace> workspace, const QString& run,
            std::vector<std::string> extraSeries, Arrived arrived);

  /// Reads now, or again as soon as a pending read has arrived.
  void read();
  /// Reads other series: those that were not read before from their beginning.
  void select(std::vector<std::string> extraSeries);
  /// Reads at most ten times a second until the store must have what was reported just now.
  void wake();

 private:
  struct Position;
  void post();
  void finish(Result<RunUpdate> update, qint64 tookMs);

  TaskQueue& tasks_;
  std::shared_ptr<Position> position_;                   // accessed by the task queue only
  std::optional<std::vector<std::string>> extraSeries_;  // for the next read
  Arrived arrived_;
  QTimer timer_;
  int readsLeft_ = 0;  // of wake()
  bool reading_ = false, again_ = false;
};

}  // namespace batchwise
