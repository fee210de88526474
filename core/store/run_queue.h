// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/store/workspace.h"

namespace SQLite {
class Database;
}

namespace batchwise {

/// A run of the queue. Its status and reason are those of the run in the store, whoever changed them; Running also
/// while a program that has taken it prepares it.
struct QueueEntry {
  std::string id;  ///< of the run
  std::string name, experiment, variant;
  RunStatus status = RunStatus::Queued;
  std::string reason;  ///< why it ended
  bool hasBegun = false;
  bool isFork = false;  ///< a branch of a study: one that diverges is a result of the study
  bool waits() const { return status == RunStatus::Queued || status == RunStatus::Interrupted; }
  bool ended() const { return !waits() && status != RunStatus::Running; }
};

/// What a run of the queue is forked from.
struct ForkOrigin {
  std::string run, checkpoint;  ///< ids
};

/// Content of the queue; entries in order.
struct QueueContent {
  std::vector<QueueEntry> entries;
  bool continueOnError = false;
  std::string held;  ///< which run has stopped the queue, and how; empty: entries may start
  std::int64_t waiting() const;
};

/// The run to train next. Empty if a run of the queue is training (`busy`), the queue is held, or none waits.
struct QueueTurn {
  std::optional<RunDetail> run;
  bool resumes = false;              ///< from its checkpoints; else it begins, or begins again
  std::shared_ptr<const void> lock;  ///< no other program takes a run while a copy of it exists
  bool busy = false;
  std::string held;
};

/// The runs of a workspace that are trained one after another: those with a `queue_position`. They keep it when they
/// have ended, until they are removed; one that has not begun to train is in the queue only. A run that waits has the
/// status Queued; one that was interrupted gets it again when a user starts the queue. A taken run stays Queued until
/// it trains, so that it waits again if its program dies before; if its program dies later, the run's end counts as if
/// it had been recorded. Shared by all programs; thread-safe. Functions fail if
/// the workspace cannot be read or written, and with NotFound for a run that is not in the queue.
class RunQueue {
 public:
  explicit RunQueue(std::shared_ptr<Workspace> workspace) : workspace_(std::move(workspace)) {}

  Result<QueueContent> read() const;
  /// Appends runs, or forks, and returns their ids. Fails with Config, adding none, if a configuration has errors.
  Result<std::vector<std::string>> add(const std::vector<LoadedConfig>& runs,
                                       const std::optional<ForkOrigin>& origin = {});
  struct Further {
    std::string run, configYaml;
  };
  /// Lets runs that have ended wait again, with these configurations, at the end of the queue: they are resumed with
  /// the launch.stop_at of theirs. All of them or none. Fails with Busy if one is training.
  Result<void> requeue(const std::vector<Further>& runs);
  /// Takes those of the runs that wait out of the queue for another program to train them, as a cluster: they stay in
  /// the workspace.
  Result<void> handOver(const std::vector<std::string>& runs);
  /// Takes a run out of the queue, and deletes it if it has not begun. Fails with Busy while it trains.
  Result<void> remove(const std::string& run);
  /// The same for all that have ended.
  Result<void> removeEnded();
  /// Moves a waiting run to `place` among those that wait, counted from 0; a larger place means the end.
  Result<void> move(const std::string& run, std::int64_t place);
  /// Moves a waiting run by `steps` from its place among those that wait; negative: to the front. Stops at both ends.
  Result<void> moveBy(const std::string& run, std::int64_t steps);
  /// Sets whether the queue continues after a run that failed or was interrupted.
  Result<void> setContinueOnError(bool on);
  /// Starts the queue on behalf of a user: releases its hold and lets interrupted runs be resumed.
  Result<void> release();

  /// Takes the next run for this process. One that is damaged has failed, and does not block the others.
  Result<QueueTurn> takeNext();
  enum class AfterFailure { Default, GoOn };
  /// Records the end of a run that was taken. Interrupted, and Failed of a run that is no fork, hold the queue unless
  /// it continues on error; Stopped always does, because a user stopped it; with GoOn only Interrupted does. `status`
  /// and `reason` become those of a run that did not begin. A run that was removed since it ended holds nothing.
  /// Takes in the journal of a run that keeps one.
  Result<void> ended(const std::string& run, RunStatus status, const std::string& reason,
                     AfterFailure after = AfterFailure::Default);

 private:
  Result<void> moveTo(const std::string& run, std::int64_t place, bool relative);
  std::shared_ptr<Workspace> workspace_;
};

/// Returns whether a program has taken the run and has not begun to train it. In a transaction; throws what SQLite
/// throws.
bool isTakenFromQueue(SQLite::Database& database, const std::filesystem::path& workspace, const std::string& run);

}  // namespace batchwise
