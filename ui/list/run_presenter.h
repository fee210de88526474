// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/run/run_controller.h"
#include "core/store/records.h"

namespace batchwise {

/// Where a run trains.
enum class RunLocation {
  ThisProcess,
  OwnProcess,
  Slurm,     ///< a job to submit to the cluster
  SlurmJob,  ///< a job already in the queue, to be monitored
};

/// True for runs on a cluster, which do not depend on this window or machine.
constexpr bool onCluster(RunLocation place) {
  return place == RunLocation::Slurm || place == RunLocation::SlurmJob;
}

using ControllerFactory = std::function<std::unique_ptr<RunController>(RunLocation, EventSink&)>;

enum class RunPhase {
  Idle,
  Starting,  ///< until the first global batch is complete
  Training,
  Paused,
  Stopping,  ///< ends after the current step or global batch
};

/// Activity and progress of a run.
struct TrainingState {
  RunPhase phase = RunPhase::Idle;
  RunLocation place = RunLocation::ThisProcess;
  QString run;     ///< id; empty until the run exists
  QString ticket;  ///< the caller's key, from launch()
  QString name;
  QString activity;                            ///< "Training", "Reading text", …
  QString blockedReason;                       ///< why the run is blocked; empty: it is not
  double activityDone = 0, activityTotal = 0;  ///< progress of the activity; total 0: unknown
  std::int64_t batches = 0, plannedBatches = 0;
  std::optional<double> secondsLeft, tokensPerSec;
  std::optional<DeviceMemory> fullestDevice;
};

/// State of a run that another process trains, from the store.
TrainingState stateOfStoredRun(const RunSummary& run);

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
  bool launch(const LaunchRequest& request, RunLocation place = RunLocation::ThisProcess, const QString& ticket = {});
  /// Sends a command to run `run`, or, if that is empty, to the newest active one; no effect if it was not launched
  /// here.
  void command(const QString& run, RunCommand command);
  /// Monitors a run whose job is in the cluster's queue; no effect if already monitored.
  void follow(const std::filesystem::path& workspace, const QString& run);
  /// Stops monitoring cluster runs of other workspaces than `workspace`; the runs continue.
  void unfollowOtherWorkspaces(const std::filesystem::path& workspace);
  /// Stop with a checkpoint all runs on this machine, or only the one in this process.
  void stopAndSaveAll();
  void stopAndSaveInThisProcess();

  /// State of run `run` if it was launched here, else of the newest active one; Idle if there is none.
  const TrainingState& progress(const QString& run = {}) const;
  /// Returns whether the newest active run is a new one that is still being prepared: it has no id yet.
  bool preparesNew() const;
  /// True if the run was launched here and is active; one that is resumed or on a cluster also before it has started.
  bool trains(const QString& run) const { return find(run) != nullptr; }
  bool busy() const { return !runs_.empty(); }
  bool trainsOne() const { return runs_.size() == 1; }
  /// State of the run in this process, else of the newest one launched here that trains on this machine; else Idle.
  TrainingState stateOnThisMachine() const;
  QString nameOnThisMachine() const { return stateOnThisMachine().name; }
  /// True while a run launched here trains on this machine.
  bool busyOnThisMachine() const;
  /// True while a run trains in this process.
  bool busyInThisProcess() const;

 Q_SIGNALS:
  void progressChanged();
  /// progressChanged(), and in more than numbers: a run was launched, got its id, changed its phase or ended.
  void phaseChanged();
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
  class LaunchedRun;
  LaunchedRun* newest() const { return runs_.empty() ? nullptr : runs_.back(); }
  /// By its id, which a run that is resumed has before it has started; null if there is none.
  LaunchedRun* find(const QString& run) const;
  /// Starts the run on a controller of its own, and reports an error.
  LaunchedRun* start(RunLocation place, const LaunchRequest& request, const QString& ticket);
  void finish(LaunchedRun* run, const RunFinished& outcome);

  ControllerFactory factory_;
  const Clock& clock_;
  std::vector<LaunchedRun*> runs_;  // children of this object, oldest first
  TrainingState idle_;              // state of the run that ended last
};

}  // namespace batchwise
