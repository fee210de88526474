// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <vector>

#include "ui/presenters/launched_run.h"

namespace batchwise {

/// Starts, monitors and controls runs launched by this window: at most one in this process, others in processes of
/// their own or on a cluster. Never blocks on them. GUI thread.
class RunPresenter final : public QObject {
  Q_OBJECT

 public:
  /// `factory` is called at each launch.
  RunPresenter(ControllerFactory factory, const Clock& clock, QObject* parent = nullptr);
  /// Terminates a run in this process without a checkpoint; others continue.
  ~RunPresenter() override;

  /// Starts a run; returns false on an immediate error. All errors are emitted by failed(). While a run trains in this
  /// process, the next one gets its own process whatever `place` is. `ticket` is returned in the run's state.
  bool launch(const LaunchRequest& request, LaunchTarget place = LaunchTarget::ThisProcess, const QString& ticket = {});
  /// Sends a command to the run of progress().
  void command(RunCommand command);
  /// Sends a command to run `run`; no effect if it was not launched here.
  void command(const QString& run, RunCommand command);
  /// Monitors a run whose job is in the cluster's queue; no effect if already monitored.
  void follow(const std::filesystem::path& workspace, const QString& run);
  /// Stops monitoring cluster runs of other workspaces than `workspace`; the runs continue.
  void unfollowOtherWorkspaces(const std::filesystem::path& workspace);
  /// Stop with a checkpoint all runs on this machine, or only the one in this process.
  void stopAndSaveAll();
  void stopAndSaveInThisProcess();

  /// Selects the run of progress(); empty: the one launched last.
  void setFocus(const QString& run) { focus_ = run; }
  /// State of the selected run if launched here, else of the newest active one; Idle if there is none.
  const TrainingState& progress() const;
  /// True if the run was launched here and is active.
  bool trains(const QString& run) const { return find(run) != nullptr; }
  /// Ticket of an active run launched here, else empty.
  QString ticketOf(const QString& run) const;
  bool busy() const { return !runs_.empty(); }
  /// True while a run launched here trains on this machine.
  bool busyOnThisMachine() const;
  /// True while a run trains in this process.
  bool busyInThisProcess() const;

 Q_SIGNALS:
  void progressChanged();
  /// Events of run `run` (empty before it exists), in order.
  void eventsArrived(const QString& run, const std::vector<batchwise::RunEvent>& events);
  void started(const QString& run);
  /// Run `name` is blocked, with the reason; empty: it has resumed.
  void blockedChanged(const QString& name, const QString& why);
  /// Another error of run `name`; the run continues.
  void errorOccurred(const QString& name, const QString& what);
  /// `run`: final state; its id is empty if the run could not start.
  void finished(const batchwise::TrainingState& run, const batchwise::RunFinished& outcome);
  void failed(const QString& message);

 private:
  LaunchedRun* find(const QString& run) const;
  LaunchedRun* focused() const;
  void connectSignals(LaunchedRun* run);

  ControllerFactory factory_;
  const Clock& clock_;
  std::vector<LaunchedRun*> runs_;  // children of this object, oldest first
  QString focus_;
  TrainingState idle_;  // state of the run that ended last
};

}  // namespace batchwise
