// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/database.h"
#include "core/store/file_lock.h"
#include "core/store/schema.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPartialEnding = ".partial";
/// Locked while the file is written; far from the bytes that SQLite locks.
constexpr LockRange kPartialLock{std::int64_t{1} << 60, 1};

void removeWithSideFiles(const fs::path& path) {
  std::error_code ignored;
  for (const char* side : {"", "-journal", "-wal", "-shm"}) fs::remove(path.native() + side, ignored);
}

/// Locks the unfinished file `beside`, just made. Returns false if a sweep that took it for abandoned has removed it or
/// is about to: make it anew. True also where the disk has no locks, and nobody sweeps.
bool claimPartial(const FileDescriptor& file, const fs::path& beside) {
  if (!file.valid()) return false;
  const auto locked = tryLock(file, beside, kPartialLock);
  if (!locked.ok()) return true;
  struct stat opened {};
  ::fstat(file.get(), &opened);
  return *locked && fileIdOf(beside) == FileId{opened.st_dev, opened.st_ino};
}

fs::path partialCheckpointPath(const fs::path& path) {
  return path.native() + kPartialEnding;
}

}  // namespace

struct CheckpointWriter::State {
  fs::path path;
  fs::path beside;
  std::unique_ptr<SQLite::Database> database;
  std::unique_ptr<SQLite::Statement> insertChunk;
  std::set<std::string> names;
  std::int64_t chunks = 0;
  std::int64_t bytes = 0;
  ContentHasher content;
  FileDescriptor file;       // open on `beside`, for its lock and writeBehind()
  std::size_t notBegun = 0;  // bytes written since the last sync_file_range()
  bool finished = false;

  ~State() {
    insertChunk.reset();
    database.reset();
    if (!finished) removeWithSideFiles(beside);
  }
  void begin();
  void writeBehind(std::size_t added);
  Hash128 addChunks(std::span<const std::byte> bytesOfEntry);
  void addManifest(const std::map<std::string, std::string>& facts);
};

void CheckpointWriter::State::begin() {
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    database.reset();
    removeWithSideFiles(beside);
    database = openDatabase(beside, DatabaseUse::CreateFile);
    file = FileDescriptor{::open(beside.c_str(), O_WRONLY | O_CLOEXEC)};
    if (claimPartial(file, beside)) break;
  }
  database->exec("PRAGMA page_size = 65536; PRAGMA application_id = " + std::to_string(kCheckpointApplicationId) +
                 "; PRAGMA user_version = " + std::to_string(kCheckpointFormat));
  // A small page cache that fits into the CPU cache: pages are written to the kernel as they fill.
  database->exec("PRAGMA cache_size = 8");
  database->exec("BEGIN");
  for (const char* table : kCheckpointTables) database->exec(table);
  insertChunk = std::make_unique<SQLite::Statement>(*database, "INSERT INTO chunk(number, hash, data) VALUES(?,?,?)");
}

// Starts writing dirty pages to the disk in the background, so that the final sync has less to do. Only a hint; errors
// surface in that sync.
void CheckpointWriter::State::writeBehind(std::size_t added) {
  constexpr std::size_t kEnough = 4 << 20;
  notBegun += added;
  if (notBegun < kEnough || !file.valid()) return;
  (void)::sync_file_range(file.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
  notBegun = 0;
}

Hash128 CheckpointWriter::State::addChunks(std::span<const std::byte> bytesOfEntry) {
  Hasher hashes;
  for (std::size_t at = 0; at < bytesOfEntry.size(); at += kChunkBytes) {
    const auto data = bytesOfEntry.subspan(at, std::min<std::size_t>(kChunkBytes, bytesOfEntry.size() - at));
    const auto hash = bytesOf(chunkHash(chunks, data));
    hashes.update(hash);
    execute(*insertChunk, chunks++, hash, data);
    writeBehind(data.size());
  }
  return hashes.digest();
}

void CheckpointWriter::State::addManifest(const std::map<std::string, std::string>& facts) {
  SQLite::Statement fact(*database, "INSERT INTO fact(name, value) VALUES(?,?)");
  for (const auto& [name, value] : facts) {
    execute(fact, name, value);
    content.addText(name);
    content.addText(value);
  }
  const std::map<std::string, std::string> manifest{{"entries", std::to_string(names.size())},
                                                    {"chunks", std::to_string(chunks)},
                                                    {"bytes", std::to_string(bytes)},
                                                    {"hash", content.hex()}};
  SQLite::Statement line(*database, "INSERT INTO manifest(key, value) VALUES(?,?)");
  for (const auto& [key, value] : manifest) {
    execute(line, key, value);
  }
}

CheckpointWriter::CheckpointWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
CheckpointWriter::CheckpointWriter(CheckpointWriter&&) noexcept = default;
CheckpointWriter& CheckpointWriter::operator=(CheckpointWriter&&) noexcept = default;
CheckpointWriter::~CheckpointWriter() = default;

Result<CheckpointWriter> CheckpointWriter::create(const fs::path& path, std::int64_t expectedBytes) {
  const fs::path absolute = fs::absolute(path);
  RETURN_IF_ERROR(makeFolders(absolute.parent_path()));
  ASSIGN_OR_RETURN(const auto room, freeBytes(absolute.parent_path()));
  const std::int64_t needed = expectedBytes + expectedBytes / 50 + (1 << 20);  // pages and tables add less than 2 %
  if (room < needed)
    return Error{ErrorCode::DiskFull,
                 formatText("a checkpoint needs {}, '{}' has {} free; free some space or keep fewer checkpoints",
                            formatBytes(needed), absolute.parent_path().native(), formatBytes(room)),
                 {}};
  auto state = std::make_unique<State>();
  state->path = absolute;
  state->beside = partialCheckpointPath(absolute);
  RETURN_IF_ERROR(catchDatabaseErrors(state->database, absolute, [&] { state->begin(); }));
  return CheckpointWriter(std::move(state));
}

Result<void> CheckpointWriter::add(const CheckpointEntry& entry, std::span<const std::byte> bytes) {
  if (entry.bytes != static_cast<std::int64_t>(bytes.size()))
    return Error::internal(formatText("checkpoint entry '{}' is declared with {} bytes, but {} were given", entry.name,
                                      entry.bytes, bytes.size()));
  if (!state_->names.insert(entry.name).second)
    return Error::internal(formatText("the checkpoint already has an entry '{}'", entry.name));
  return catchDatabaseErrors(state_->database, state_->path, [&] {
    const std::int64_t firstChunk = state_->chunks;
    const auto hash = bytesOf(state_->addChunks(bytes));
    execute(*state_->database,
            "INSERT INTO entry(number, name, type, shape, bytes, first_chunk, hash) VALUES(?,?,?,?,?,?,?)",
            static_cast<std::int64_t>(state_->names.size()) - 1, entry.name, entry.type, shapeText(entry.shape),
            entry.bytes, firstChunk, hash);
    state_->content.addEntry(entry, firstChunk, hash);
    state_->bytes += entry.bytes;
  });
}

Result<void> CheckpointWriter::finish(const std::map<std::string, std::string>& facts) {
  RETURN_IF_ERROR(catchDatabaseErrors(state_->database, state_->path, [&] {
    state_->addManifest(facts);
    state_->insertChunk.reset();
    state_->database->exec("COMMIT");
    state_->database.reset();
  }));
  const auto moved = moveDurably(state_->beside, state_->path);
  state_->finished = moved.ok();
  return moved;
}

Result<CheckpointImporter> CheckpointImporter::create(const fs::path& path) {
  const fs::path beside = partialCheckpointPath(path);
  ASSIGN_OR_RETURN(auto file, createFile(beside));
  if (!claimPartial(file, beside)) {
    ASSIGN_OR_RETURN(file, createFile(beside));
    (void)claimPartial(file, beside);
  }
  return CheckpointImporter(path, beside, std::move(file));
}

CheckpointImporter::~CheckpointImporter() {
  if (file_.valid()) ::unlink(beside_.c_str());
}

Result<void> CheckpointImporter::add(std::span<const std::byte> bytes) {
  return writeAll(file_, bytes, beside_);
}

Result<void> CheckpointImporter::finish() {
  ASSIGN_OR_RETURN(const auto reader, CheckpointReader::open(beside_));
  RETURN_IF_ERROR(reader.verify());
  RETURN_IF_ERROR(moveDurably(beside_, path_));
  file_ = FileDescriptor{};
  return {};
}

void removeAbandonedCheckpointFiles(const fs::path& folder) {
  for (const fs::path& file : entriesOf(folder)) {
    if (file.extension() != kPartialEnding) continue;
    const FileDescriptor opened{::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)};
    if (opened.valid() && !mayBeLocked(opened, kPartialLock) && claimPartial(opened, file)) removeWithSideFiles(file);
  }
}

}  // namespace batchwise
