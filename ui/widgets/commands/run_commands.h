// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <optional>

#include "ui/widgets/window/studio_parts.h"

class QAction;

namespace batchwise {

class WindowActions;

/// Launch, pause, stop: what the commands of the Run menu do, when they are on, and why they are off. They concern the
/// selected run if it trains, here or in another process; while none is selected, the one launched last.
class RunCommands final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions.
  RunCommands(const StudioParts& parts, WindowActions& actions, QObject* parent);

  /// Trains with the draft, if that is possible; several runs go into the queue.
  void launch();
  /// Adds the draft to the queue, if that is possible.
  void enqueue();
  /// Trains as asked.
  void start(const LaunchRequest& request);
  /// Sets the actions on or off by what is the case now.
  void update();
  /// What the commands concern; nothing if no such run trains.
  std::optional<TrainingState> target() const;
  /// Why the selected run, if there is one, cannot be resumed; empty: nothing is in the way.
  QString whyNotResumed() const;

 Q_SIGNALS:
  /// A run is about to start.
  void starting();
  /// Runs are to be added to the queue, which begins now if so wanted.
  void queueWanted(const std::vector<batchwise::LoadedConfig>& runs, bool begin);
  /// Why nothing can be launched whatever the draft is; empty: it can.
  void blockedChanged(const QString& why);
  /// Why no run is added to the queue; empty: it may be.
  void queueBlockedChanged(const QString& why);

 private:
  void give(RunCommand command);
  RunPlace place() const;
  void rememberPlace();
  void updateLaunch();
  void updateTraining(const std::optional<TrainingState>& state);
  void updateResume();

  StudioParts parts_;
  WindowActions& actions_;
  QString stoppingElsewhere_;  // id of a run that was told to stop in another process
};

}  // namespace batchwise
