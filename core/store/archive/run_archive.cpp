// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/archive/run_archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "core/base/folder.h"
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/store/archive/run_copy.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/integrity.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/records.h"
#include "core/store/schema.h"
#include "core/store/workspace_folder.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::int32_t kArchiveApplicationId = 0x42744172;  // "BtAr"
constexpr const char* kDataTable =
    "CREATE TABLE checkpoint_data(checkpoint INTEGER NOT NULL REFERENCES checkpoint ON DELETE CASCADE, "
    "part INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(checkpoint, part)) STRICT";
constexpr std::size_t kPartBytes = 4 << 20;
/// Key of the checksum of everything else in `setting`.
constexpr const char* kChecksumKey = "archive.crc";
constexpr const char* kArchiveMark = ".batchwise-archive-";

/// Counts progress and notices a stop.
class Progress {
 public:
  Progress(const ArchiveProgress& report, std::stop_token stop) : report_(report), stop_(std::move(stop)) {}
  void expect(std::int64_t total) { total_ = total; }
  Result<void> add(std::int64_t bytes) {
    done_ = std::min(done_ + bytes, total_);
    return told();
  }
  Result<void> finish() {
    done_ = total_;
    return told();
  }
  const std::stop_token& stop() const { return stop_; }

 private:
  Result<void> told() {
    if (stop_.stop_requested()) return Error{ErrorCode::Stopped, "canceled", {}};
    if (report_) report_(done_, total_);
    if (stop_.stop_requested()) return Error{ErrorCode::Stopped, "canceled", {}};
    return {};
  }

  const ArchiveProgress& report_;
  const std::stop_token stop_;
  std::int64_t done_ = 0, total_ = 0;
};

/// Returns the checksum of all rows of all tables but `setting`. Throws what SQLite throws.
std::int64_t contentChecksum(SQLite::Database& archive) {
  std::int64_t crc = 0;
  for (const std::string& table :
       queryTexts(archive, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'setting' ORDER BY name")) {
    SQLite::Statement rows(archive, "SELECT * FROM " + table);
    while (rows.executeStep()) crc = checksumOfColumns(rows, 0, rows.getColumnCount(), crc);
  }
  return crc;
}

Error damagedArchive(const fs::path& file, const std::string& what) {
  return Error::corrupt(formatText("archive '{}' is damaged: {}; copy or export it again", file.native(), what));
}

Result<std::shared_ptr<Workspace>> openArchive(const fs::path& file) {
  ASSIGN_OR_RETURN(const auto header, readDatabaseHeader(file));
  if (!header.isDatabase || header.applicationId != kArchiveApplicationId)
    return Error::corrupt(formatText(
        "'{}' is not an archive of a run; choose a file that was exported as one (export --archive)", file.native()));
  if (const auto newest = newestVersion(workspaceMigrations()); header.userVersion > newest)
    return Error::unsupported(
        formatText("archive '{}' has format {}, this program knows up to {}; use a newer Batchwise", file.native(),
                   header.userVersion, newest));
  return Workspace::openImmutable(file, kDataTable);
}

/// Fails with Corrupt unless all of an archive is as it was written.
Result<void> checkArchive(const Workspace& archive, const fs::path& file, const std::stop_token& stop) {
  std::vector<std::string> problems;
  const auto checked = archive.state().read([&](SQLite::Database& database) {
    const WorkLimit limit(database, vmStepLimit(file), stop);
    checkStructure(database, problems);
    checkMetrics(database, problems);
    if (queryText(database, "SELECT value FROM setting WHERE key=?", kChecksumKey) !=
        std::to_string(contentChecksum(database)))
      problems.emplace_back("its checksum differs");
  });
  if (stop.stop_requested()) return Error{ErrorCode::Stopped, "canceled", {}};
  if (!checked.ok() && checked.error().code == ErrorCode::Corrupt) return damagedArchive(file, checked.error().message);
  if (!checked.ok()) return checked;
  return problems.empty() ? Result<void>() : damagedArchive(file, problems.front());
}

/// Reads all of a run but its metrics.
Result<RunContent> readContent(const Workspace& workspace, const std::string& run) {
  RunContent content;
  ASSIGN_OR_RETURN(content.detail, workspace.findRun(run));
  const std::string& id = content.detail.summary.id;
  ASSIGN_OR_RETURN(content.checkpoints, workspace.checkpoints(id));
  ASSIGN_OR_RETURN(content.events, workspace.events(id));
  ASSIGN_OR_RETURN(content.scores, workspace.scores({.run = id}));
  for (Score& score : content.scores) {
    ASSIGN_OR_RETURN(score.predictions, workspace.predictions(score));
  }
  return content;
}

Result<std::int64_t> dataBytes(const Workspace& archive, const std::string& checkpoint) {
  return archive.state().read([&](SQLite::Database& database) {
    return queryInteger(database,
                        "SELECT sum(length(data)) FROM checkpoint_data JOIN checkpoint ON number = checkpoint "
                        "WHERE id=?",
                        checkpoint)
        .value_or(0);
  });
}

/// Reads the run of an archive, and checks what no reader of the store minds, but what names a file or is looked for
/// later.
Result<RunContent> checkedContent(const Workspace& archive) {
  ASSIGN_OR_RETURN(const auto runs, archive.listRuns(/*withArchived=*/true));
  if (runs.size() != 1) return Error::corrupt("it does not hold one run");
  ASSIGN_OR_RETURN(auto content, readContent(archive, runs.front().id));
  const RunDetail& run = content.detail;
  if (!isPlainId(run.summary.id)) return Error::corrupt("the id of its run is none");
  RETURN_IF_ERROR(checkRunName(run.summary.name));
  const auto segments = std::ssize(run.segments);
  for (std::int64_t i = 0; i < segments; ++i)
    if (run.segments[static_cast<std::size_t>(i)].number != i) return Error::corrupt("a segment is missing");
  const auto isMissing = [segments](std::int64_t segment) { return segment < 0 || segment >= segments; };
  for (const StoredEvent& event : content.events) {
    const auto at = timestampOf(event.event);
    if (isMissing(event.segment) || std::holds_alternative<MetricsRow>(event.event) || !at)
      return Error::corrupt("it has an event that does not belong there");
    RETURN_IF_ERROR(checkClocks(*at));
  }
  for (const CheckpointRecord& record : content.checkpoints) {
    if (isMissing(record.segment)) return Error::corrupt("a checkpoint belongs to a segment that does not exist");
    ASSIGN_OR_RETURN(const std::int64_t bytes, dataBytes(archive, record.id));
    if (bytes != record.bytes)
      return Error::corrupt(formatText("the data of checkpoint {} is missing in part", record.id));
  }
  return content;
}

/// Reads the run of an archive. Fails with Corrupt unless all of it is as it was written and can be imported.
Result<RunContent> readAndCheck(const Workspace& archive, const fs::path& file, const std::stop_token& stop) {
  RETURN_IF_ERROR(checkArchive(archive, file, stop));
  auto content = checkedContent(archive);
  if (content.ok() || content.error().code == ErrorCode::Io) return content;
  return damagedArchive(file, content.error().message);
}

Result<std::vector<CheckpointRecord>> chosenCheckpoints(const RunContent& run, const CheckpointSelection& choice) {
  using Kind = CheckpointSelection::Kind;
  if (choice.kind == Kind::None) return std::vector<CheckpointRecord>{};
  if (choice.kind == Kind::All) return run.checkpoints;
  if (choice.kind == Kind::Latest) {
    const auto order = resumeOrder(run.detail.segments, run.checkpoints);
    if (order.empty()) return std::vector<CheckpointRecord>{};
    return std::vector{order.front()};
  }
  std::vector<CheckpointRecord> chosen;
  for (const std::string& id : choice.ids) {
    const auto found = std::find_if(run.checkpoints.begin(), run.checkpoints.end(),
                                    [&](const CheckpointRecord& record) { return record.id == id; });
    if (found == run.checkpoints.end())
      return Error::notFound(formatText("run {} has no checkpoint '{}'", run.detail.summary.name, id));
    chosen.push_back(*found);
  }
  return chosen;
}

/// Calls `take` with the pieces of a file.
Result<void> forEachPart(const fs::path& path, const FileSink& take) {
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (!file.valid()) return Error::fromErrno(errno, "cannot open '{}'", path.native());
  return forEachPiece(file, 0, path, take, kPartBytes);
}

class Exporter {
 public:
  Exporter(const Workspace& workspace, RunContent content, Progress& progress)
      : workspace_(workspace), content_(std::move(content)), progress_(progress) {}

  /// Fills the new file `file`, and checks it.
  Result<void> write(const fs::path& file) {
    std::int64_t total = 1;
    for (const CheckpointRecord& record : content_.checkpoints) total += record.bytes;
    progress_.expect(total);
    std::unique_ptr<SQLite::Database> archive;
    const auto filled = catchDatabaseErrors(archive, file, [&]() -> Result<void> {
      archive = openDatabase(file, DatabaseUse::CreateFile);
      archive->exec("PRAGMA page_size = 16384; PRAGMA application_id = " + std::to_string(kArchiveApplicationId));
      createTables(*archive, workspaceMigrations());
      archive->exec(kDataTable);
      WriteTransaction transaction(*archive);
      RETURN_IF_ERROR(fill(*archive, file));
      putSetting(*archive, kChecksumKey, std::to_string(contentChecksum(*archive)));
      transaction.commit();
      return {};
    });
    archive.reset();
    RETURN_IF_ERROR(filled);
    ASSIGN_OR_RETURN(const auto written, openArchive(file));
    RETURN_IF_ERROR(readAndCheck(*written, file, progress_.stop()));
    return progress_.finish();
  }

 private:
  Result<void> fill(SQLite::Database& archive, const fs::path& file) {
    const Workspace::State& source = workspace_.state();
    const auto segments = std::ssize(content_.detail.segments);
    std::erase_if(content_.events, [&](const StoredEvent& event) { return event.segment >= segments; });
    const auto copied = workspace_.state().read([&](SQLite::Database& database) -> Result<void> {
      ASSIGN_OR_RETURN(const auto number, runNumber(database, content_.detail.summary.id));
      return copyRun({database, source.file}, number, content_, {archive, file},
                     [this](std::int64_t) { return progress_.add(0); });
    });
    RETURN_IF_ERROR(copied);
    for (const CheckpointRecord& record : content_.checkpoints)
      if (auto done = addCheckpoint(archive, record); !done.ok())
        return done.error().within(checkpointContextText(record.id));
    return {};
  }

  Result<void> addCheckpoint(SQLite::Database& archive, const CheckpointRecord& record) {
    ASSIGN_OR_RETURN(const auto path, findCheckpointFile(workspace_.folder(), record.file));
    ASSIGN_OR_RETURN(const auto reader, CheckpointReader::open(path));
    RETURN_IF_ERROR(reader.verify(progress_.stop()));
    const auto number = queryInteger(archive, "SELECT number FROM checkpoint WHERE id=?", record.id);
    std::int64_t part = 0, bytes = 0;
    SQLite::Statement insert(archive, "INSERT INTO checkpoint_data(checkpoint, part, data) VALUES(?,?,?)");
    const auto take = [&](std::span<const std::byte> data) {
      execute(insert, number, part++, data);
      bytes += std::ssize(data);
      return progress_.add(std::ssize(data));
    };
    RETURN_IF_ERROR(forEachPart(path, take));
    if (bytes == record.bytes) return {};
    return Error::corrupt(formatText("'{}' has {} bytes, its entry says {}", path.native(), bytes, record.bytes));
  }

  const Workspace& workspace_;
  RunContent content_;
  Progress& progress_;
};

/// Placed checkpoint files that are deleted again unless the import succeeds.
class UncommittedFiles {
 public:
  explicit UncommittedFiles(fs::path folder) : folder_(std::move(folder)) {}
  UncommittedFiles(const UncommittedFiles&) = delete;
  UncommittedFiles& operator=(const UncommittedFiles&) = delete;
  ~UncommittedFiles() {
    std::error_code ignored;
    for (const std::string& file : files_) fs::remove(folder_ / file, ignored);
  }
  void add(std::string file) { files_.push_back(std::move(file)); }
  void keep() { files_.clear(); }

 private:
  fs::path folder_;
  std::vector<std::string> files_;
};

class Importer {
 public:
  Importer(Workspace& workspace, const Workspace& archive, fs::path file, Progress& progress)
      : workspace_(workspace),
        archive_(archive),
        file_(std::move(file)),
        progress_(progress),
        placed_(workspace.folder()) {}

  /// Checks all of the archive without writing anything.
  Result<void> check() {
    std::error_code failure;
    bytes_ = static_cast<std::int64_t>(fs::file_size(file_, failure));
    if (failure) return Error::fromErrno(failure.value(), "cannot read '{}'", file_.native());
    progress_.expect(2 * bytes_);
    RETURN_IF_ERROR(progress_.add(0));
    ASSIGN_OR_RETURN(content_, readAndCheck(archive_, file_, progress_.stop()));
    RETURN_IF_ERROR(checkFreeSpace());
    return progress_.add(bytes_);
  }

  Result<ArchiveSummary> importRun(const std::string& name) {
    RunSummary& summary = content_.detail.summary;
    const std::string idThere = summary.id;
    if (!name.empty()) summary.name = name;
    summary.archived = false;  // whoever imports a run looks for it in the list
    if (summary.status == RunStatus::Running || summary.status == RunStatus::Created ||
        summary.status == RunStatus::Queued) {
      summary.reason = formatText("was {} when it was archived", choiceName(summary.status));
      summary.status = RunStatus::Interrupted;
    }
    RETURN_IF_ERROR(stageCheckpointFiles());
    renameCheckpoints();
    const auto imported = archive_.state().read([&](SQLite::Database& from) -> Result<void> {
      ASSIGN_OR_RETURN(const auto number, runNumber(from, idThere));
      return workspace_.state().write([&, number = number](SQLite::Database& into) {
        return enter({from, file_}, number, into);
      });
    });
    RETURN_IF_ERROR(imported);
    placed_.keep();
    return ArchiveSummary{summary.id, summary.name, std::ssize(content_.checkpoints), bytes_};
  }

 private:
  Result<void> checkFreeSpace() const {
    std::int64_t checkpoints = 0;
    for (const CheckpointRecord& record : content_.checkpoints) checkpoints += record.bytes;
    ASSIGN_OR_RETURN(const auto room, freeBytes(workspace_.folder()));
    const std::int64_t needed = checkpoints + 2 * (bytes_ - checkpoints);  // metrics are in the log for a while too
    if (room >= needed) return {};
    return Error{ErrorCode::DiskFull,
                 formatText("the archive needs {}, '{}' has {} free; free some space first", formatBytes(needed),
                            workspace_.folder().native(), formatBytes(room)),
                 {}};
  }

  /// Writes and verifies the checkpoint files. Names and ids are ours; none comes from the archive.
  Result<void> stageCheckpointFiles() {
    for (CheckpointRecord& record : content_.checkpoints) {
      const std::string idThere = std::exchange(record.id, newRecordId());
      newIds_[idThere] = record.id;
      const std::string fileThere = std::exchange(record.file, "checkpoints/" + record.id + ".sqlite");
      for (Score& score : content_.scores)
        if (score.model == fileThere) score.model = record.file;
      record.verified = true;
      if (!staging_) {
        ASSIGN_OR_RETURN(auto made, stageCheckpoints(workspace_));
        staging_.emplace(std::move(made));
      }
      ASSIGN_OR_RETURN(auto target, CheckpointImporter::create(stagedFile(record)));
      RETURN_IF_ERROR(copyData(idThere, target));
      RETURN_IF_ERROR(target.finish());
    }
    return {};
  }

  Result<void> copyData(const std::string& checkpoint, CheckpointImporter& target) {
    return archive_.state().read([&](SQLite::Database& database) -> Result<void> {
      SQLite::Statement parts = prepare(
          database, "SELECT data FROM checkpoint_data JOIN checkpoint ON number = checkpoint WHERE id=? ORDER BY part",
          checkpoint);
      while (parts.executeStep()) {
        const auto data = blobOf(parts.getColumn(0));
        RETURN_IF_ERROR(target.add(data));
        RETURN_IF_ERROR(progress_.add(std::ssize(data)));
      }
      return {};
    });
  }

  fs::path stagedFile(const CheckpointRecord& record) const { return staging_->path() / (record.id + ".sqlite"); }

  void renameCheckpoints() {
    const auto renamed = [this](std::string& id) {
      if (const auto found = newIds_.find(id); found != newIds_.end()) id = found->second;
    };
    for (RunSegment& segment : content_.detail.segments) renamed(segment.checkpoint);
    for (StoredEvent& event : content_.events) {
      if (auto* saved = std::get_if<CheckpointSaved>(&event.event)) renamed(saved->id);
      if (auto* finished = std::get_if<RunFinished>(&event.event)) renamed(finished->lastCheckpoint);
    }
  }

  /// Inside the transaction of the workspace.
  Result<void> enter(const NamedDatabase& from, std::int64_t number, SQLite::Database& into) {
    takeFreeNames(into);
    RETURN_IF_ERROR(copyRun(from, number, content_, {into, workspace_.state().file},
                            [this](std::int64_t bytes) { return progress_.add(bytes); }));
    RETURN_IF_ERROR(progress_.finish());
    for (const CheckpointRecord& record : content_.checkpoints) {
      RETURN_IF_ERROR(placeStagedCheckpoint(stagedFile(record), workspace_.folder(), record.file));
      placed_.add(record.file);
    }
    return {};
  }

  void takeFreeNames(SQLite::Database& into) {
    RunSummary& run = content_.detail.summary;
    run.name = uniqueRunName(into, run.name);
    if (!hasRow(into, "SELECT 1 FROM run WHERE id=?", run.id)) return;
    const std::string idThere = std::exchange(run.id, newRecordId());
    run.note += formatText("{}Imported from an archive, where the id of this run is `{}`.",
                           run.note.empty() ? "" : "\n\n", idThere);
    for (StoredEvent& event : content_.events)
      if (auto* started = std::get_if<RunStarted>(&event.event)) started->run = run.id;
  }

  Workspace& workspace_;
  const Workspace& archive_;
  const fs::path file_;
  Progress& progress_;
  RunContent content_;
  std::int64_t bytes_ = 0;
  std::map<std::string, std::string> newIds_;  // of checkpoints, by their ids in the archive
  std::optional<StagedFolder> staging_;        // of the checkpoint files, until their rows are committed
  UncommittedFiles placed_;
};

}  // namespace

Result<CheckpointSelection> parseCheckpointSelection(const std::string& text) {
  using Kind = CheckpointSelection::Kind;
  if (text == "latest") return CheckpointSelection{Kind::Latest, {}};
  if (text == "all") return CheckpointSelection{Kind::All, {}};
  if (text == "none") return CheckpointSelection{Kind::None, {}};
  CheckpointSelection choice{Kind::Listed, {}};
  for (const std::string& id : partsOf(text, ','))
    if (!id.empty() && std::find(choice.ids.begin(), choice.ids.end(), id) == choice.ids.end())
      choice.ids.push_back(id);
  if (choice.ids.empty())
    return Error::config(
        formatText("'{}' does not name a checkpoint; use latest, all, none, or ids separated by commas", text));
  return choice;
}

Result<ArchiveSummary> exportArchive(const Workspace& workspace, const std::string& run,
                                     const CheckpointSelection& choice, const fs::path& target, Replaces replaces,
                                     const ArchiveProgress& progress, std::stop_token stop) {
  ASSIGN_OR_RETURN(auto content, readContent(workspace, run));
  ASSIGN_OR_RETURN(content.checkpoints, chosenCheckpoints(content, choice));
  ArchiveSummary summary{content.detail.summary.id, content.detail.summary.name, std::ssize(content.checkpoints), 0};
  ASSIGN_OR_RETURN(auto output, OutputFile::open(target, replaces));
  std::optional<StagedFolder> staging;  // SQLite cannot write to a stream
  fs::path file = output.unfinishedFile().value_or("");
  if (file.empty()) {
    ASSIGN_OR_RETURN(auto made, StagedFolder::make(fs::temp_directory_path(), kArchiveMark));
    file = staging.emplace(std::move(made)).path() / "archive";
  }
  Progress told(progress, std::move(stop));
  RETURN_IF_ERROR(Exporter(workspace, std::move(content), told).write(file));
  std::error_code failure;
  summary.bytes = static_cast<std::int64_t>(fs::file_size(file, failure));
  if (staging) RETURN_IF_ERROR(forEachPart(file, [&](std::span<const std::byte> part) { return output.write(part); }));
  RETURN_IF_ERROR(output.commit());
  return summary;
}

Result<ArchiveSummary> importArchive(Workspace& workspace, const fs::path& archive, const std::string& name,
                                     const ArchiveProgress& progress, std::stop_token stop) {
  if (!name.empty())
    if (auto fine = checkRunName(name); !fine.ok()) return fine.error().within("--as");
  ASSIGN_OR_RETURN(const auto opened, openArchive(archive));
  Progress told(progress, std::move(stop));
  Importer importer(workspace, *opened, archive, told);
  RETURN_IF_ERROR(importer.check());
  return importer.importRun(name);
}

}  // namespace batchwise
