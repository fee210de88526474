// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage/salvage_checkpoints.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/result.h"
#include "core/config/config_file.h"
#include "core/config/sweep.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/journal/journal_run.h"
#include "core/store/record_text.h"
#include "core/store/salvage/salvage_rules.h"
#include "core/store/schema.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSuffix = ".sqlite";

std::string fileOf(const std::string& checkpoint) {
  return "checkpoints/" + checkpoint + kSuffix;
}

/// Copies a checkpoint file with its pin marker. `file`: as in CheckpointRecord::file.
Result<void> copyCheckpoint(const fs::path& fromFolder, const fs::path& toFolder, const std::string& file) {
  const fs::path from = fromFolder / file;
  const fs::path to = toFolder / file;
  std::error_code failure;
  RETURN_IF_ERROR(makeFolders(to.parent_path()));
  fs::create_hard_link(from, to, failure);  // checkpoint files never change
  if (failure) fs::copy_file(from, to, failure);
  if (failure) return Error::fromErrno(failure.value(), messages::cannotCopy, from.native());
  if (hasPinMarker(fromFolder, file)) RETURN_IF_ERROR(writeFileAtomically(pinMarkerPath(toFolder, file), ""));
  return syncFile(to);
}

Result<CheckpointReader> openVerified(const fs::path& folder, const std::string& file) {
  auto reader = CheckpointReader::openIn(folder, file);
  if (!reader.ok()) return reader;
  RETURN_IF_ERROR(reader->verify());
  return reader;
}

/// A checkpoint file as its name and its content describe it.
struct NamedCheckpoint {
  std::string run;
  CheckpointRecord record;
  std::map<std::string, std::string> facts;
};

Result<bool> allFinite(const CheckpointReader& reader) {
  for (const CheckpointEntry& entry : reader.entries()) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(entry.bytes));
    RETURN_IF_ERROR(reader.read(entry.name, bytes));
    if (!holdsFiniteNumbers(entry.type, bytes)) return false;
  }
  return true;
}

std::string factOf(const NamedCheckpoint& checkpoint, const char* name) {
  const auto found = checkpoint.facts.find(name);
  return found == checkpoint.facts.end() ? "" : found->second;
}

/// Reads and verifies the file of a checkpoint.
Result<NamedCheckpoint> readCheckpointRecord(const std::string& id, const fs::path& folder) {
  const auto name = parseCheckpointName(id);
  if (!name || !isPlainId(id) || !isPlainId(name->run))
    return Error::corrupt(messages::salvagedCheckpointNameInvalid());
  ASSIGN_OR_RETURN(const auto reader, openVerified(folder, fileOf(id)));
  NamedCheckpoint checkpoint{name->run, {}, reader.facts()};
  const auto state = parseJsonOrDiscarded(factOf(checkpoint, "state"));
  if (!state.is_object() || !state.contains("clock")) return Error::corrupt(messages::salvagedCheckpointTimeMissing());
  ASSIGN_OR_RETURN(const auto at, timestampFromText(state["clock"].dump()));
  ASSIGN_OR_RETURN(const auto finite, allFinite(reader));
  CheckpointRecord& record = checkpoint.record;
  record.id = id;
  record.segment = name->segment;
  record.at = at;
  record.file = fileOf(id);
  record.reason = "salvaged";
  record.pinned = hasPinMarker(folder, record.file);
  record.verified = true;
  record.finite = finite;
  if (const auto metric = state.find("metric"); metric != state.end() && metric->is_number())
    record.metric = metric->get<double>();
  std::error_code ignored;
  const fs::path file = folder / record.file;
  record.bytes = static_cast<std::int64_t>(fs::file_size(file, ignored));
  record.createdMs = std::chrono::duration_cast<std::chrono::milliseconds>(
                         std::chrono::file_clock::to_sys(fs::last_write_time(file, ignored)).time_since_epoch())
                         .count();
  return checkpoint;
}

NewRun runOf(const NamedCheckpoint& newest) {
  NewRun run;
  run.configYaml = run.resolvedYaml = factOf(newest, "config");
  run.name = runName(parseConfig(run.configYaml, newest.record.id, {}).config);
  if (!checkRunName(run.name).ok()) run.name = "salvaged-" + newest.run;
  const auto resolved = parseJsonOrDiscarded(factOf(newest, "resolved"));
  if (resolved.is_object())
    for (const auto& [name, value] : resolved.items())
      if (value.is_string()) run.resolvedValues[name] = value.get<std::string>();
  return run;
}

/// Restores the configuration of a run whose row was lost from its newest checkpoint.
void completeRun(SQLite::Database& into, std::int64_t number, const NamedCheckpoint& newest) {
  const NewRun run = runOf(newest);
  const int updated =
      execute(into, "UPDATE run SET config_yaml=?2, resolved_yaml=?2, at=?3 WHERE number=?1 AND config_yaml=''", number,
              run.configYaml, timestampText(newest.record.at));
  if (updated > 0 && !hasRow(into, "SELECT 1 FROM run_value WHERE run=?", number))
    insertResolvedValues(into, number, run.resolvedValues, {});
}

std::int64_t makeRun(SQLite::Database& into, const NamedCheckpoint& newest) {
  insertRun(into, runOf(newest), newest.run, newest.record.createdMs);
  const std::int64_t number = *runNumber(into, newest.run);
  execute(into, "UPDATE run SET status='interrupted', reason='its entry was lost', at=? WHERE number=?",
          timestampText(newest.record.at), number);
  return number;
}

/// Inserts a missing segment, which starts at its first checkpoint; segment 0 starts with the run.
void makeSegment(SQLite::Database& into, std::int64_t run, const NamedCheckpoint& first) {
  if (hasRow(into, "SELECT 1 FROM segment WHERE run=? AND number=?", run, first.record.segment)) return;
  RunSegment segment;
  segment.number = first.record.segment;
  if (first.record.segment > 0) segment.from = first.record.at;
  segment.startedMs = first.record.createdMs;
  const std::string environment = factOf(first, "environment");
  segment.environment = parseJsonOrDiscarded(environment).is_object() ? environment : "{}";
  insertSegment(into, run, segment);
}

/// Reports what is made of files without rows: a loss, or a note if the database lost nothing.
void reportUnlisted(bool isLoss, Message loss, Message note, SalvageLog& log) {
  if (isLoss)
    log.addLoss(std::move(loss));
  else
    log.note(std::move(note));
}

void insertCheckpoints(SQLite::Database& into, const std::vector<NamedCheckpoint>& ofRun, bool areLosses,
                       SalvageLog& log) {
  const std::string& id = ofRun.front().run;
  const std::int64_t count = std::ssize(ofRun);
  const auto known = runNumber(into, id);
  const std::int64_t run = known.ok() ? *known : makeRun(into, ofRun.back());
  if (!known.ok()) {
    ++log.count("run");
    reportUnlisted(areLosses, messages::salvageLosesRunData(id), messages::salvageMakesRunOfFiles(count, id), log);
  }
  if (known.ok()) completeRun(into, run, ofRun.back());
  for (const NamedCheckpoint& checkpoint : ofRun) {
    makeSegment(into, run, checkpoint);
    insertCheckpoint(into, run, checkpoint.record);
    ++log.count("checkpoint");
    ++log.count(messages::salvagedCheckpointFiles().text());
  }
  if (known.ok())
    reportUnlisted(areLosses, messages::salvageRebuildsCheckpointEntries(count, id),
                   messages::salvageListsCheckpointFiles(count, id), log);
}

}  // namespace

Result<void> copyKnownCheckpoints(const fs::path& from, const fs::path& target, SQLite::Database& into,
                                  SalvageLog& log) {
  std::vector<std::pair<std::string, std::string>> wanted;
  SQLite::Statement query(into, "SELECT id, file FROM checkpoint");
  while (query.executeStep()) wanted.emplace_back(query.getColumn(0).getString(), query.getColumn(1).getString());
  std::int64_t done = 0;
  for (const auto& [id, file] : wanted) {
    RETURN_IF_ERROR(log.checkStop());
    log.progress(messages::salvageCopyingCheckpointsPhase(), done++, static_cast<std::int64_t>(wanted.size()), "files");
    const auto reader = openVerified(from, file);
    if (reader.ok()) {
      RETURN_IF_ERROR(copyCheckpoint(from, target, file));
      ++log.count(messages::salvagedCheckpointFiles().text());
      continue;
    }
    log.addLoss(messages::salvageLosesCheckpoint(id, reader.error().message));
    --log.count("checkpoint");
    execute(into, "DELETE FROM checkpoint WHERE id=?", id);
  }
  return {};
}

Result<void> copyUnknownCheckpoints(const fs::path& from, const fs::path& target, SQLite::Database& into,
                                    SalvageLog& log) {
  const bool areLosses = log.hasLosses();
  const auto files = queryTexts(into, "SELECT file FROM checkpoint");
  const std::set<std::string> known(files.begin(), files.end());
  std::map<std::string, std::vector<NamedCheckpoint>> byRun;
  for (const fs::path& file : entriesOf(from / "checkpoints")) {
    RETURN_IF_ERROR(log.checkStop());
    const std::string name = file.filename().native();
    if (file.extension() != kSuffix || known.contains("checkpoints/" + name)) continue;
    log.progress(messages::salvageCopyingCheckpointsPhase(), 0, 0, "files");
    auto named = readCheckpointRecord(file.stem().native(), from);
    if (!named.ok()) {
      reportUnlisted(areLosses, messages::salvageLosesUnlistedCheckpoint(name, named.error().message),
                     messages::salvageOmitsCheckpointFile(name, named.error().message), log);
      continue;
    }
    RETURN_IF_ERROR(copyCheckpoint(from, target, "checkpoints/" + name));
    std::error_code ignored;
    const bool hasJournal = fs::exists(journalFile(from, named->run), ignored) && !runNumber(into, named->run).ok();
    if (!hasJournal) byRun[named->run].push_back(std::move(*named));
  }
  for (auto& [run, checkpoints] : byRun) {
    std::sort(checkpoints.begin(), checkpoints.end(), [](const auto& a, const auto& b) {
      return std::pair(a.record.segment, a.record.at.step) < std::pair(b.record.segment, b.record.at.step);
    });
    insertCheckpoints(into, checkpoints, areLosses, log);
  }
  return {};
}

}  // namespace batchwise
