// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>

#include "core/base/format.h"
#include "core/exchange/archive_stream.h"
#include "core/exchange/run_archive.h"
#include "core/store/checkpoints/checkpoint_intake.h"
#include "core/store/record_text.h"

namespace batchwise {
namespace {

/// Checkpoint files that are taken back unless the run is entered.
class NewFiles {
 public:
  explicit NewFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  NewFiles(const NewFiles&) = delete;
  NewFiles& operator=(const NewFiles&) = delete;
  ~NewFiles() {
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

  /// Reads everything once and writes nothing.
  Result<void> check() {
    ArchiveStream archive(reader_);
    if (const auto run = archive.run(); !run.ok()) return run.error();
    while (true) {
      const auto checkpoint = archive.nextCheckpoint();
      if (!checkpoint.ok()) return checkpoint.error();
      if (!*checkpoint) break;
      checkpointBytes_ += (*checkpoint)->bytes;
      if (auto done = eachPiece(archive, [](std::span<const std::byte>) { return Result<void>{}; }); !done.ok())
        return done;
    }
    if (const auto series = archive.series(); !series.ok()) return series.error();
    if (auto done = drain([&] { return archive.nextRow(); }); !done.ok()) return done;
    if (auto done = drain([&] { return archive.nextEvent(); }); !done.ok()) return done;
    if (auto ends = archive.end(); !ends.ok()) return ends;
    seal_ = reader_.digest();
    return hasRoom();
  }

  Result<TakenRun> enter(const std::string& name) {
    reader_.rewind();
    ArchiveStream archive(reader_);
    auto run = archive.run();
    if (!run.ok()) return run.error();
    if (!name.empty()) run->summary.name = name;
    incoming_.detail = std::move(*run);
    if (auto taken = takeCheckpoints(archive); !taken.ok()) return taken.error();
    auto series = archive.series();
    if (!series.ok()) return series.error();
    incoming_.series = std::move(*series);
    incoming_.nextRow = [&] { return told(archive.nextRow()); };
    incoming_.nextEvent = [&] { return renamed(archive); };
    auto entered = takeRun(workspace_, incoming_);
    if (entered.ok()) files_.keep();
    return entered;
  }
  std::int64_t checkpoints() const { return static_cast<std::int64_t>(incoming_.checkpoints.size()); }

 private:
  /// What was read, unless it is to be given up.
  template <typename Value>
  Value told(Value value) {
    if (stop_.stop_requested()) return Error{ErrorCode::Stopped, "given up", {}};
    if (progress_) progress_(passes_ * reader_.bytes() + reader_.position(), 2 * reader_.bytes());
    return value;
  }

  template <typename Next>
  Result<void> drain(Next&& next) {
    while (true) {
      const auto one = told(next());
      if (!one.ok()) return one.error();
      if (!*one) return {};
    }
  }

  template <typename Take>
  Result<void> eachPiece(ArchiveStream& archive, Take&& take) {
    while (true) {
      const auto piece = told(archive.nextData());
      if (!piece.ok()) return piece.error();
      if (piece->empty()) return {};
      if (auto done = take(*piece); !done.ok()) return done;
    }
  }

  Result<void> hasRoom() {
    passes_ = 1;
    const auto room = freeBytes(workspace_.folder());
    if (!room.ok()) return room.error();
    // Rows take somewhat more in the database, and for a while in its log as well.
    const std::int64_t needed = checkpointBytes_ + 4 * (reader_.bytes() - checkpointBytes_);
    if (*room >= needed) return {};
    return Error{ErrorCode::DiskFull,
                 "the archive needs " + formatBytes(needed) + ", '" + workspace_.folder().native() + "' has " +
                     formatBytes(*room) + " free; free some space first",
                 {}};
  }

  Result<void> takeCheckpoints(ArchiveStream& archive) {
    while (true) {
      auto record = archive.nextCheckpoint();
      if (!record.ok()) return record.error();
      if (!*record) break;
      if (auto taken = takeCheckpoint(archive, std::move(**record)); !taken.ok()) return taken;
    }
    for (RunSegment& segment : incoming_.detail.segments) segment.checkpoint = newIdOf(segment.checkpoint);
    return {};
  }

  /// Names in the workspace are made here; none comes from the file.
  Result<void> takeCheckpoint(ArchiveStream& archive, CheckpointRecord record) {
    const std::string id = newRecordId();
    newIds_[record.id] = id;
    record.id = id;
    record.file = "checkpoints/" + id + ".sqlite";
    record.verified = true;
    auto intake = CheckpointIntake::create(workspace_.folder() / record.file);
    if (!intake.ok()) return intake.error();
    if (auto done = eachPiece(archive, [&](std::span<const std::byte> piece) { return intake->add(piece); });
        !done.ok())
      return done;
    if (auto done = intake->finish(); !done.ok()) return done;
    files_.add(record.file);
    incoming_.checkpoints.push_back(std::move(record));
    return {};
  }

  std::string newIdOf(const std::string& id) const {
    const auto found = newIds_.find(id);
    return found == newIds_.end() ? id : found->second;
  }

  /// The next event with the new ids; after the last, the archive must be the one that was checked.
  Result<std::optional<StoredEvent>> renamed(ArchiveStream& archive) {
    auto event = told(archive.nextEvent());
    if (!event.ok()) return event;
    if (!*event) {
      if (auto ends = archive.end(); !ends.ok()) return ends.error();
      if (reader_.digest() != seal_) return reader_.damaged("it was changed while it was read");
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
  NewFiles files_;
  IncomingRun incoming_;
  std::map<std::string, std::string> newIds_;  ///< of checkpoints, by those in the archive
  std::int64_t checkpointBytes_ = 0;
  std::int64_t passes_ = 0;
  Hash128 seal_;
};

}  // namespace

Result<ArchiveSummary> importArchive(Workspace& workspace, const std::filesystem::path& archive,
                                     const std::string& name, const ArchiveProgress& progress, std::stop_token stop) {
  auto reader = ArchiveReader::open(archive);
  if (!reader.ok()) return reader.error();
  if (!name.empty())
    if (auto fine = checkRunName(name); !fine.ok()) return fine.error().within("--as");
  Importer importer(workspace, *reader, progress, std::move(stop));
  if (auto fine = importer.check(); !fine.ok()) return fine.error();
  const auto entered = importer.enter(name);
  if (!entered.ok()) return entered.error();
  return ArchiveSummary{entered->id, entered->name, importer.checkpoints(), reader->bytes()};
}

}  // namespace batchwise
