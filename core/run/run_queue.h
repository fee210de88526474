// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/trainer.h"
#include "core/store/process_identity.h"
#include "core/store/workspace.h"

namespace batchwise {

/// A queued run. Once the run exists, its state is that of the run in the store, whoever changed it.
struct QueueEntry {
  std::string id;
  std::string name;
  LaunchRequest request;
  RunStatus status = RunStatus::Created;  ///< Created: waits
  std::string run;                        ///< id; empty until the run exists
  std::string reason;                     ///< why it ended
  ProcessIdentity taker;                  ///< process that launched it
  std::int64_t segments = 0;              ///< number of segments of its run when it was taken from the queue
  std::string
      notResumed;  ///< why the queue does not resume it although it was interrupted; empty: it does, or it was not
  bool runMissing = false;  ///< the store does not have the run or cannot read it (reason in notResumed); not stored
  bool resumes() const { return status == RunStatus::Interrupted && !run.empty() && notResumed.empty(); }
  bool waits() const { return status == RunStatus::Created || resumes(); }
  bool ended() const { return !waits() && status != RunStatus::Running; }
};

/// Content of the queue; entries in order.
struct QueueContent {
  std::vector<QueueEntry> entries;
  bool continueOnError = false;
  std::string held;    ///< why no entry may start; empty: entries may start
  std::string heldBy;  ///< id of the entry whose end holds the queue; empty: held by a user, or not held
  std::int64_t waiting() const;
};

/// The entry to train next. Empty if a run is training (`busy`), the queue is held, or no entry waits.
struct QueueTurn {
  std::optional<QueueEntry> entry;
  bool busy = false;
  std::string held;
};

/// The runs of a workspace that are trained one after another. Stored in the workspace and shared by all programs: each
/// function reads, changes and writes it under `queue.lock`. The state of a started entry comes from the store; an
/// entry whose program died before the run started waits again. An interrupted run is resumed once, and again after a
/// user starts the queue. An entry whose run was deleted, cannot be read or cannot be resumed says so in `notResumed`
/// and does not block the others. Thread-safe. Functions fail if the workspace cannot be read or written, and with
/// NotFound for an entry that no longer exists.
class RunQueue {
 public:
  explicit RunQueue(std::shared_ptr<Workspace> workspace) : workspace_(std::move(workspace)) {}

  Result<QueueContent> read() const;
  /// Appends runs and returns the ids of their entries. Fails with Config, adding none, if a configuration has errors.
  Result<std::vector<std::string>> add(const std::vector<LoadedConfig>& runs);
  /// Fails with Busy while the entry trains.
  Result<void> remove(const std::string& entry);
  Result<void> removeEnded();
  /// Moves a waiting entry to `place` among those that wait, counted from 0; a larger place means the end.
  Result<void> move(const std::string& entry, std::int64_t place);
  /// Moves a waiting entry by `steps` from its place among those that wait; negative: to the front. Stops at both ends.
  Result<void> moveBy(const std::string& entry, std::int64_t steps);
  /// Sets whether the queue continues after a run that failed or was interrupted.
  Result<void> setContinueOnError(bool on);
  /// Starts the queue on behalf of a user: releases its hold and lets every interrupted run be resumed.
  Result<void> release();

  /// Takes the next entry for this process. The request of an interrupted run resumes it, or restarts the same run if
  /// it has no checkpoint.
  Result<QueueTurn> takeNext();
  /// Requeues an entry at its place. Fails with Internal if its run has started.
  Result<void> requeue(const std::string& entry);
  /// Records the run of an entry.
  Result<void> started(const std::string& entry, const std::string& run);
  /// Records the end of an entry. Failed and Interrupted hold the queue unless it continues on error; Stopped always
  /// does, because a user stopped it.
  Result<void> ended(const std::string& entry, RunStatus status, const std::string& reason);

 private:
  /// Returns the same as read(), with `notResumed` of all entries as stored.
  Result<QueueContent> reconciled() const;
  template <typename Change>
  Result<void> change(const Change& change) const;
  template <typename Change>
  Result<void> changeEntry(const std::string& id, const Change& change) const;
  Result<void> prepareResume(QueueEntry& entry, LaunchRequest& request) const;

  std::shared_ptr<Workspace> workspace_;
};

}  // namespace batchwise
