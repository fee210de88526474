// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/config/config_file.h"
#include "core/config/sweep.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/integrity.h"
#include "core/store/record_text.h"
#include "core/store/restore/restore.h"
#include "core/store/run_claim.h"
#include "core/store/run_rows.h"
#include "core/store/texts.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

/// A checkpoint file as its name and its content describe it.
struct FoundCheckpoint {
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

std::string factOf(const FoundCheckpoint& checkpoint, const char* name) {
  const auto found = checkpoint.facts.find(name);
  return found == checkpoint.facts.end() ? "" : found->second;
}

std::int64_t changedMs(const fs::path& file) {
  std::error_code ignored;
  const auto changed = std::chrono::file_clock::to_sys(fs::last_write_time(file, ignored)).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(changed).count();
}

/// Reads and verifies the file of a checkpoint.
Result<FoundCheckpoint> readFoundCheckpoint(const std::string& id, const fs::path& folder,
                                            const std::stop_token& stop) {
  const auto name = parseCheckpointName(id);
  if (!name || !isPlainId(id) || !isPlainId(name->run))
    return Error::corrupt("its name is not that of a checkpoint of a run");
  FoundCheckpoint found;
  found.run = name->run;
  CheckpointRecord& record = found.record;
  record.file = "checkpoints/" + id + ".sqlite";
  ASSIGN_OR_RETURN(const auto reader, CheckpointReader::openIn(folder, record.file));
  RETURN_IF_ERROR(reader.verify(stop));
  found.facts = reader.facts();
  const auto state = parseJsonOrDiscarded(factOf(found, "state"));
  if (!state.is_object() || !state.contains("clock")) return Error::corrupt("it does not record when it was taken");
  ASSIGN_OR_RETURN(record.at, timestampFromText(state["clock"].dump()));
  ASSIGN_OR_RETURN(record.finite, allFinite(reader));
  record.id = id;
  record.segment = name->segment;
  record.reason = "restored";
  record.pinned = hasPinMarker(folder, record.file);
  record.verified = true;
  if (const auto metric = state.find("metric"); metric != state.end() && metric->is_number())
    record.metric = metric->get<double>();
  ASSIGN_OR_RETURN(record.bytes, checkpointFileBytes(folder, record.file));
  record.createdMs = changedMs(folder / record.file);
  return found;
}

NewRun runOf(const FoundCheckpoint& newest) {
  NewRun run;
  run.configYaml = run.resolvedYaml = factOf(newest, "config");
  run.name = runName(parseConfig(run.configYaml, newest.record.id, {}).config);
  if (!checkRunName(run.name).ok()) run.name = "restored-" + newest.run;
  const auto resolved = parseJsonOrDiscarded(factOf(newest, "resolved"));
  if (resolved.is_object())
    for (const auto& [name, value] : resolved.items())
      if (value.is_string()) run.resolvedValues[name] = value.get<std::string>();
  return run;
}

void addRun(SQLite::Database& database, const FoundCheckpoint& newest) {
  insertRun(database, runOf(newest), newest.run, newest.record.createdMs);
  const std::int64_t number = *runNumber(database, newest.run);
  execute(database, "UPDATE run SET status='interrupted', reason=?2, at=?3 WHERE number=?1", number,
          std::string("its entry was lost; it was restored from its checkpoints"), timestampText(newest.record.at));
  storeChecksum(database, RunPart::Figures, number);
}

/// Adds a missing segment, which starts at its first checkpoint; segment 0 starts with the run.
void addSegment(SQLite::Database& database, std::int64_t run, const FoundCheckpoint& first) {
  if (hasRow(database, "SELECT 1 FROM segment WHERE run=? AND number=?", run, first.record.segment)) return;
  RunSegment segment;
  segment.number = first.record.segment;
  if (first.record.segment > 0) segment.from = first.record.at;
  segment.startedMs = first.record.createdMs;
  const std::string environment = factOf(first, "environment");
  segment.environment = parseJsonOrDiscarded(environment).is_object() ? environment : "{}";
  insertSegment(database, run, segment);
}

/// Adds the checkpoints of one run, oldest first.
Result<AdoptedRun> addCheckpoints(SQLite::Database& database, const std::vector<FoundCheckpoint>& found) {
  AdoptedRun adopted;
  adopted.id = found.front().run;
  adopted.isNew = !runNumber(database, adopted.id).ok();
  if (adopted.isNew) addRun(database, found.back());
  ASSIGN_OR_RETURN(const auto run, runNumber(database, adopted.id));
  adopted.name = queryText(database, "SELECT name FROM run WHERE number=?", run).value_or("");
  if (!adopted.isNew)
    if (const auto at = queryText(database, "SELECT at FROM run WHERE number=?", run)) {
      ASSIGN_OR_RETURN(const auto rows, timestampFromText(*at));
      adopted.rowsUntil = rows.batch;
    }
  for (const FoundCheckpoint& each : found) {
    if (hasRow(database, "SELECT 1 FROM checkpoint WHERE file=?", each.record.file)) continue;  // added meanwhile
    addSegment(database, run, each);
    insertCheckpoint(database, run, each.record);
    ++adopted.checkpoints;
    adopted.batch = std::max(adopted.batch, each.record.at.batch);
  }
  return adopted;
}

bool isBeingWritten(SQLite::Database& database, const Workspace::State& store, const std::string& run) {
  const auto number = runNumber(database, run);
  const auto claim = number.ok() ? claimOn(database, *number) : std::nullopt;
  return claim && !claim->isDeadAt(store.clock.wallMs(), store.folder);
}

/// Returns the ids of the files that are to be read.
Result<std::vector<std::string>> candidates(const Workspace& workspace) {
  const fs::path& folder = workspace.folder();
  return workspace.state().read([&](SQLite::Database& database) {
    const auto files = queryTexts(database, "SELECT file FROM checkpoint");
    const std::set<std::string> known(files.begin(), files.end());
    std::vector<std::string> ids;
    for (const fs::path& file : entriesOf(folder / "checkpoints")) {
      const std::string id = file.stem().native();
      if (file.extension() != ".sqlite" || known.contains("checkpoints/" + id + ".sqlite")) continue;
      const auto name = parseCheckpointName(id);
      const bool fromJournal = name && isPlainId(name->run) && fileIdOf(journalFile(folder, name->run)) &&
                               !runNumber(database, name->run).ok();
      if (!fromJournal && !(name && isBeingWritten(database, workspace.state(), name->run))) ids.push_back(id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
  });
}

}  // namespace

Result<Adoption> adoptCheckpoints(Workspace& workspace, const std::stop_token& stop) {
  Adoption adoption;
  ASSIGN_OR_RETURN(const auto ids, candidates(workspace));
  std::map<std::string, std::vector<FoundCheckpoint>> byRun;
  for (const std::string& id : ids) {
    auto found = readFoundCheckpoint(id, workspace.folder(), stop);
    if (stop.stop_requested()) return Error{ErrorCode::Stopped, kStoreWorkCanceled, {}};
    if (found.ok())
      byRun[found->run].push_back(std::move(*found));
    else
      adoption.leftOut.push_back(
          formatText("checkpoint file {}, which no entry names, is left out: {}", id, found.error().message));
  }
  if (byRun.empty()) return adoption;
  RETURN_IF_ERROR(workspace.state().write([&](SQLite::Database& database) -> Result<void> {
    for (auto& [run, found] : byRun) {
      std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return std::pair(a.record.segment, a.record.at.step) < std::pair(b.record.segment, b.record.at.step);
      });
      ASSIGN_OR_RETURN(auto adopted, addCheckpoints(database, found));
      adoption.runs.push_back(std::move(adopted));
    }
    return {};
  }));
  return adoption;
}

}  // namespace batchwise
