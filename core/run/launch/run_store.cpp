// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/run_store.h"

#include <utility>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/schema.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/file_lock.h"
#include "core/store/journal/journal.h"
#include "core/store/process_identity.h"
#include "core/store/recording/run_writer.h"
#include "core/store/records.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

Error hasCheckpoint(const std::string& run) {
  return {ErrorCode::Busy, formatText("run {} has started and has a checkpoint; resume it", run), {}};
}

class DatabaseRunStore final : public RunStore {
 public:
  explicit DatabaseRunStore(std::shared_ptr<Workspace> workspace)
      : RunStore(workspace->folder(), workspace->notices()), workspace_(std::move(workspace)) {}

  std::shared_ptr<const Workspace> workspace() const override { return workspace_; }
  Result<RunHistory> history(const std::string& run) override {
    Result<RunDetail> detail = workspace_->findRun(run);
    std::vector<std::string> notes;
    std::error_code ignored;
    if (!detail.ok() || fs::exists(journalFile(folder(), detail->summary.id), ignored)) {
      ASSIGN_OR_RETURN(auto synced, syncJournals(*workspace_));
      notes = std::move(synced.notes);
      detail = workspace_->findRun(run);
    }
    if (!detail.ok()) return detail.error();
    if (isExternal(detail->summary))
      return Error::unsupported(
          formatText("run {} was recorded by another program and has no checkpoint to go on from; "
                     "train a new one with its settings",
                     detail->summary.name));
    ASSIGN_OR_RETURN(auto checkpoints, workspace_->checkpoints(detail->summary.id));
    return RunHistory{std::move(*detail), std::move(checkpoints), std::move(notes)};
  }
  Result<AddedRun> enter(const NewRun& run, const std::string& wantedId) override {
    if (!wantedId.empty()) return restartRun(run, wantedId);
    ASSIGN_OR_RETURN(const auto id, workspace_->createRun(run));
    ASSIGN_OR_RETURN(const auto detail, workspace_->findRun(id));
    return AddedRun{id, detail.summary.name};
  }
  Result<std::unique_ptr<RunRecorder>> begin(const std::string& run, const RunRecorder::SegmentStart& start) override {
    RunRecorder::SegmentStart own = start;
    if (restart_ && run == restartId_) own.restart = restart_;
    ASSIGN_OR_RETURN(auto writer, RunWriter::open(workspace_, run, own));
    return std::unique_ptr<RunRecorder>(std::move(writer));
  }
  fs::path storeFile(const std::string&) const override { return folder() / kDatabaseName; }
  std::optional<SeriesPoint> lossAfter(const std::string& run, std::int64_t batch) const override {
    const auto rows = workspace_->seriesAfter(run, "loss", batch);
    if (!rows.ok() || rows->empty()) return std::nullopt;
    return rows->front();
  }

 private:
  Result<AddedRun> restartRun(const NewRun& run, const std::string& id) {
    const Result<RunDetail> before = workspace_->findRun(id);
    if (!before.ok() && before.error().code == ErrorCode::NotFound)
      return Error::config("launch.journal",
                           "a run whose id was assigned elsewhere is recorded in a journal; use always");
    if (!before.ok()) return before.error();
    ASSIGN_OR_RETURN(const auto checkpoints, workspace_->checkpoints(id));
    if (!resumeOrder(before->segments, checkpoints).empty()) return hasCheckpoint(id);
    restartId_ = id;
    restart_ = run;
    return AddedRun{id, before->summary.name};
  }

  std::shared_ptr<Workspace> workspace_;
  std::string restartId_;  // id of an entered run that has segments but no checkpoint
  std::optional<NewRun> restart_;
};

// Returns the journal of run `id` if it has an intact line, else nothing.
Result<std::optional<JournalRun>> startedJournal(const fs::path& folder, const std::string& id) {
  const fs::path file = journalFile(folder, id);
  std::error_code ignored;
  if (id.empty() || !fs::exists(file, ignored)) return std::optional<JournalRun>();
  ASSIGN_OR_RETURN(auto reader, JournalReader::open(file));
  JournalLine first;
  ASSIGN_OR_RETURN(const bool hasLines, reader.next(first));
  if (!hasLines) return std::optional<JournalRun>();
  ASSIGN_OR_RETURN(auto journal, readJournalRun(file));
  return std::optional<JournalRun>(std::move(journal));
}

class JournalRunStore final : public RunStore {
 public:
  JournalRunStore(const fs::path& folder, const Clock& clock)
      : RunStore(folder, {"the run is recorded in a journal; import it with `batchwise runs sync` on the machine that "
                          "has the workspace's database open"}),
        clock_(clock) {}

  Result<RunHistory> history(const std::string& run) override {
    Result<fs::path> file = findJournal(folder(), run);
    std::error_code ignored;
    if (const fs::path origin = forkOriginFile(folder(), run); !file.ok() && fs::exists(origin, ignored)) file = origin;
    if (!file.ok())
      return file.error().within(
          formatText("with a journal (launch.journal) only runs that have one can be resumed; resume '{}' on the "
                     "machine that has the workspace's database open",
                     run));
    ASSIGN_OR_RETURN(auto journal, readJournalRun(*file));
    losses_ = std::move(journal.losses);
    return RunHistory{std::move(journal.run), std::move(journal.checkpoints), {}};  // the writer's notices tell
  }
  Result<AddedRun> enter(const NewRun& run, const std::string& wantedId) override {
    new_ = run;
    if (new_.name.empty()) new_.name = runNameFromDate(clock_.wallMs());
    newId_ = wantedId.empty() ? newRecordId() : wantedId;
    ASSIGN_OR_RETURN(const auto before, startedJournal(folder(), wantedId));
    if (!before) return AddedRun{newId_, new_.name};
    if (!before->checkpoints.empty()) return hasCheckpoint(wantedId);
    newId_.clear();
    restartId_ = wantedId;
    return AddedRun{restartId_, before->run.summary.name};
  }
  Result<std::unique_ptr<RunRecorder>> begin(const std::string& run, const RunRecorder::SegmentStart& start) override {
    const bool isNew = run == std::exchange(newId_, {});
    RunRecorder::SegmentStart own = start;
    if (run == std::exchange(restartId_, {})) own.restart = new_;
    ASSIGN_OR_RETURN(auto writer, isNew ? JournalWriter::create(folder(), run, new_, own, clock_)
                                        : JournalWriter::resume(folder(), run, own, clock_));
    return std::unique_ptr<RunRecorder>(std::move(writer));
  }
  fs::path storeFile(const std::string& run) const override { return journalFile(folder(), run); }
  std::optional<SeriesPoint> lossAfter(const std::string&, std::int64_t batch) const override {
    for (const SeriesPoint& point : losses_)
      if (point.batch > batch) return point;
    return std::nullopt;
  }

 private:
  const Clock& clock_;
  std::string newId_;      // id of an entered run without a segment
  std::string restartId_;  // id of an entered run that has segments but no checkpoint
  NewRun new_;
  std::vector<SeriesPoint> losses_;  // of the run last passed to history()
};

bool usesJournal(const fs::path& folder, JournalUse journal) {
  if (journal != JournalUse::Auto) return journal == JournalUse::Always;
  return networkFileSystemOf(folder).has_value() && otherMachineOf(folder, currentMachine()).has_value();
}

}  // namespace

Result<std::unique_ptr<RunStore>> RunStore::open(const fs::path& workspace, JournalUse journal, const Clock& clock) {
  if (workspace.empty()) return Error::config(kWorkspaceFolderUnknown);
  const fs::path folder = fs::absolute(workspace).lexically_normal();
  RETURN_IF_ERROR(checkWorkspaceFolder(folder));
  if (!usesJournal(folder, journal)) {
    ASSIGN_OR_RETURN(auto opened, Workspace::open(folder, Workspace::Mode::ReadWrite, clock));
    return std::unique_ptr<RunStore>(std::make_unique<DatabaseRunStore>(std::move(opened)));
  }
  for (const char* inner : {"checkpoints", "runs", kCacheFolder}) RETURN_IF_ERROR(makeFolders(folder / inner));
  return std::unique_ptr<RunStore>(std::make_unique<JournalRunStore>(folder, clock));
}

Result<LaunchRequest> startOrResume(LaunchRequest request) {
  if (request.workspace.empty()) return Error::config(kWorkspaceFolderUnknown);
  const fs::path folder = fs::absolute(request.workspace).lexically_normal();
  ASSIGN_OR_RETURN(const auto before, startedJournal(folder, request.runId));
  if (!before || before->checkpoints.empty()) return request;
  request.resumeRun = std::exchange(request.runId, {});
  if (!std::exchange(request.fork, false)) return request;
  request.resumeCheckpoint.clear();
  request.stretch = false;
  request.config.assigned.clear();  // it goes on as it is
  return request;
}

LaunchRequest requestOf(const QueueTurn& turn, const fs::path& workspace) {
  const RunDetail& run = *turn.run;
  LaunchRequest request;
  request.workspace = workspace;
  (turn.resumes ? request.resumeRun : request.runId) = run.summary.id;
  const auto origin = run.resolvedValues.find(resolved_names::kForkCheckpoint);
  const auto folder = run.resolvedValues.find(resolved_names::kBaseFolder);
  const bool isKnown = !turn.resumes && folder != run.resolvedValues.end();  // a resume takes that of the checkpoint
  request.config = parseConfig(run.configYaml, runContextText(run.summary.name), isKnown ? folder->second : "");
  if (turn.resumes) request.config.assigned.insert("launch.stop_at");  // see RunQueue::requeue()
  if (turn.resumes || origin == run.resolvedValues.end()) return request;
  request.fork = true;
  request.resumeRun = run.summary.parent;
  request.resumeCheckpoint = origin->second;
  for (const auto& [field, place] : request.config.locations)
    if (findField(field) != nullptr) request.config.assigned.insert(field);
  return request;
}

}  // namespace batchwise
