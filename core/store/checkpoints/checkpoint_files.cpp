// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/checkpoints/checkpoint_files.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/config/default_values.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/integrity.h"
#include "core/store/records.h"
#include "core/store/run_claim.h"
#include "core/store/workspace_folder.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kCheckpointStagingMark = ".batchwise-checkpoints-";
constexpr std::string_view kCheckpointEnding = ".sqlite";

std::string checkpointFileNamed(const std::string& name) {
  return "checkpoints/" + name;
}

/// A checkpoint file that no row names.
struct UnlistedCheckpoint {
  std::string file;
  std::optional<CheckpointName> name;
  bool passed = false;  ///< its run has a checkpoint in a row that is as far
};

/// Returns those of a workspace, sorted. Throws what SQLite throws, also if rows are missing.
std::vector<UnlistedCheckpoint> unlistedCheckpoints(SQLite::Database& database, const fs::path& folder) {
  const auto entries = entriesOf(folder / "checkpoints");  // before the rows: what comes meanwhile is not listed here
  checkPartOfAll(database, RunPart::Checkpoints);
  const auto files = queryTexts(database, "SELECT file FROM checkpoint");
  const std::set<std::string> listed(files.begin(), files.end());
  std::map<std::string, std::int64_t> farthest;  // step, of each run
  for (const std::string& file : files)
    if (const auto name = parseCheckpointName(fs::path(file).stem().native()); name && fileIdOf(folder / file))
      farthest[name->run] = std::max(farthest[name->run], name->step);
  std::vector<UnlistedCheckpoint> unlisted;
  for (const fs::path& entry : entries) {
    std::string file = checkpointFileNamed(entry.filename().native());
    if (entry.extension() != kCheckpointEnding || listed.contains(file)) continue;
    UnlistedCheckpoint found{std::move(file), parseCheckpointName(entry.stem().native())};
    const auto last = found.name ? farthest.find(found.name->run) : farthest.end();
    found.passed = last != farthest.end() && found.name->step <= last->second;
    unlisted.push_back(std::move(found));
  }
  std::sort(unlisted.begin(), unlisted.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  return unlisted;
}

/// Returns what removes the file; nullopt if its run is being written and may be about to insert its row.
std::optional<std::string> remedyFor(SQLite::Database& database, const Workspace::State& store,
                                     const UnlistedCheckpoint& unlisted) {
  constexpr const char* kOfNoRun =
      "it belongs to no run: `batchwise store restore` makes one of it if it can; otherwise delete the file";
  if (!unlisted.name) return kOfNoRun;
  const std::string& run = unlisted.name->run;
  if (fileIdOf(journalFile(store.folder, run)))
    return formatText(
        "`batchwise runs sync` enters it if the journal of run {} names it; otherwise deleting the run removes it",
        run);
  const auto number = runNumber(database, run);
  if (!number.ok()) return kOfNoRun;
  const auto claim = claimOn(database, *number);
  if (claim && !claim->isDeadAt(store.clock.wallMs(), store.folder)) return std::nullopt;
  const bool goesWithResume = unlisted.passed && unlisted.name->segment < nextSegment(database, *number) &&
                              !hasPinMarker(store.folder, unlisted.file);
  return goesWithResume ? formatText("resuming or deleting run {} removes it", run)
                        : formatText("`batchwise store restore` enters it, deleting run {} removes it", run);
}

/// Deletes the files of `checkpoints/` that are files of the staging folder `staging` and have no row.
Result<void> removePlacedFiles(SQLite::Database& database, const fs::path& folder, const fs::path& staging) {
  checkPartOfAll(database, RunPart::Checkpoints);
  std::vector<std::string> files;
  for (const fs::path& staged : entriesOf(staging)) {
    const std::string file = checkpointFileNamed(staged.filename().native());
    if (staged.extension() != kCheckpointEnding || fileIdOf(staged) != fileIdOf(folder / file)) continue;
    if (!hasRow(database, "SELECT 1 FROM checkpoint WHERE file=?", file)) files.push_back(file);
  }
  return files.empty() ? Result<void>{} : removeFiles(folder, files);
}

/// Returns the clocks of the state in a checkpoint; nothing if it has none.
std::optional<Timestamp> clocksOf(const CheckpointReader& reader) {
  const auto state = reader.facts().find("state");
  if (state == reader.facts().end()) return std::nullopt;
  const nlohmann::json parsed = parseJsonOrDiscarded(state->second);
  if (!parsed.is_object() || !parsed.contains("clock")) return std::nullopt;
  const auto clocks = timestampFromText(parsed.at("clock").dump());
  return clocks.ok() ? std::optional(*clocks) : std::nullopt;
}

/// Returns what is wrong with the content of a checkpoint file; empty if nothing.
Result<std::string> contentProblem(const fs::path& folder, const CheckpointRecord& record,
                                   const std::stop_token& stop) {
  const auto reader = CheckpointReader::openIn(folder, record.file);
  if (!reader.ok()) return reader.error().message;
  if (const Result<void> verified = reader->verify(stop); !verified.ok())
    return verified.error().code == ErrorCode::Stopped ? Result<std::string>(verified.error())
                                                       : verified.error().message;
  const auto clocks = clocksOf(*reader);
  const bool same = !clocks || (clocks->batch == record.at.batch && clocks->step == record.at.step &&
                                clocks->sample == record.at.sample && clocks->token == record.at.token);
  if (same) return std::string();
  return formatText("{} holds the state at step {}, but step {} was written: it is another checkpoint",
                    formatText("checkpoint {} ('{}')", record.id, record.file), formatInteger(clocks->step),
                    formatInteger(record.at.step));
}

bool hasRecordedSize(const fs::path& folder, const CheckpointRecord& record) {
  const auto bytes = checkpointFileBytes(folder, record.file);
  return bytes.ok() && *bytes == record.bytes;
}

/// Sum over the regular files below `folder`; links are not followed.
std::int64_t bytesBelow(const std::filesystem::path& folder) {
  std::int64_t bytes = 0;
  std::error_code failure;
  for (const std::filesystem::path& entry : entriesOf(folder)) {
    const auto kind = std::filesystem::symlink_status(entry, failure).type();
    if (kind == std::filesystem::file_type::directory) bytes += bytesBelow(entry);
    if (kind != std::filesystem::file_type::regular) continue;
    const auto size = std::filesystem::file_size(entry, failure);
    if (!failure) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

std::int64_t databaseBytes(const std::filesystem::path& folder) {
  std::int64_t bytes = 0;
  for (const char* ending : {"", "-wal", "-shm"}) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(folder / (std::string(kDatabaseName) + ending), missing);
    if (!missing) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

}  // namespace

std::optional<CheckpointName> parseCheckpointName(std::string_view id) {
  constexpr std::int64_t kMostSegments = 100'000;
  const std::size_t step = id.rfind('-');
  const std::size_t segment = step == std::string::npos || step == 0 ? std::string::npos : id.rfind('-', step - 1);
  if (segment == std::string::npos) return std::nullopt;
  const auto segmentNumber = numberFrom<std::int64_t>(id.substr(segment + 1, step - segment - 1));
  const auto stepNumber = numberFrom<std::int64_t>(id.substr(step + 1));
  if (!segmentNumber || !stepNumber || *segmentNumber < 0 || *segmentNumber >= kMostSegments || *stepNumber < 0)
    return std::nullopt;
  return CheckpointName{std::string{id.substr(0, segment)}, *segmentNumber, *stepNumber};
}

std::vector<std::string> checkpointFilesNamedFor(SQLite::Database& database, const fs::path& folder,
                                                 const std::string& run) try {
  checkPartOfAll(database, RunPart::Checkpoints);
  const std::int64_t number = queryInteger(database, "SELECT number FROM run WHERE id=?", run).value_or(0);
  const auto others = queryTexts(database, "SELECT file FROM checkpoint WHERE run<>?", number);
  const std::set<std::string> taken(others.begin(), others.end());
  std::vector<std::string> files;
  for (const fs::path& entry : entriesOf(folder / "checkpoints")) {
    const std::string name = entry.filename().native();
    const std::size_t end = name.find(kCheckpointEnding);
    if (end == std::string::npos) continue;
    const std::size_t length = end + kCheckpointEnding.size();
    const std::string_view rest = std::string_view(name).substr(length);
    const auto named = parseCheckpointName(std::string_view(name).substr(0, end));
    if (named && named->run == run && (rest.empty() || rest == ".pin" || rest == ".partial") &&
        !taken.contains(checkpointFileNamed(name.substr(0, length))))
      files.push_back(checkpointFileNamed(name));
  }
  return files;
} catch (const SQLite::Exception&) {
  return {};  // damaged rows: whose the files are cannot be known
}

void removeUnlistedCheckpoints(SQLite::Database& database, const fs::path& folder, const std::string& run,
                               std::int64_t segment) try {
  if (segment == 0 || fileIdOf(journalFile(folder, run))) return;
  std::vector<std::string> files;
  for (const UnlistedCheckpoint& unlisted : unlistedCheckpoints(database, folder))
    if (unlisted.passed && unlisted.name->run == run && unlisted.name->segment < segment &&
        !hasPinMarker(folder, unlisted.file))
      files.push_back(unlisted.file);
  if (!files.empty()) (void)removeFiles(folder, files);
} catch (const SQLite::Exception&) {
  return;  // damaged rows: which files have none cannot be known
}

Result<std::vector<std::string>> unlistedCheckpointNotes(const Workspace& workspace) {
  const Workspace::State& store = workspace.state();
  return workspace.state().read([&](SQLite::Database& database) {
    std::vector<std::string> notes;
    for (const UnlistedCheckpoint& unlisted : unlistedCheckpoints(database, store.folder))
      if (const auto remedy = remedyFor(database, store, unlisted))
        notes.push_back(formatText("no entry names '{}'; {}", unlisted.file, *remedy));
    return notes;
  });
}

Result<std::vector<std::string>> checkCheckpointContents(const Workspace& workspace,
                                                         const std::function<void(double done, double total)>& progress,
                                                         const std::stop_token& stop) {
  std::vector<CheckpointRecord> records;
  ASSIGN_OR_RETURN(const auto runs, workspace.listRuns(/*withArchived=*/true));
  for (const RunSummary& run : runs) {
    ASSIGN_OR_RETURN(const auto ofRun, workspace.checkpoints(run.id));
    for (const CheckpointRecord& record : ofRun)
      if (hasRecordedSize(workspace.folder(), record)) records.push_back(record);
  }
  double total = 0, done = 0;
  for (const CheckpointRecord& record : records) total += static_cast<double>(record.bytes);
  std::vector<std::string> problems;
  for (const CheckpointRecord& record : records) {
    progress(done, total);
    ASSIGN_OR_RETURN(auto problem, contentProblem(workspace.folder(), record, stop));
    // A run that trains may have removed it meanwhile.
    if (!problem.empty() && workspace.findCheckpoint(record.id).ok()) problems.push_back(std::move(problem));
    done += static_cast<double>(record.bytes);
  }
  return problems;
}

Result<StagedFolder> stageCheckpoints(Workspace& workspace) {
  removeStagedCheckpoints(workspace);
  return StagedFolder::make(workspace.checkpointFolder(), kCheckpointStagingMark);
}

Result<void> placeStagedCheckpoint(const fs::path& staged, const fs::path& folder, const std::string& file) {
  const fs::path target = folder / file;
  std::error_code failure;
  fs::create_hard_link(staged, target, failure);
  if (failure && failure != std::errc::file_exists) fs::rename(staged, target, failure);  // no links on FAT
  if (failure) return Error::fromErrno(failure.value(), "cannot write '{}'", target.native());
  return syncFolder(target.parent_path());
}

void removeStagedCheckpoints(Workspace& workspace) {
  bool some = false;
  for (const fs::path& entry : entriesOf(workspace.checkpointFolder())) {
    if (!entry.filename().native().starts_with(kCheckpointStagingMark)) continue;
    const FileDescriptor opened{::open(entry.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
    if (!opened.valid() || ::flock(opened.get(), LOCK_EX | LOCK_NB) != 0) continue;  // its process lives
    const auto removed = workspace.state().read(
        [&](SQLite::Database& database) { return removePlacedFiles(database, workspace.folder(), entry); });
    some = some || removed.ok();
  }
  if (some) removeStagedFolders(workspace.checkpointFolder(), kCheckpointStagingMark);
}

Result<DiskUse> diskUse(const Workspace& workspace) {
  DiskUse use;
  ASSIGN_OR_RETURN(auto runs, workspace.listRuns(/*withArchived=*/true));
  for (RunSummary& run : runs) {
    ASSIGN_OR_RETURN(const auto records, workspace.checkpoints(run.id));
    std::int64_t bytes = 0;
    for (const CheckpointRecord& record : records) bytes += record.bytes;
    use.checkpoints += bytes;
    if (run.archived) use.archived += bytes;
    use.runs.push_back({std::move(run), bytes});
  }
  std::ranges::stable_sort(use.runs, std::greater(), &RunDiskUse::bytes);
  use.database = databaseBytes(workspace.folder());
  use.cache = bytesBelow(workspace.cacheFolder());
  const std::int64_t all = bytesBelow(workspace.folder());
  use.other = std::max<std::int64_t>(0, all - use.checkpoints - use.database - use.cache);
  return use;
}

Result<std::vector<CheckpointRecord>> checkpointsBesidesBest(const Workspace& workspace, const std::string& run) {
  ASSIGN_OR_RETURN(const auto detail, workspace.findRun(run));
  if (detail.summary.status == RunStatus::Running) return std::vector<CheckpointRecord>{};
  ASSIGN_OR_RETURN(auto records, workspace.checkpoints(detail.summary.id));
  const EvalMetric metric = parseConfig(detail.resolvedYaml, detail.summary.name, {}).config.checkpoint.bestMetric;
  const CheckpointRecord* found = bestCheckpoint(records, metric != EvalMetric::Accuracy);
  std::string best = found == nullptr ? std::string() : found->id;
  if (best.empty())
    if (const auto order = resumeOrder(detail.segments, records); !order.empty()) best = order.front().id;
  if (best.empty()) return std::vector<CheckpointRecord>{};  // nothing says which one is worth keeping
  std::erase_if(records, [&best](const CheckpointRecord& record) { return record.pinned || record.id == best; });
  return records;
}

}  // namespace batchwise
