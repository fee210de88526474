// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <vector>

#include "ui/presenters/launched_run.h"

namespace batchwise {

/// Starts, watches and commands the runs that this window has launched: at most one in this program, the others in
/// processes of their own or on a cluster. Never waits for them. GUI thread.
class RunPresenter final : public QObject {
  Q_OBJECT

 public:
  /// A controller is made at each launch.
  RunPresenter(ControllerFactory factory, const Clock& clock, QObject* parent = nullptr);
  /// Ends the run in this program without a checkpoint if one is still under way; others go on.
  ~RunPresenter() override;

  /// Begins. Problems arrive as failed(), also those found at once. While a run trains in this program, the next one
  /// gets its own process whatever `place` says. `ticket` comes back with the run's state. Returns whether it began.
  bool launch(const LaunchRequest& request, RunPlace place = RunPlace::ThisProgram, const QString& ticket = {});
  /// To the run that progress() is about.
  void command(RunCommand command);
  /// To the run with this id, if it trains by our doing.
  void command(const QString& run, RunCommand command);
  /// Follows a run whose job is in the queue of a cluster, unless that is done already.
  void follow(const std::filesystem::path& workspace, const QString& run);
  /// Looks no longer at runs on a cluster that belong to another workspace than this one; they go on.
  void leaveClusterBut(const std::filesystem::path& workspace);
  /// To every run that trains on this machine, or only to one in this program.
  void stopAndSaveAll();
  void stopAndSaveHere();

  /// The run with this id is the one the person looks at; empty: the one launched last.
  void setFocus(const QString& run) { focus_ = run; }
  /// Of the run looked at if it was launched here, else of the newest one that trains; Idle if none does.
  const TrainingState& progress() const;
  /// The run with this id trains by our doing.
  bool trains(const QString& run) const { return find(run) != nullptr; }
  /// The ticket that it was launched with, if it trains by our doing.
  QString ticketOf(const QString& run) const;
  bool busy() const { return !runs_.empty(); }
  /// A run trains on this machine.
  bool busyOnThisMachine() const;
  /// A run trains in this program.
  bool busyHere() const;

 Q_SIGNALS:
  void progressChanged();
  /// Events of the run `run` (empty before it exists), in order.
  void eventsArrived(const QString& run, const std::vector<batchwise::RunEvent>& events);
  void started(const QString& run);
  /// The run of this name cannot go on for now, and why; empty: it goes on again.
  void waits(const QString& name, const QString& why);
  /// Something of the run of this name has failed, and it goes on.
  void troubled(const QString& name, const QString& what);
  /// `run` as it was at its end; its id is empty if it could not start.
  void finished(const batchwise::TrainingState& run, const batchwise::RunFinished& outcome);
  void failed(const QString& message);

 private:
  LaunchedRun* find(const QString& run) const;
  LaunchedRun* focused() const;
  void watch(LaunchedRun* run);

  ControllerFactory factory_;
  const Clock& clock_;
  std::vector<LaunchedRun*> runs_;  // children of this object, oldest first
  QString focus_;
  TrainingState idle_;  // of the run that ended last
};

}  // namespace batchwise
