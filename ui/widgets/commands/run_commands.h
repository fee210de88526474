// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <optional>

#include "ui/widgets/window/studio_parts.h"

class QAction;

namespace batchwise {

class WindowActions;

/// The commands of the Run menu (launch, pause, stop, resume): what they do, when they are enabled, and why they are
/// not. They act on the selected run if it trains, here or in another process; while none is selected, on the one
/// launched last.
class RunCommands final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions.
  RunCommands(const StudioParts& parts, WindowActions& actions, QObject* parent);

  /// Launches the draft, if possible. Several runs are queued, or submitted as one Slurm job each.
  void launch();
  /// Adds the draft to the queue, if possible.
  void enqueue();
  /// Launches `request` in the chosen place.
  void start(const LaunchRequest& request);
  /// Updates the state and the tooltips of the actions.
  void update();
  /// Returns the state of the run that the commands act on; nothing if no such run trains.
  std::optional<TrainingState> target() const;
  /// Returns why the selected run cannot be resumed; empty: it can.
  QString whyNotResumed() const;

 Q_SIGNALS:
  /// A run is about to start.
  void starting();
  /// `runs` should be added to the queue; `begin`: also start the queue.
  void enqueueRequested(const std::vector<batchwise::LoadedConfig>& runs, bool begin);
  /// `why`: reason why no draft can be launched; empty: none.
  void blockedChanged(const QString& why);
  /// `why`: reason why no run can be queued; empty: none.
  void queueBlockedChanged(const QString& why);

 private:
  void send(RunCommand command);
  LaunchTarget place() const;
  void rememberPlace();
  void updateLaunch();
  void updateTraining(const std::optional<TrainingState>& state);
  void updateResume();

  StudioParts parts_;
  WindowActions& actions_;
  QString stoppingElsewhere_;  // id of a run in another process that was told to stop
};

}  // namespace batchwise
