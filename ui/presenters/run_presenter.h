// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QTimer>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/run/run_controller.h"
#include "ui/bridge/run_bridge.h"

namespace batchwise {

enum class RunPhase {
  Idle,
  Starting,  ///< until the first global batch is done
  Training,
  Stopping,  ///< asked to; ends after the step under way
};

/// How far the run that trains here is.
struct RunProgress {
  RunPhase phase = RunPhase::Idle;
  QString run;   ///< id; empty until the run exists
  QString name;
  QString activity;  ///< "Training", "Reading text", …
  double activityDone = 0, activityTotal = 0;  ///< of the activity; total 0: no known end
  std::int64_t batches = 0, plannedBatches = 0;
  std::optional<double> secondsLeft, tokensPerSec;
  std::optional<DeviceMemory> fullestDevice;
};

using ControllerFactory = std::function<std::unique_ptr<RunController>(EventSink&)>;

/// Starts, watches and stops the run that trains in this window's process. Never waits for it. GUI thread.
class RunPresenter final : public QObject {
  Q_OBJECT

 public:
  /// The controller is made at the first launch.
  explicit RunPresenter(ControllerFactory factory, QObject* parent = nullptr);
  /// Ends the run without a checkpoint if one is still under way.
  ~RunPresenter() override;

  /// Begins. Problems arrive as failed(), also those found at once.
  void launch(const LaunchRequest& request);
  /// After the step under way: checkpoint, then end.
  void stopAndSave();

  const RunProgress& progress() const { return progress_; }
  bool busy() const { return progress_.phase != RunPhase::Idle; }

 Q_SIGNALS:
  void progressChanged();
  /// Events of the run `run` (empty before it exists), in order.
  void eventsArrived(const QString& run, const std::vector<batchwise::RunEvent>& events);
  void started(const QString& run);
  /// The controller is free again.
  void finished(const batchwise::RunFinished& outcome);
  void failed(const QString& message);

 private:
  void take(const std::vector<RunEvent>& events);
  void apply(const RunStarted& event);
  void apply(const PhaseProgress& event);
  void apply(const MetricsRow& event);
  void apply(const EvalResult&) {}
  void apply(const CheckpointSaved&) {}
  void apply(const RunNote&) {}
  void apply(const RunFinished& event);
  void estimate();
  void finishWhenFree();

  ControllerFactory factory_;
  RunBridge bridge_;
  std::unique_ptr<RunController> controller_;  // after bridge_: its end waits for the thread that uses the bridge
  RunProgress progress_;
  std::deque<std::pair<std::int64_t, double>> recent_;  // global batches and training seconds, for the speed
  std::optional<RunFinished> outcome_;
  QTimer freeTimer_;
};

}  // namespace batchwise
