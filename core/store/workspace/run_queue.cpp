// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/run_queue.h"

#include <fcntl.h>

#include <algorithm>
#include <tuple>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/sweep.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/file_lock.h"
#include "core/store/integrity.h"
#include "core/store/journal/journal.h"
#include "core/store/records.h"
#include "core/store/run_claim.h"
#include "core/store/run_rows.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

// Settings of the workspace.
constexpr const char* kHeld = "queue.held";  // id of the run whose end holds the queue
constexpr const char* kContinueOnError = "queue.continue_on_error";
constexpr const char* kTaken = "queue.taken";  // id of the run taken last, until its end is recorded

/// Locked by the program that trains a run of the queue.
std::filesystem::path lockFile(const std::filesystem::path& workspace) {
  return workspace / "queue.lock";
}

bool isAnyTaken(const std::filesystem::path& workspace) {
  const FileDescriptor file{::open(lockFile(workspace).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  return file.valid() && isLocked(file, {}).value_or(false);
}

std::string settingIn(SQLite::Database& database, const char* key) {
  return queryText(database, "SELECT value FROM setting WHERE key=?", key).value_or("");
}

std::string holdText(const QueueEntry& entry) {
  switch (entry.status) {
    case RunStatus::Stopped: return formatText("run {} was stopped", entry.name);
    case RunStatus::Failed: return formatText("run {} has failed", entry.name);
    case RunStatus::Interrupted: return formatText("run {} was interrupted", entry.name);
    default: return {};  // it has been resumed
  }
}

/// Whether the others wait after a run that ended so. A run that a user stopped always holds them.
bool holdsOthers(const QueueEntry& entry, RunStatus end, bool continueOnError) {
  const bool broke = (end == RunStatus::Failed && !entry.isFork) || end == RunStatus::Interrupted;
  return end == RunStatus::Stopped || (broke && !continueOnError);
}

/// `locked`: a program trains the taken run or prepares it.
Result<QueueContent> contentIn(SQLite::Database& database, bool locked) {
  QueueContent content;
  content.continueOnError = !settingIn(database, kContinueOnError).empty();
  const std::string holder = settingIn(database, kHeld), taken = settingIn(database, kTaken);
  SQLite::Statement query(
      database,
      "SELECT id, name, status, reason, EXISTS (SELECT 1 FROM segment WHERE "
      "segment.run = run.number), EXISTS (SELECT 1 FROM run_value WHERE run_value.run = run.number AND "
      "run_value.name = ?) FROM run WHERE queue_position IS NOT NULL ORDER BY queue_position");
  query.bind(1, resolved_names::kForkCheckpoint);
  while (query.executeStep()) {
    QueueEntry entry;
    readRow(query, entry.id, entry.name, entry.status, entry.reason, entry.hasBegun, entry.isFork);
    const bool isTaken = entry.id == taken;
    if (entry.status == RunStatus::Queued && isTaken && locked) entry.status = RunStatus::Running;
    // The program that had taken it was closed or killed before it recorded the end.
    const bool endIsUnrecorded = isTaken && !locked && holdsOthers(entry, entry.status, content.continueOnError);
    if (content.held.empty() && (entry.id == holder || endIsUnrecorded)) content.held = holdText(entry);
    content.entries.push_back(std::move(entry));
  }
  return content;
}

Result<QueueContent> contentIn(SQLite::Database& database, const Workspace& workspace) {
  return contentIn(database, isAnyTaken(workspace.folder()));
}

using Entry = std::vector<QueueEntry>::iterator;

Result<Entry> find(QueueContent& content, const std::string& id) {
  const auto entry = std::ranges::find(content.entries, id, &QueueEntry::id);
  if (entry != content.entries.end()) return entry;
  return Error::notFound(formatText("there is no entry '{}' in the queue; batchwise queue list shows them", id));
}

/// Ends a run that waits; one that has begun gets a note of its interruption.
void endWaiting(SQLite::Database& database, const std::string& run, RunStatus status, const std::string& reason,
                std::int64_t nowMs) {
  execute(database, "UPDATE run SET status=?, reason=?, cause='unknown', ended_ms=? WHERE id=?", status, reason, nowMs,
          run);
  const auto number = runNumber(database, run);
  if (status == RunStatus::Interrupted && number.ok()) noteInterruption(database, *number, nowMs, reason);
}

void takeOut(SQLite::Database& database, const QueueEntry& entry) {
  if (!entry.hasBegun) {
    execute(database, "DELETE FROM run WHERE id=?", entry.id);
    return;
  }
  if (entry.status == RunStatus::Queued)  // again what it was before it waited
    execute(database, "UPDATE run SET status=? WHERE id=?", RunStatus::Interrupted, entry.id);
  execute(database, "UPDATE run SET queue_position=NULL WHERE id=?", entry.id);
}

}  // namespace

std::int64_t QueueContent::waiting() const {
  return std::ranges::count_if(entries, &QueueEntry::waits);
}

Result<QueueContent> RunQueue::read() const {
  Workspace::State& state = workspace_->state();
  return state.read([&](SQLite::Database& database) -> Result<QueueContent> {
    ASSIGN_OR_RETURN(auto content, contentIn(database, *workspace_));
    const MutexLock lock(state.experimentsMutex);
    for (QueueEntry& entry : content.entries) {
      const std::string yaml = queryText(database, "SELECT config_yaml FROM run WHERE id=?", entry.id).value_or("");
      auto known = state.experiments.find(yaml);
      if (known == state.experiments.end()) {
        const TrainConfig config = parseConfig(yaml, entry.name, {}).config;
        known = state.experiments.emplace(yaml, std::pair(config.experiment, config.variant)).first;
      }
      std::tie(entry.experiment, entry.variant) = known->second;
    }
    return content;
  });
}

Result<std::vector<std::string>> RunQueue::add(const std::vector<LoadedConfig>& runs,
                                               const std::optional<ForkOrigin>& origin) {
  const std::int64_t nowMs = workspace_->state().clock.wallMs();
  std::vector<NewRun> added;
  for (const LoadedConfig& run : runs) {
    if (!run.ok()) return Error::config(run.errorText());
    NewRun& one = added.emplace_back();
    one.name = runName(run.config);
    if (one.name.empty()) one.name = runNameFromDate(nowMs);
    RETURN_IF_ERROR(checkRunName(one.name));
    one.configYaml = run.yaml;
    one.resolvedYaml = configToYaml(run.config, YamlScope::Everything);
    one.resolvedValues[resolved_names::kBaseFolder] = absoluteFolder(run.baseFolder).native();
    if (origin) {
      one.parent = origin->run;
      one.resolvedValues[resolved_names::kForkCheckpoint] = origin->checkpoint;
    }
    one.tags = run.config.launch.tags;
    one.why = run.config.launch.why;
  }
  std::vector<std::string> ids;
  RETURN_IF_ERROR(workspace_->state().write([&](SQLite::Database& database) {
    ids.clear();
    for (const NewRun& run : added) {
      insertRun(database, run, ids.emplace_back(newRecordId()), nowMs);
      execute(database,
              "UPDATE run SET status='queued', queue_position = "
              "(SELECT coalesce(max(queue_position), 0) + 1 FROM run) WHERE id=?",
              ids.back());
    }
  }));
  return ids;
}

Result<void> RunQueue::requeue(const std::vector<Further>& runs) {
  const Workspace::State& state = workspace_->state();
  return workspace_->state().write([&](SQLite::Database& database) -> Result<void> {
    for (const Further& further : runs) {
      ASSIGN_OR_RETURN(const std::int64_t number, runNumber(database, further.run));
      const auto claim = claimOn(database, number);
      if ((claim && !claim->isDeadAt(state.clock.wallMs(), state.folder)) ||
          isTakenFromQueue(database, state.folder, further.run))
        return Error{ErrorCode::Busy, formatText("run {} is training in another program", further.run), {}};
      changePart(database, RunPart::Launch, number,
                 [&] { execute(database, "UPDATE run SET config_yaml=? WHERE number=?", further.configYaml, number); });
      execute(database,
              "UPDATE run SET status='queued', reason='', cause='unknown', queue_position = "
              "(SELECT coalesce(max(queue_position), 0) + 1 FROM run) WHERE number=?",
              number);
    }
    return {};
  });
}

Result<void> RunQueue::handOver(const std::vector<std::string>& runs) {
  return workspace_->state().write([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(const auto content, contentIn(database, *workspace_));
    for (const QueueEntry& entry : content.entries)
      if (entry.waits() && std::ranges::find(runs, entry.id) != runs.end())
        execute(database, "UPDATE run SET queue_position=NULL, status=? WHERE id=?",
                entry.hasBegun ? RunStatus::Interrupted : RunStatus::Created, entry.id);
    return {};
  });
}

Result<void> RunQueue::remove(const std::string& id) {
  return workspace_->state().write([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(auto content, contentIn(database, *workspace_));
    ASSIGN_OR_RETURN(const auto entry, find(content, id));
    if (entry->status == RunStatus::Running)
      return Error{ErrorCode::Busy, formatText("run {} is training; stop it first", entry->name), {}};
    takeOut(database, *entry);
    return {};
  });
}

Result<void> RunQueue::removeEnded() {
  return workspace_->state().write([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(const auto content, contentIn(database, *workspace_));
    for (const QueueEntry& entry : content.entries)
      if (entry.ended()) takeOut(database, entry);
    return {};
  });
}

Result<void> RunQueue::move(const std::string& id, std::int64_t place) {
  return moveTo(id, place, /*relative=*/false);
}

Result<void> RunQueue::moveBy(const std::string& id, std::int64_t steps) {
  return moveTo(id, steps, /*relative=*/true);
}

Result<void> RunQueue::moveTo(const std::string& id, std::int64_t place, bool relative) {
  return workspace_->state().write([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(auto content, contentIn(database, *workspace_));
    ASSIGN_OR_RETURN(const auto found, find(content, id));
    if (!found->waits()) return Error::config(formatText("run {} is no longer waiting", found->name));
    std::int64_t before = place + (relative ? std::count_if(content.entries.begin(), found,
                                                            [](const QueueEntry& entry) { return entry.waits(); })
                                            : 0);
    const QueueEntry moved = *found;
    content.entries.erase(found);
    const auto at =
        std::ranges::find_if(content.entries, [&](const QueueEntry& entry) { return entry.waits() && before-- <= 0; });
    content.entries.insert(at, moved);
    for (std::int64_t position = 0; const QueueEntry& entry : content.entries)
      execute(database, "UPDATE run SET queue_position=? WHERE id=?", ++position, entry.id);
    return {};
  });
}

Result<void> RunQueue::setContinueOnError(bool on) {
  return workspace_->saveSetting(kContinueOnError, on ? "1" : "");
}

Result<void> RunQueue::release() {
  return workspace_->state().write([](SQLite::Database& database) {
    putSetting(database, kHeld, "");
    execute(database, "UPDATE run SET status='queued' WHERE queue_position IS NOT NULL AND status='interrupted'");
    execute(database,
            "UPDATE setting SET value='' WHERE key=? AND value IN "
            "(SELECT id FROM run WHERE status IN ('failed', 'stopped'))",
            kTaken);
  });
}

Result<QueueTurn> RunQueue::takeNext() {
  QueueTurn turn;
  const auto mayTake = [&turn](const QueueContent& content) {
    turn.held = content.held;
    turn.busy = std::ranges::count(content.entries, RunStatus::Running, &QueueEntry::status) > 0;
    return !turn.busy && turn.held.empty() &&
           std::ranges::count(content.entries, RunStatus::Queued, &QueueEntry::status) > 0;
  };
  ASSIGN_OR_RETURN(const auto seen, read());  // polled often: nothing is locked while no run can be taken
  if (!mayTake(seen)) return turn;

  const std::filesystem::path path = lockFile(workspace_->folder());
  auto lock = std::make_shared<FileDescriptor>(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!lock->valid()) return Error::fromErrno(errno, "cannot open the lock '{}'", path.native());
  ASSIGN_OR_RETURN(const bool locked, tryLock(*lock, path, {}));
  turn.busy = !locked;
  if (turn.busy) return turn;
  ASSIGN_OR_RETURN(const auto content, workspace_->state().read([](SQLite::Database& database) {
    return contentIn(database, /*locked=*/false);  // by nobody else
  }));
  if (!mayTake(content)) return turn;
  for (const QueueEntry& entry : content.entries) {
    if (entry.status != RunStatus::Queued) continue;
    auto run = workspace_->findRun(entry.id);
    const auto checkpoints = workspace_->checkpoints(entry.id);
    if (!run.ok() || !checkpoints.ok()) {
      const Error& why = run.ok() ? checkpoints.error() : run.error();
      if (why.code != ErrorCode::Corrupt && why.code != ErrorCode::NotFound) return why;
      RETURN_IF_ERROR(workspace_->state().write([&](SQLite::Database& database) {
        endWaiting(database, entry.id, RunStatus::Failed, formatText("it cannot be read: {}", why.text()),
                   workspace_->state().clock.wallMs());
      }));
      continue;
    }
    bool waits = false;  // still: another program may have removed it, or handed it to a cluster
    RETURN_IF_ERROR(workspace_->state().write([&](SQLite::Database& database) {
      waits =
          hasRow(database, "SELECT 1 FROM run WHERE id=? AND status='queued' AND queue_position IS NOT NULL", entry.id);
      if (!waits) return;
      putSetting(database, kTaken, entry.id);
      if (run->segments.empty())
        execute(database, "UPDATE run SET created_ms=? WHERE id=?", workspace_->state().clock.wallMs(), entry.id);
    }));
    if (!waits) continue;
    turn.resumes = !resumeOrder(run->segments, *checkpoints).empty();
    turn.run = std::move(*run);
    turn.lock = std::move(lock);
    break;
  }
  return turn;
}

Result<void> RunQueue::ended(const std::string& id, RunStatus status, const std::string& reason, AfterFailure after) {
  if (const auto journal = journalFile(workspace_->folder(), id); fileIdOf(journal))  // else it still waits, it seems
    RETURN_IF_ERROR(syncJournals(*workspace_, {journal}));
  return workspace_->state().write([&](SQLite::Database& database) -> Result<void> {
    execute(database, "UPDATE setting SET value='' WHERE value=? AND key IN (?, ?)", id, kTaken, kHeld);
    ASSIGN_OR_RETURN(auto content, contentIn(database, /*locked=*/false));
    const auto entry = std::ranges::find(content.entries, id, &QueueEntry::id);
    if (entry == content.entries.end()) return {};  // removed since the run has ended
    if (entry->status == RunStatus::Queued)
      endWaiting(database, id, entry->hasBegun ? RunStatus::Interrupted : status, reason,
                 workspace_->state().clock.wallMs());
    const bool goesOn = status != RunStatus::Interrupted && after == AfterFailure::GoOn;
    if (!goesOn && holdsOthers(*entry, status, content.continueOnError)) putSetting(database, kHeld, id);
    return {};
  });
}

bool isTakenFromQueue(SQLite::Database& database, const std::filesystem::path& workspace, const std::string& run) {
  return settingIn(database, kTaken) == run && isAnyTaken(workspace) &&
         queryText(database, "SELECT status FROM run WHERE id=?", run) == choiceName(RunStatus::Queued);
}

}  // namespace batchwise
