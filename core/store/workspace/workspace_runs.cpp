// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>
#include <utility>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/config/events/run_event.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/external_run.h"
#include "core/store/integrity.h"
#include "core/store/journal/journal.h"
#include "core/store/records.h"
#include "core/store/run_claim.h"
#include "core/store/run_queue.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

constexpr const char* kSummaryQuery =
    "SELECT id, name, status, reason, cause, status = 'running' AND paused, created_ms, ended_ms, planned_batches, at, "
    "loss, eval_loss, learning_rate, "
    "samples_per_sec, tokens_per_sec, (SELECT count(*) FROM checkpoint WHERE checkpoint.run = run.number), parent, "
    "archived, note, number, (SELECT value FROM run_value AS measured WHERE measured.run = run.number AND "
    "measured.name = "
    "'evaluation.set'), figures_crc, source, source_path "
    "FROM run ";
/// Columns of RunPart::Figures in it.
constexpr int kFirstFigure = 9;
constexpr int kFigures = 6;

/// Whether the tasks of other runs are known by the script of a Slurm job (jobsOfRuns() in core/run/slurm).
bool isScriptOfArray(const std::filesystem::path& file) {
  if (file.extension() != ".sbatch") return false;
  const auto script = readFile(file, std::int64_t{1} << 20);
  const std::size_t runs = script.ok() ? script->find("\nruns=(") : std::string::npos;
  return runs != std::string::npos && script->find(' ', runs) < script->find(')', runs);
}

/// Sets how a run of another program stands: one whose files do not say how it ended runs while they grow.
void setExternalStatus(RunSummary& run, const Clock& clock) {
  if (!isExternal(run) || run.status != RunStatus::Running) return;
  const std::int64_t writtenMs = std::exchange(run.endedMs, 0);
  if (clock.wallMs() - writtenMs < kExternalRunSilenceMs) return;
  run.status = RunStatus::Stopped;
  run.reason = "its files have not grown since then and do not say how it ended";
  run.endedMs = writtenMs;
}

Result<RunSummary> summaryFromRow(SQLite::Statement& row, const Clock& clock) {
  RunSummary run;
  std::string at;
  std::int64_t number = 0, checksum = 0;
  readRow(row, run.id, run.name, run.status, run.reason, run.cause, run.paused, run.createdMs, run.endedMs,
          run.plannedBatches, at, run.loss, run.evalLoss, run.learningRate, run.samplesPerSec, run.tokensPerSec,
          run.checkpoints, run.parent, run.archived, run.note, number, run.evaluationSet, checksum, run.source,
          run.sourcePath);
  if (checksum != checksumOfColumns(row, kFirstFigure, kFigures))
    return Error::corrupt(formatText("run '{}': the checksum of its newest figures differs", run.name));
  if (!isPlainId(run.id))  // ids become part of file names
    return Error::corrupt(formatText(
        "run '{}' has the invalid id '{}'; `batchwise store restore --from` puts a backup in place", run.name, run.id));
  setExternalStatus(run, clock);
  auto clocks = timestampFromText(at);
  if (!clocks.ok()) return clocks.error().within(runContextText(run.name));
  run.at = *clocks;
  return run;
}

std::vector<std::string> tagsOf(SQLite::Database& database, std::int64_t run) {
  return queryTexts(database, "SELECT tag FROM run_tag WHERE run=? ORDER BY position", run);
}

/// Returns the tags of all runs by run number.
std::map<std::int64_t, std::vector<std::string>> allTags(SQLite::Database& database) {
  SQLite::Statement query(database, "SELECT run, tag FROM run_tag ORDER BY run, position");
  std::map<std::int64_t, std::vector<std::string>> tags;
  while (query.executeStep()) tags[query.getColumn(0).getInt64()].push_back(query.getColumn(1).getString());
  return tags;
}

Result<std::vector<RunSegment>> segmentsOf(SQLite::Database& database, std::int64_t run) {
  checkPart(database, RunPart::Segments, run);
  SQLite::Statement query =
      prepare(database,
              "SELECT number, from_at, checkpoint, started_ms, host, process_id, environment FROM segment "
              "WHERE run=? ORDER BY number",
              run);
  std::vector<RunSegment> segments;
  while (query.executeStep()) {
    RunSegment segment;
    std::string from;
    readRow(query, segment.number, from, segment.checkpoint, segment.startedMs, segment.host, segment.processId,
            segment.environment);
    ASSIGN_OR_RETURN(segment.from, timestampFromText(from));
    segments.push_back(std::move(segment));
  }
  return segments;
}

Result<RunDetail> detailOf(SQLite::Database& database, std::int64_t number, const Clock& clock) {
  RunDetail detail;
  SQLite::Statement summary = prepare(database, std::string{kSummaryQuery} + "WHERE number=?", number);
  summary.executeStep();
  ASSIGN_OR_RETURN(detail.summary, summaryFromRow(summary, clock));
  detail.summary.tags = tagsOf(database, number);
  checkPart(database, RunPart::Launch, number);
  SQLite::Statement texts = prepare(database, "SELECT why, config_yaml, resolved_yaml FROM run WHERE number=?", number);
  texts.executeStep();
  readRow(texts, detail.why, detail.configYaml, detail.resolvedYaml);
  SQLite::Statement values = prepare(database, "SELECT name, value FROM run_value WHERE run=?", number);
  while (values.executeStep()) detail.resolvedValues[values.getColumn(0).getString()] = values.getColumn(1).getString();
  SQLite::Statement references = prepare(database, "SELECT name, value FROM run_reference WHERE run=?", number);
  while (references.executeStep())
    detail.references[references.getColumn(0).getString()] = readDouble(references.getColumn(1)).value_or(0);
  auto segments = segmentsOf(database, number);
  if (!segments.ok()) return segments.error().within(runContextText(detail.summary.name));
  detail.segments = std::move(*segments);
  return detail;
}

/// Calls `change(database, number)` in one transaction.
template <typename Change>
Result<void> changeRun(Workspace::State& state, const std::string& run, Change&& change) {
  return state.write([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(const auto number, runNumber(database, run));
    return change(database, number);
  });
}

/// Sets one column of a run.
template <typename Value>
Result<void> setColumn(Workspace::State& state, const std::string& run, const char* column, const Value& value) {
  return changeRun(state, run, [&](SQLite::Database& database, std::int64_t number) -> Result<void> {
    execute(database, "UPDATE run SET " + std::string{column} + "=? WHERE number=?", value, number);
    return {};
  });
}

/// Replaces the tags of a run. Fails with Config if one that it does not have yet is not a plain line.
Result<void> changeTags(SQLite::Database& database, std::int64_t number, const std::vector<std::string>& tags) {
  const std::vector<std::string> present = tagsOf(database, number);
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (std::find(present.begin(), present.end(), tags[i]) != present.end()) continue;
    if (const std::string why = plainLineProblem(tags[i], kMaxRunTagBytes); !why.empty())
      return Error::config(formatText("tag {} of the run {}", i + 1, why));
  }
  replaceTags(database, number, tags);
  return {};
}

}  // namespace

std::string_view stateName(const RunSummary& run) {
  if (run.cause == FailureCause::Diverged && run.status == RunStatus::Finished) return "finished, diverged";
  if (run.cause == FailureCause::Unneeded && run.status == RunStatus::Stopped) return "stopped, not needed";
  return run.paused ? "paused" : choiceName(run.status);
}

Result<std::vector<RunSummary>> Workspace::listRuns(bool withArchived) const {
  return state_->read([&](SQLite::Database& database) -> Result<std::vector<RunSummary>> {
    SQLite::Statement query = prepare(
        database,
        std::string{kSummaryQuery} + "WHERE archived <= ? AND " + kHasBegun + " ORDER BY created_ms DESC, number DESC",
        withArchived ? 1 : 0);
    auto tags = allTags(database);
    std::vector<RunSummary> runs;
    while (query.executeStep()) {
      ASSIGN_OR_RETURN(auto run, summaryFromRow(query, state_->clock));
      run.tags = std::move(tags[query.getColumn("number").getInt64()]);
      runs.push_back(std::move(run));
    }
    return runs;
  });
}

Result<RunDetail> Workspace::findRun(std::string_view idOrName) const {
  return state_->read([&](SQLite::Database& database) -> Result<RunDetail> {
    ASSIGN_OR_RETURN(const auto number, findRunNumber(database, idOrName));
    return detailOf(database, number, state_->clock);
  });
}

Result<std::string> Workspace::createRun(const NewRun& run) {
  const std::int64_t nowMs = state_->clock.wallMs();
  const std::string wanted = run.name.empty() ? runNameFromDate(nowMs) : run.name;
  RETURN_IF_ERROR(checkRunName(wanted));
  const std::string id = newRecordId();
  RETURN_IF_ERROR(state_->write([&](SQLite::Database& database) {
    NewRun named = run;
    named.name = wanted;
    insertRun(database, named, id, nowMs);
  }));
  return id;
}

Result<void> Workspace::setArchived(const std::string& run, bool archived) {
  return setColumn(*state_, run, "archived", archived);
}

Result<void> Workspace::setArchived(const std::vector<std::string>& runs, bool archived) {
  return state_->write([&](SQLite::Database& database) {
    for (const std::string& run : runs) execute(database, "UPDATE run SET archived=? WHERE id=?", archived, run);
  });
}

// As an import does, it also replaces ill-formed UTF-8, and cuts the text at kMaxRunTextBytes.
Result<void> Workspace::setNote(const std::string& run, const std::string& markdown) {
  return setColumn(*state_, run, "note", withoutControlCharacters(markdown, kMaxRunTextBytes));
}

Result<void> Workspace::renameRun(const std::string& run, const std::string& name) {
  RETURN_IF_ERROR(checkRunName(name));
  return changeRun(*state_, run, [&](SQLite::Database& database, std::int64_t number) -> Result<void> {
    if (isNameTaken(database, name, number))
      return Error::config(
          formatText("there is another run named '{}'; for example '{}' is free", name, uniqueRunName(database, name)));
    execute(database, "UPDATE run SET name=? WHERE number=?", name, number);
    return {};
  });
}

Result<void> Workspace::setTags(const std::string& run, const std::vector<std::string>& tags) {
  return changeRun(*state_, run,
                   [&](SQLite::Database& database, std::int64_t number) { return changeTags(database, number, tags); });
}

Result<void> Workspace::setTags(const std::map<std::string, std::vector<std::string>>& tagsByRun) {
  return state_->write([&](SQLite::Database& database) -> Result<void> {
    for (const auto& [run, tags] : tagsByRun) {
      const auto number = runNumber(database, run);
      if (!number.ok() && number.error().code == ErrorCode::NotFound) continue;
      if (!number.ok()) return number.error();
      RETURN_IF_ERROR(changeTags(database, *number, tags));
    }
    return {};
  });
}

Result<std::int64_t> Workspace::markDeadRuns() {
  const std::int64_t nowMs = state_->clock.wallMs();
  std::int64_t marked = 0;
  const auto dead = [&](SQLite::Database& database) {
    auto claims = claimsIn(database);
    std::erase_if(claims, [&](const RunClaim& claim) { return !claim.isDeadAt(nowMs, state_->folder); });
    return claims;
  };
  ASSIGN_OR_RETURN(const auto found, state_->read(dead));
  if (found.empty()) return marked;
  RETURN_IF_ERROR(state_->write([&](SQLite::Database& database) {
    for (const RunClaim& claim : dead(database)) {
      interruptRun(database, claim);
      ++marked;
    }
  }));
  return marked;
}

Result<void> Workspace::setInterruptionReason(const std::string& run, const std::string& reason, FailureCause cause) {
  return changeRun(*state_, run, [&](SQLite::Database& database, std::int64_t number) -> Result<void> {
    const std::int64_t nowMs = state_->clock.wallMs();
    if (const auto claim = claimOn(database, number)) {
      if (claim->isDeadAt(nowMs, state_->folder)) interruptRun(database, *claim, reason, cause);
      return {};
    }
    const int changed =
        execute(database, "UPDATE run SET reason=?1, cause=?4 WHERE number=?2 AND status=?3 AND reason<>?1", reason,
                number, RunStatus::Interrupted, cause);
    if (changed > 0) noteInterruption(database, number, nowMs, reason);
    return {};
  });
}

Result<void> Workspace::deleteRun(const std::string& run) {
  std::vector<std::string> files;
  FileDescriptor journal;  // locked, so that nobody resumes the run
  const auto deleteRows = [&](SQLite::Database& database, std::int64_t number) -> Result<void> {
    if (const auto claim = claimOn(database, number); claim && !claim->isDeadAt(state_->clock.wallMs(), state_->folder))
      return Error{ErrorCode::Busy, formatText("run '{}' is running; stop it first", run), {}};
    if (isTakenFromQueue(database, state_->folder, run))
      return Error{ErrorCode::Busy, formatText("run '{}' of the queue is about to train; stop it first", run), {}};
    checkPart(database, RunPart::Checkpoints, number);  // so that no damaged row names the file of another run
    for (const std::string& file : queryTexts(database, "SELECT file FROM checkpoint WHERE run=?", number))
      files.insert(files.end(), {file, file + ".pin"});
    for (std::string& file : checkpointFilesNamedFor(database, state_->folder, run)) files.push_back(std::move(file));
    SQLite::Statement logged =
        prepare(database, "SELECT source, source_path FROM run WHERE number=? AND source_path<>''", number);
    if (logged.executeStep()) {
      const std::string source = logged.getColumn(0).getString(), path = logged.getColumn(1).getString();
      const auto hasOther = [&](const std::string& which) {
        return hasRow(database, "SELECT 1 FROM run WHERE source=? AND source_path=? AND number" + which, source, path,
                      number);
      };
      if (std::filesystem::path(path).parent_path() == kLoggedFolder && !hasOther("<>?"))
        files.push_back(path);
      else if (!hasOther(">?"))  // else what is there is not this run
        putSetting(database, deletedRunKey(source, path), "");
    }
    execute(database, "DELETE FROM run WHERE number=?", number);
    forgetDeletedJournal(database, run);
    ASSIGN_OR_RETURN(journal, markJournalDeleted(database, state_->folder, run));
    return {};
  };
  RETURN_IF_ERROR(changeRun(*state_, run, deleteRows));
  for (const std::filesystem::path& file : entriesOf(state_->folder / "runs"))  // its journal, files of a Slurm job
    if (file.filename().native().starts_with(run + ".") && !isScriptOfArray(file))
      files.push_back("runs/" + file.filename().native());
  RETURN_IF_ERROR(removeFiles(state_->folder, files));
  if (!journal.valid()) return {};
  RETURN_IF_ERROR(syncFolder(state_->folder / "runs"));  // else a loss of power might bring the journal back
  (void)state_->write([&](SQLite::Database& database) { forgetDeletedJournal(database, run); });
  return {};
}

}  // namespace batchwise
