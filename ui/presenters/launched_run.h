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

/// A run launched by this window: its controller, and its state according to its events. GUI thread.
class LaunchedRun final : public QObject {
  Q_OBJECT

 public:
  LaunchedRun(const ControllerFactory& factory, LaunchTarget place, const Clock& clock, QObject* parent = nullptr);
  /// Terminates a run in this process without a checkpoint; a run in its own process or on a cluster continues.
  ~LaunchedRun() override;

  void setTicket(const QString& ticket) { state_.ticket = ticket; }
  Result<void> start(const LaunchRequest& request);
  void command(RunCommand command);
  const TrainingState& state() const { return state_; }
  /// Id of the run that is resumed or monitored, or the id assigned to a new run on a cluster; else empty.
  const QString& expectedRun() const { return expectedRun_; }
  const std::filesystem::path& workspace() const { return workspace_; }

 Q_SIGNALS:
  void changed();
  /// In order of occurrence.
  void eventsArrived(const std::vector<batchwise::RunEvent>& events);
  /// The run exists: state() has its id.
  void started();
  /// The run is blocked, with the reason; empty: it has resumed.
  void blockedChanged(const QString& why);
  /// Another error; the run continues.
  void errorOccurred(const QString& what);
  /// The run has ended and its controller is released.
  void finished(const batchwise::RunFinished& outcome);

 private:
  void take(const std::vector<RunEvent>& events);
  void apply(const RunStarted& event);
  void apply(const PhaseProgress& event);
  void apply(const MetricsRow& event);
  void apply(const EvalResult&) { setBlockedReason({}); }
  void apply(const CheckpointSaved&) { setBlockedReason({}); }
  void apply(const RunNote& event);
  void apply(const RunFinished& event);
  void setBlockedReason(const QString& why);
  void finishWhenFree();

  RunBridge bridge_;
  std::unique_ptr<RunController> controller_;  // declared after bridge_, which its thread uses until joined
  TrainingState state_;
  QString expectedRun_;
  std::filesystem::path workspace_;
  RunProgress progress_;
  const Clock& clock_;
  std::optional<RunFinished> outcome_;
  QTimer freeTimer_;
};

}  // namespace batchwise
