// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QTimer>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/events/run_progress.h"
#include "core/run/run_controller.h"
#include "ui/bridge/run_bridge.h"

namespace batchwise {

enum class RunPhase {
  Idle,
  Starting,  ///< until the first global batch is done
  Training,
  Stopping,  ///< asked to; ends after the step under way
};

/// What the run that trains here is doing, and how far it is.
struct TrainingState {
  RunPhase phase = RunPhase::Idle;
  QString run;  ///< id; empty until the run exists
  QString name;
  QString activity;                            ///< "Training", "Reading text", …
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
  RunPresenter(ControllerFactory factory, const Clock& clock, QObject* parent = nullptr);
  /// Ends the run without a checkpoint if one is still under way.
  ~RunPresenter() override;

  /// Begins. Problems arrive as failed(), also those found at once.
  void launch(const LaunchRequest& request);
  /// After the step under way: checkpoint, then end.
  void stopAndSave();

  const TrainingState& progress() const { return progress_; }
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
  void finishWhenFree();

  ControllerFactory factory_;
  RunBridge bridge_;
  std::unique_ptr<RunController> controller_;  // after bridge_: its end waits for the thread that uses the bridge
  TrainingState progress_;
  RunProgress pace_;
  const Clock& clock_;
  std::optional<RunFinished> outcome_;
  QTimer freeTimer_;
};

}  // namespace batchwise
