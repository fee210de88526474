// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/exchange/archive_records.h"
#include "core/exchange/run_archive.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/record_text.h"
#include "core/store/texts.h"

namespace batchwise {
namespace {

/// Placed checkpoint files that are deleted again unless the import succeeds.
class UncommittedFiles {
 public:
  explicit UncommittedFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  UncommittedFiles(const UncommittedFiles&) = delete;
  UncommittedFiles& operator=(const UncommittedFiles&) = delete;
  ~UncommittedFiles() {
    std::error_code ignored;
    for (const std::string& file : files_) std::filesystem::remove(folder_ / file, ignored);
  }
  void add(std::string file) { files_.push_back(std::move(file)); }
  void keep() { files_.clear(); }

 private:
  std::filesystem::path folder_;
  std::vector<std::string> files_;
};

class Importer {
 public:
  Importer(Workspace& workspace, ArchiveReader& reader, const ArchiveProgress& progress, std::stop_token stop)
      : workspace_(workspace),
        reader_(reader),
        progress_(progress),
        stop_(std::move(stop)),
        files_(workspace.folder()) {}

  /// First pass: reads and validates everything without writing.
  Result<void> check() {
    ArchiveStream archive(reader_);
    RETURN_IF_ERROR(archive.run());
    while (true) {
      ASSIGN_OR_RETURN(const auto checkpoint, archive.nextCheckpoint());
      if (!checkpoint) break;
      checkpointBytes_ += checkpoint->bytes;
      RETURN_IF_ERROR(forEachChunk(archive, [](std::span<const std::byte>) { return Result<void>{}; }));
    }
    RETURN_IF_ERROR(archive.series());
    RETURN_IF_ERROR(drain([&] { return archive.nextRow(); }));
    RETURN_IF_ERROR(drain([&] { return archive.nextEvent(); }));
    RETURN_IF_ERROR(archive.end());
    checkedDigest_ = reader_.digest();
    return checkFreeSpace();
  }

  Result<ImportedRun> importRun(const std::string& name) {
    reader_.rewind();
    ArchiveStream archive(reader_);
    ASSIGN_OR_RETURN(incoming_.detail, archive.run());
    if (!name.empty()) incoming_.detail.summary.name = name;
    incoming_.detail.summary.archived = false;  // whoever imports a run looks for it in the list
    RETURN_IF_ERROR(importCheckpoints(archive));
    ASSIGN_OR_RETURN(incoming_.series, archive.series());
    incoming_.nextRow = [&] { return reported(archive.nextRow()); };
    incoming_.nextEvent = [&] { return nextEventWithNewIds(archive); };
    incoming_.placeFiles = [&] { return placeFiles(); };
    auto imported = storeImportedRun(workspace_, incoming_);
    if (imported.ok()) files_.keep();
    return imported;
  }
  std::int64_t checkpoints() const { return std::ssize(incoming_.checkpoints); }

 private:
  /// Returns `value` and reports progress, or fails with Stopped.
  template <typename Value>
  Value reported(Value value) {
    if (stop_.stop_requested()) return Error{ErrorCode::Stopped, kStoreWorkCanceled, {}};
    if (progress_) progress_(passes_ * reader_.bytes() + reader_.position(), 2 * reader_.bytes());
    return value;
  }

  template <typename Next>
  Result<void> drain(Next&& next) {
    while (true) {
      ASSIGN_OR_RETURN(const auto one, reported(next()));
      if (!one) return {};
    }
  }

  template <typename Take>
  Result<void> forEachChunk(ArchiveStream& archive, Take&& take) {
    while (true) {
      ASSIGN_OR_RETURN(const auto piece, reported(archive.nextData()));
      if (piece.empty()) return {};
      RETURN_IF_ERROR(take(piece));
    }
  }

  Result<void> checkFreeSpace() {
    passes_ = 1;
    ASSIGN_OR_RETURN(const auto room, freeBytes(workspace_.folder()));
    // Metric rows need more space in the database, temporarily also in its log.
    const std::int64_t needed = checkpointBytes_ + 4 * (reader_.bytes() - checkpointBytes_);
    if (room >= needed) return {};
    return Error{ErrorCode::DiskFull,
                 formatText("the archive needs {}, '{}' has {} free; free some space first", formatBytes(needed),
                            workspace_.folder().native(), formatBytes(room)),
                 {}};
  }

  Result<void> importCheckpoints(ArchiveStream& archive) {
    while (true) {
      ASSIGN_OR_RETURN(auto record, archive.nextCheckpoint());
      if (!record) break;
      RETURN_IF_ERROR(importCheckpoint(archive, std::move(*record)));
    }
    for (RunSegment& segment : incoming_.detail.segments) segment.checkpoint = newIdOf(segment.checkpoint);
    return {};
  }

  /// File names are generated here; none comes from the archive.
  Result<void> importCheckpoint(ArchiveStream& archive, CheckpointRecord record) {
    const std::string id = newRecordId();
    newIds_[record.id] = id;
    record.id = id;
    record.file = "checkpoints/" + id + ".sqlite";
    record.verified = true;
    if (!staging_) {
      ASSIGN_OR_RETURN(auto made, stageCheckpoints(workspace_));
      staging_.emplace(std::move(made));
    }
    ASSIGN_OR_RETURN(auto fileImporter, CheckpointImporter::create(stagedFile(record)));
    RETURN_IF_ERROR(forEachChunk(archive, [&](std::span<const std::byte> piece) { return fileImporter.add(piece); }));
    RETURN_IF_ERROR(fileImporter.finish());
    incoming_.checkpoints.push_back(std::move(record));
    return {};
  }

  std::filesystem::path stagedFile(const CheckpointRecord& record) const {
    return staging_->path() / (record.id + ".sqlite");
  }

  Result<void> placeFiles() {
    for (const CheckpointRecord& record : incoming_.checkpoints) {
      RETURN_IF_ERROR(placeStagedCheckpoint(stagedFile(record), workspace_.folder(), record.file));
      files_.add(record.file);
    }
    return {};
  }

  std::string newIdOf(const std::string& id) const {
    const auto found = newIds_.find(id);
    return found == newIds_.end() ? id : found->second;
  }

  /// Returns the next event with new checkpoint ids. After the last event, checks that the archive is unchanged since
  /// check().
  Result<std::optional<StoredEvent>> nextEventWithNewIds(ArchiveStream& archive) {
    auto event = reported(archive.nextEvent());
    if (!event.ok()) return event;
    if (!*event) {
      RETURN_IF_ERROR(archive.end());
      if (reader_.digest() != checkedDigest_) return reader_.damaged("it changed while it was being read");
      return event;
    }
    if (auto* saved = std::get_if<CheckpointSaved>(&(*event)->event)) saved->id = newIdOf(saved->id);
    if (auto* finished = std::get_if<RunFinished>(&(*event)->event))
      finished->lastCheckpoint = newIdOf(finished->lastCheckpoint);
    return event;
  }

  Workspace& workspace_;
  ArchiveReader& reader_;
  const ArchiveProgress& progress_;
  const std::stop_token stop_;
  std::optional<StagedFolder> staging_;  ///< of the checkpoint files, until their rows are committed
  UncommittedFiles files_;
  IncomingRun incoming_;
  std::map<std::string, std::string> newIds_;  ///< old to new checkpoint id
  std::int64_t checkpointBytes_ = 0;
  std::int64_t passes_ = 0;
  Hash128 checkedDigest_;
};

}  // namespace

Result<ArchiveSummary> importArchive(Workspace& workspace, const std::filesystem::path& archive,
                                     const std::string& name, const ArchiveProgress& progress, std::stop_token stop) {
  ASSIGN_OR_RETURN(auto reader, ArchiveReader::open(archive));
  if (!name.empty())
    if (auto fine = checkRunName(name); !fine.ok()) return fine.error().within("--as");
  Importer importer(workspace, reader, progress, std::move(stop));
  RETURN_IF_ERROR(importer.check());
  ASSIGN_OR_RETURN(const auto imported, importer.importRun(name));
  return ArchiveSummary{imported.id, imported.name, importer.checkpoints(), reader.bytes()};
}

}  // namespace batchwise
