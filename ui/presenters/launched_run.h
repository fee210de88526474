// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QTimer>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/events/run_progress.h"
#include "core/run/run_controller.h"
#include "ui/bridge/run_bridge.h"
#include "ui/presenters/training_state.h"

namespace batchwise {

/// One run that this window has launched: its controller, and what its events say about its state. GUI thread.
class LaunchedRun final : public QObject {
  Q_OBJECT

 public:
  LaunchedRun(const ControllerFactory& factory, RunPlace place, const Clock& clock, QObject* parent = nullptr);
  /// Ends a run in this program without a checkpoint; one in its own process or on a cluster goes on.
  ~LaunchedRun() override;

  void setTicket(const QString& ticket) { state_.ticket = ticket; }
  Result<void> begin(const LaunchRequest& request);
  void command(RunCommand command);
  const TrainingState& state() const { return state_; }
  /// The run that it goes on with or follows, or the id that a new one on a cluster will have; else empty.
  const QString& follows() const { return follows_; }
  const std::filesystem::path& workspace() const { return workspace_; }

 Q_SIGNALS:
  void changed();
  /// In order.
  void eventsArrived(const std::vector<batchwise::RunEvent>& events);
  /// The run exists: the state has its id.
  void started();
  /// It cannot go on for now, and why; empty: it goes on again.
  void waits(const QString& why);
  /// Something else has failed, and it goes on.
  void troubled(const QString& what);
  /// It has ended and its controller is free.
  void finished(const batchwise::RunFinished& outcome);

 private:
  void take(const std::vector<RunEvent>& events);
  void apply(const RunStarted& event);
  void apply(const PhaseProgress& event);
  void apply(const MetricsRow& event);
  void apply(const EvalResult&) { setWaitsFor({}); }
  void apply(const CheckpointSaved&) { setWaitsFor({}); }
  void apply(const RunNote& event);
  void apply(const RunFinished& event);
  void setWaitsFor(const QString& why);
  void finishWhenFree();

  RunBridge bridge_;
  std::unique_ptr<RunController> controller_;  // after bridge_: its end waits for the thread that uses the bridge
  TrainingState state_;
  QString follows_;
  std::filesystem::path workspace_;
  RunProgress pace_;
  const Clock& clock_;
  std::optional<RunFinished> outcome_;
  QTimer freeTimer_;
};

}  // namespace batchwise
