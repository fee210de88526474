// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trackers/run_importer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/trackers/run_source.h"
#include "core/trackers/table_runs.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kStepsKey = "import.step_columns";
constexpr const char* kStateName = "trainer_state.json";
constexpr const char* kWandbExtension = ".wandb";
constexpr int kDeepest = 32;
constexpr std::size_t kMostProblems = 100;
constexpr std::size_t kPointsPerWrite = 500'000;
constexpr std::size_t kRunsPerWrite = 200;

std::string columnsKey(const std::vector<std::string>& columns) {
  return joined(columns, "\n");
}

std::map<std::string, std::string> stepColumnsIn(const Workspace& workspace) {
  std::map<std::string, std::string> steps;
  const auto stored = workspace.setting(kStepsKey);
  if (!stored.ok() || !*stored) return steps;
  const nlohmann::json all = parseJsonOrDiscarded(**stored);
  if (!all.is_object()) return steps;
  for (const auto& [columns, step] : all.items())
    if (step.is_string()) steps[columns] = step.get<std::string>();
  return steps;
}

bool hasExtension(const fs::path& file, std::initializer_list<std::string_view> extensions) {
  const std::string extension = file.extension().native();
  return std::ranges::find(extensions, extension) != extensions.end();
}

bool isCheckpointFolder(const fs::path& folder) {
  constexpr std::string_view kPrefix = "checkpoint-";
  const std::string name = folder.filename().native();
  return name.starts_with(kPrefix) && numberFrom<std::int64_t>(std::string_view(name).substr(kPrefix.size()));
}

std::unique_ptr<RunSource> sourceOf(RunSourceKind kind, const fs::path& run, const fs::path& file,
                                    const std::string& step, std::int64_t storedMs) {
  if (kind == RunSourceKind::TensorBoard) return tensorBoardRun(file);
  if (kind == RunSourceKind::Python) return pythonRun(file, storedMs);
  if (kind == RunSourceKind::TrainerState) return trainerStateRun(file);
  if (kind == RunSourceKind::Wandb) return wandbRun(file);
  if (file.filename() == kMlflowMeta) return mlflowRun(run);
  const bool isInDatabase = kind == RunSourceKind::Mlflow || kind == RunSourceKind::Trackio;
  return isInDatabase ? databaseRun(kind, file, run.filename().native()) : tableRun(kind, file, step);
}

bool isDatabaseName(const fs::path& file) {
  return hasExtension(file, {".db", ".sqlite", ".sqlite3"});
}

void addProblem(ImportReport& report, std::string problem) {
  if (report.problems.size() < kMostProblems) report.problems.push_back(std::move(problem));
}

}  // namespace

bool hasTableName(const fs::path& file) {
  return hasExtension(file, {".csv", ".tsv", ".jsonl", ".ndjson"});
}

RunSourceKind tableKind(const fs::path& file) {
  if (hasExtension(file, {".jsonl", ".ndjson", ".json"})) return RunSourceKind::JsonLines;
  return file.filename() == "metrics.csv" ? RunSourceKind::Lightning : RunSourceKind::Csv;
}

bool looksLikeRuns(const fs::path& path, bool asksForSteps) {
  constexpr int kMostEntries = 200;
  constexpr std::size_t kFewBytes = 64 << 10;
  int opened = 10;  // of those inside a folder, whose names do not tell
  std::vector<fs::path> left{path};
  for (int i = 0; i < kMostEntries && opened > 0 && !left.empty(); ++i) {
    const fs::path entry = std::move(left.back());
    left.pop_back();
    std::error_code ignored;
    if (fs::is_directory(entry, ignored)) {
      if (entry != path && fs::is_symlink(entry, ignored)) continue;
      for (fs::path& inner : entriesOf(entry)) left.push_back(std::move(inner));
    } else if (!fs::is_regular_file(entry, ignored)) {
      continue;
    } else if (pythonRunName(entry) || (entry == path ? isEventFile(entry) || isTrainerState(entry)
                                                      : isEventFileName(entry) || entry.filename() == kStateName)) {
      return true;
    } else if (isDatabaseName(entry) || (entry == path && isDatabaseFile(entry))) {
      --opened;
      if (holdsRuns(entry)) return true;
    } else if (entry.extension() == kWandbExtension || entry.filename() == kMlflowMeta) {
      --opened;
      const bool isMlflow = entry.filename() == kMlflowMeta;
      if (!(isMlflow ? mlflowTitle(entry.parent_path()) : wandbTitle(entry, kFewBytes)).name.empty()) return true;
    } else if (hasTableName(entry)) {
      --opened;
      const LogColumns columns = logColumns(tableKind(entry), entry, entry == path ? kHeadBytes : kFewBytes);
      if (!columns.step.empty() || (asksForSteps && !columns.names.empty())) return true;
    }
  }
  return false;
}

Result<void> rememberStepColumn(Workspace& workspace, const std::vector<std::string>& columns,
                                const std::string& step) {
  if (std::ranges::find(columns, step) == columns.end())
    return Error::config(formatText("there is no column '{}'; the columns are {}", step, joined(columns)));
  auto steps = stepColumnsIn(workspace);
  steps[columnsKey(columns)] = step;
  return workspace.saveSetting(kStepsKey, jsonText(nlohmann::json(steps)));
}

RunImporter::RunImporter(Workspace& workspace, const fs::path& path, bool bringsBack)
    : workspace_(workspace),
      root_(absoluteFolder(path.has_filename() ? path : path.parent_path())),
      bringsBack_(bringsBack) {}

Result<ImportReport> RunImporter::update(const ImportProgress& progress, const std::stop_token& stop) {
  ImportReport report;
  std::erase_if(known_, [this](const auto& entry) {  // what comes there then is another run
    const Known& run = entry.second;
    std::error_code ignored;
    const bool wasRemoved = run.deleted && run.file.parent_path() == workspace_.folder() / kLoggedFolder;
    return wasRemoved || !fs::exists(run.file, ignored);
  });
  ASSIGN_OR_RETURN(auto found, find(report, stop));
  report.runs = std::ssize(found);
  std::vector<ExternalRun> runs;
  std::vector<Known*> known;
  const auto stopped = [&stop] { return stop.stop_requested(); };
  std::map<std::string, RunSummary> ended;  // runs of Python, by their paths
  if (known_.empty()) {
    ASSIGN_OR_RETURN(const auto stored, workspace_.listRuns(/*withArchived=*/true));
    for (const RunSummary& run : stored)
      if (run.source == choiceName(RunSourceKind::Python) && run.status != RunStatus::Running)
        ended[run.sourcePath] = run;
  }
  for (Found& one : found) {  // lists have the runs before their points are read
    Known& run = known_[one.key()];
    (one.title.name.empty() ? one.title : run.title) = one.title.name.empty() ? run.title : one.title;
    if (!run.source || run.file != one.file || run.step != one.step) {
      if (run.id.empty()) run.id = ended[one.path].id;
      run.source = sourceOf(one.kind, one.path, one.file, one.step, ended[one.path].endedMs);
      run.file = one.file;
      run.step = one.step;
    }
    run.newPoints = 0;
    if (!run.id.empty() || run.deleted) continue;
    ExternalRun empty = described(one);
    empty.status = RunStatus::Created;  // it is not read yet
    empty.writtenMs = fileState(one.file).changedMs;
    runs.push_back(std::move(empty));
    known.push_back(&run);
    if (runs.size() >= kRunsPerWrite) RETURN_IF_ERROR(store(runs, known, report));
    if (stopped()) return Error{ErrorCode::Stopped, "canceled", {}};
  }
  RETURN_IF_ERROR(store(runs, known, report));

  std::size_t points = 0;
  std::int64_t done = 0;
  for (const Found& one : found) {
    Known& run = known_[one.key()];
    for (bool more = !run.deleted; more;) {
      auto read = run.source->read();
      if (!read.ok()) {
        addProblem(report, read.error().text());
        if (const FileState now = fileState(one.file); now.changedMs > run.unreadMs && !run.id.empty()) {
          run.unreadMs = now.changedMs;  // it lives, though it cannot be read
          ExternalRun grown = described(one);
          grown.status = RunStatus::Created;
          grown.writtenMs = now.changedMs;
          runs.push_back(std::move(grown));
          known.push_back(&run);
        }
        break;
      }
      more = read->more;
      for (std::string& problem : read->problems) addProblem(report, std::move(problem));
      if (!read->hasNews) continue;
      for (const LoggedSeries& series : read->run.series) points += series.points.size();
      runs.push_back(described(one, std::move(read->run)));
      known.push_back(&run);
      if (points >= kPointsPerWrite || runs.size() >= kRunsPerWrite) {
        RETURN_IF_ERROR(store(runs, known, report));
        points = 0;
      }
      if (stopped()) return Error{ErrorCode::Stopped, "canceled", {}};
    }
    if (progress) progress(++done, report.runs);
  }
  RETURN_IF_ERROR(store(runs, known, report));
  for (const Found& one : found) {
    const Known& run = known_[one.key()];
    if (!run.id.empty()) report.ids.push_back(run.id);
    if (run.newPoints > 0) report.changed.push_back(run.id);
    report.points += run.newPoints;
  }
  return report;
}

/// Stores and clears `runs`. After an error everything is read again the next time, as sources have moved on.
Result<void> RunImporter::store(std::vector<ExternalRun>& runs, std::vector<Known*>& known, ImportReport& report) {
  if (runs.empty()) return {};
  const auto stored = workspace_.storeExternalRuns(runs);
  if (!stored.ok()) {
    for (auto& [path, run] : known_) run.source.reset();
    return stored.error();
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    known[i]->deleted = (*stored)[i].id.empty();  // by the user, who does not want it back
    known[i]->id = (*stored)[i].id;
    report.newRuns += (*stored)[i].isNew ? 1 : 0;
    known[i]->newPoints += (*stored)[i].points;
    if (!(*stored)[i].note.empty()) addProblem(report, formatText("'{}' {}", runs[i].path, (*stored)[i].note));
  }
  runs.clear();
  known.clear();
  return {};
}

Result<std::vector<RunImporter::Found>> RunImporter::find(ImportReport& report, const std::stop_token& stop) {
  std::error_code failure;
  const fs::file_status status = fs::status(root_, failure);
  if (status.type() == fs::file_type::not_found)
    return Error::notFound(formatText("there is no file or folder '{}'", root_.native()));
  if (auto steps = stepColumnsIn(workspace_); steps != steps_) {
    steps_ = std::move(steps);
    noRuns_.clear();
    for (auto& [key, run] : known_) run.step.clear();  // may be counted by another column now
  }
  std::vector<Found> found;
  if (status.type() == fs::file_type::directory)
    findInFolder(root_, 0, found, report, stop);
  else if (status.type() == fs::file_type::regular)
    addFile(root_, true, found, report);
  if (stop.stop_requested()) return Error{ErrorCode::Stopped, "canceled", {}};
  if (!found.empty() || !report.unknownSteps.empty()) return found;
  return Error::unsupported(formatText(
      "'{}' holds no run: event files of TensorBoard, trainer_state.json of transformers, metrics.csv of "
      "Lightning, run-*.wandb of W&B, folders and databases of MLflow, databases of Trackio, and CSV or JSON "
      "Lines with a column of steps can be read",
      root_.native()));
}

/// Adds the runs of a folder and those inside it, in the order of their names. Links to folders are not followed.
void RunImporter::findInFolder(const fs::path& folder, int depth, std::vector<Found>& found, ImportReport& report,
                               const std::stop_token& stop) {
  if (depth > kDeepest || found.size() >= kMostRuns || stop.stop_requested()) return;
  std::vector<fs::path> entries = entriesOf(folder), folders;
  std::ranges::sort(entries);
  std::error_code ignored;
  bool hasEvents = false, isMlflow = false;
  fs::path state;  // the newest trainer_state.json of the run, here or in its checkpoints
  FileState newest;
  const auto addState = [&](const fs::path& file) {
    const FileState its = fileState(file);
    if (its.bytes < 0 || its.changedMs < newest.changedMs) return;
    state = file;
    newest = its;
  };
  for (const fs::path& entry : entries) {
    const fs::file_status status = fs::symlink_status(entry, ignored);
    if (fs::is_directory(status)) {
      if (isCheckpointFolder(entry)) addState(entry / kStateName);
      folders.push_back(entry);
    } else if (fs::is_regular_file(status)) {
      if (isEventFileName(entry))
        hasEvents = true;
      else if (entry.filename() == kMlflowMeta)
        isMlflow = add({RunSourceKind::Mlflow, folder, entry}, mlflowTitle, found);
      else if (entry.filename() == kStateName)
        isCheckpointFolder(folder) ? void() : addState(entry);
      else if (hasTableName(entry) || isDatabaseName(entry) || entry.extension() == kWandbExtension)
        addFile(entry, false, found, report);
    }
  }
  if (hasEvents) found.push_back({RunSourceKind::TensorBoard, folder, folder});
  if (!state.empty()) found.push_back({RunSourceKind::TrainerState, folder, state});
  for (const fs::path& inner : folders)
    if (!isMlflow && !(hasEvents && isHparamsFolder(inner))) findInFolder(inner, depth + 1, found, report, stop);
}

/// Adds a run if it is known, or `titleOf` has a name for its path. Returns whether it is one.
bool RunImporter::add(Found run, RunTitle (*titleOf)(const fs::path&), std::vector<Found>& found) const {
  if (!known_.contains(run.key())) run.title = titleOf(run.path);
  if (!known_.contains(run.key()) && run.title.name.empty()) return false;
  found.push_back(std::move(run));
  return true;
}

/// `isGiven`: the user named this file, so that a table without known steps is asked about.
void RunImporter::addFile(const fs::path& file, bool isGiven, std::vector<Found>& found, ImportReport& report) {
  if (isDatabaseName(file) || (isGiven && isDatabaseFile(file))) return addDatabase(file, found, report);
  if (isGiven && isEventFile(file)) return found.push_back({RunSourceKind::TensorBoard, file, file});
  if (isGiven && isTrainerState(file)) return found.push_back({RunSourceKind::TrainerState, file.parent_path(), file});
  if (file.extension() == kWandbExtension) return (void)add({RunSourceKind::Wandb, file, file}, wandbTitle, found);
  fs::path inWorkspace = file.lexically_relative(workspace_.folder());  // stays where the workspace is moved
  if (inWorkspace.parent_path() != kLoggedFolder) inWorkspace = file;
  Found python{RunSourceKind::Python, std::move(inWorkspace), file};
  const std::optional<std::string> title = known_.contains(python.key()) ? std::string() : pythonRunName(file);
  if (title) {
    python.title.name = *title;
    return found.push_back(std::move(python));
  }
  Found table{tableKind(file), file, file};
  if (const auto known = known_.find(table.key()); known != known_.end() && !known->second.step.empty()) {
    table.step = known->second.step;
    return found.push_back(table);
  }
  const FileState now = fileState(file);
  if (const auto none = noRuns_.find(file); !isGiven && none != noRuns_.end() && none->second == now) return;
  const LogColumns columns = logColumns(table.kind, file);
  const auto chosen = steps_.find(columnsKey(columns.names));
  table.step = chosen != steps_.end() ? chosen->second : columns.step;
  if (!table.step.empty())
    found.push_back(table);
  else
    noRuns_[file] = now;
  if (table.step.empty() && isGiven && !columns.names.empty()) report.unknownSteps.push_back({file, columns.names});
}

void RunImporter::addDatabase(const fs::path& file, std::vector<Found>& found, ImportReport& report) {
  KnownDatabase& known = databases_[file];
  if (const std::int64_t state = databaseState(file); state == 0 || state != known.state) {
    auto runs = runsInDatabase(file);
    if (!runs.ok() && runs.error().code != ErrorCode::Unsupported) return addProblem(report, runs.error().text());
    known = {state, runs.ok() ? std::move(*runs) : DatabaseRuns()};
  }
  for (const auto& [id, title] : known.runs.runs) found.push_back({known.runs.kind, file / id, file, {}, title});
}

/// Completes what was read of a run by what was found.
ExternalRun RunImporter::described(const Found& one, ExternalRun run) const {
  run.id = known_.at(one.key()).id;
  run.source = choiceName(one.kind);
  run.path = one.path.native();
  run.name = nameOf(one);
  run.bringsBack = bringsBack_;
  run.tags = one.title.tags;
  return run;
}

/// Returns the name that the program gave a run, else its path below the root; a folder stands for its one log.
std::string RunImporter::nameOf(const Found& found) const {
  const auto usable = [&found](const std::string& text) {
    const std::string name = withoutControlCharacters(text, kMaxRunNameBytes);
    return checkRunName(name).ok() ? name : formatText("{} run", choiceName(found.kind));
  };
  if (!found.title.name.empty()) return usable(found.title.name);
  fs::path named = found.path;
  const std::string file = named.filename().native();
  if (file == "metrics.csv" || file == "metrics.jsonl" || file == "log.jsonl" || file == "progress.csv")
    named = named.parent_path();
  else if (found.kind != RunSourceKind::TensorBoard && named.has_extension() &&
           found.kind != RunSourceKind::TrainerState)
    named.replace_extension();
  std::string name = named.lexically_relative(root_).native();
  if (name.empty() || name == "." || name.starts_with("..")) name = named.filename().native();
  return usable(name);
}

}  // namespace batchwise
