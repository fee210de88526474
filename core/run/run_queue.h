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

/// A run that waits for its turn, has it, or had it. Once the run exists its state is that of the run in the store,
/// whoever resumed, stopped or finished it.
struct QueueEntry {
  std::string id;
  std::string name;
  LaunchRequest request;
  RunStatus status = RunStatus::Created;  ///< Created: waits
  std::string run;                        ///< id; empty until the run exists
  std::string reason;                     ///< why it ended
  ProcessIdentity taker;                  ///< who launched it
  std::int64_t segments = 0;              ///< that its run had when it got its turn
  std::string notResumed;   ///< why the queue does not resume it although it was interrupted; empty: it does
  bool byHandOnly = false;  ///< notResumed stays when the queue is started, until a person resumes the run
  bool runMissing = false;  ///< the store has no such run or cannot read it, as notResumed says; not stored
  bool resumes() const { return status == RunStatus::Interrupted && !run.empty() && notResumed.empty(); }
  bool waits() const { return status == RunStatus::Created || resumes(); }
  bool ended() const { return !waits() && status != RunStatus::Running; }
};

/// The queue as it is: entries in the order of their turns.
struct QueueContent {
  std::vector<QueueEntry> entries;
  bool continueOnError = false;
  std::string held;    ///< why no entry gets its turn; empty: they do
  std::string heldBy;  ///< the entry whose end holds the others; empty: a person does, or nobody
  std::int64_t waiting() const;
};

/// Whose turn it is. Without an entry: nobody's, because `busy` (one trains), the queue is held, or none waits.
struct QueueTurn {
  std::optional<QueueEntry> entry;
  bool busy = false;
  std::string held;
};

/// The runs of a workspace that are to be trained one after the other. It is kept in the workspace, so that it outlives
/// programs, and shared by all of them: each function reads, changes and writes it under `queue.lock`. What has
/// begun counts as what the store has of it; what a program took that died before that waits again. A run that was
/// interrupted gets its turn again, to be resumed; once, until a person starts the queue again. An entry whose run was
/// deleted, cannot be read or cannot be resumed says so in `notResumed`, and those behind it get their turns. Any
/// thread. Functions fail with what reading or writing the workspace fails with, and with NotFound for an entry that is
/// gone.
class RunQueue {
 public:
  explicit RunQueue(std::shared_ptr<Workspace> workspace) : workspace_(std::move(workspace)) {}

  Result<QueueContent> read() const;
  /// At the end. Fails with Config, adding none, if a configuration has errors.
  Result<void> add(const std::vector<LoadedConfig>& runs);
  /// Fails with Busy while it trains.
  Result<void> remove(const std::string& entry);
  Result<void> removeEnded();
  /// Puts a waiting entry at a place among those that wait, counted from 0; beyond the end is the end.
  Result<void> move(const std::string& entry, std::int64_t place);
  /// Whether a run that failed or was interrupted keeps the ones behind it from their turn.
  Result<void> setContinueOnError(bool on);
  /// A person starts the queue: nothing holds it, and every run that was interrupted may be resumed, unless only a
  /// person resumes it (QueueEntry::byHandOnly).
  Result<void> release();

  /// Gives the next entry its turn, in the name of this process. The request of one that was interrupted resumes it,
  /// or begins it again, as the same run, if it has no checkpoint.
  Result<QueueTurn> takeNext();
  /// Takes the turn back: the entry waits again, at its place.
  Result<void> giveBack(const std::string& entry);
  /// The entry's run exists.
  Result<void> begun(const std::string& entry, const std::string& run);
  /// It has ended. Failed and Interrupted hold the queue unless it continues on error; Stopped does always: a person
  /// stopped it.
  Result<void> ended(const std::string& entry, RunStatus status, const std::string& reason);

 private:
  template <typename Change>
  Result<void> change(const Change& change) const;
  Result<void> prepareResume(QueueEntry& entry, LaunchRequest& request) const;

  std::shared_ptr<Workspace> workspace_;
};

}  // namespace batchwise
