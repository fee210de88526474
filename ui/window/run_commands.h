// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <functional>
#include <map>
#include <optional>

#include "ui/window/studio_parts.h"

class QAction;
class QWidget;

namespace batchwise {

/// Subject of messages about a run that could not be launched.
inline constexpr QLatin1String kLaunchSubject("launch");

/// Launches on a Slurm cluster. Shows its actions only where this machine can submit jobs, and follows the runs whose
/// jobs were queued before the window existed.
class SlurmCommands final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions. Create it before RunCommands, which asks whether the actions are visible.
  SlurmCommands(StudioParts& parts, const WindowViews& views);

 private:
  void openWindow();
  void followJobs();

  StudioParts& parts_;
  QWidget& window_;
  TaskQueue tasks_;  // Slurm may take long to answer
};

/// The commands of the Run menu (launch, pause, stop, resume): what they do, when they are enabled, and why they are
/// not. They act on the only run of the charts if it trains, here or in another process, else on the selected one;
/// while none is selected, on the one launched last, and while the selected one does not train, on the only one of this
/// window.
class RunCommands final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions and the pages.
  RunCommands(StudioParts& parts, const WindowViews& views);
  ~RunCommands() override;

  /// Launches the draft, if possible, once its plan is there. Several runs are queued, or submitted as one Slurm job
  /// each. Asks before it starts a stopped queue in which other runs wait.
  void launch();
  /// Shows the page with the charts and launches `request` in the chosen place; if that is this machine and it lacks
  /// LibTorch, offers to install it, and launches then. A run that a cluster trains is not resumed here.
  void start(const LaunchRequest& request);
  /// Updates the state and the tooltips of the actions.
  void update();
  /// Returns the state of the run that the commands act on; nothing if no such run trains.
  std::optional<TrainingState> target() const;
  /// Returns the id of the selected run or that of the charts, whether it trains or not; empty: the one launched last.
  QString trainedRun() const;

 private:
  bool trains(const QString& run) const;
  /// Returns why commands for one run do not act on the selected ones; empty: they do.
  QString whyNotOneOfSelected(const std::optional<TrainingState>& state) const;
  /// Returns why the selected run cannot be resumed; empty: it can.
  QString whyNotResumed() const;
  void launchDraft();
  /// start() without questions.
  void startNow(const LaunchRequest& request);
  /// Returns whether this machine lacks LibTorch. Then the installation is offered, and `next` is done after it, if the
  /// workspace is still open.
  bool offersTorch(std::function<void()> next);
  /// Launches from the page that shows what is launched; opens it from others.
  void launchFromEdit();
  bool mayStartQueue(std::size_t runs);
  QString launchToolTip() const;
  /// Offers to take the entries out of the queue again.
  void reportQueued(const QStringList& entries);
  void send(RunCommand command);
  RunLocation place() const;
  void rememberPlace();
  void updateLaunch();
  void updateTraining(const std::optional<TrainingState>& state);

  StudioParts& parts_;
  WindowActions& actions_;
  WindowViews views_;
  QString stoppingElsewhere_;         // id of a run in another process that was told to stop, until it has stopped
  bool launchesWhenPlanned_ = false;  // unless the draft changes meanwhile
  TaskQueue clusterTasks_;            // Slurm may take long to answer
  std::map<QAction*, QString> selectedTips_;  // of commands for the selected run
};

}  // namespace batchwise
