// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/checkpoint_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/store/database.h"
#include "core/store/process_identity.h"
#include "core/store/schema.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::int32_t kFormatVersion = 1;
constexpr std::int64_t kChunkBytes = 8 << 20;
constexpr std::size_t kMaxEntries = 100'000;
constexpr std::size_t kMaxDimensions = 8;

// A reader compares these texts with what the file holds: nothing else may be in it.
constexpr std::array kTables{
    "CREATE TABLE manifest(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE fact(name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE entry(number INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, shape TEXT NOT NULL, "
    "bytes INTEGER NOT NULL, first_chunk INTEGER NOT NULL, hash BLOB NOT NULL) STRICT",
    "CREATE TABLE chunk(number INTEGER PRIMARY KEY, hash BLOB NOT NULL, data BLOB NOT NULL) STRICT",
};

std::array<std::byte, 16> bytesOf(const Hash128& hash) {
  std::array<std::byte, 16> bytes{};
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<std::byte>(hash.high >> (56 - 8 * i));
    bytes[8 + i] = static_cast<std::byte>(hash.low >> (56 - 8 * i));
  }
  return bytes;
}

/// The number is hashed with the data, so that two chunks cannot change places.
Hash128 chunkHash(std::int64_t number, std::span<const std::byte> data) {
  Hasher hasher;
  hasher.update(std::as_bytes(std::span{&number, 1}));
  hasher.update(data);
  return hasher.digest();
}

std::string shapeText(const std::vector<std::int64_t>& shape) { return nlohmann::json(shape).dump(); }

std::optional<std::vector<std::int64_t>> shapeFromText(const std::string& text) {
  const auto array = nlohmann::json::parse(text, nullptr, false);
  if (!array.is_array() || array.size() > kMaxDimensions) return std::nullopt;
  std::vector<std::int64_t> shape;
  for (const auto& size : array) {
    if (!size.is_number_integer() || size.get<std::int64_t>() < 0) return std::nullopt;
    shape.push_back(size.get<std::int64_t>());
  }
  return shape;
}

std::int64_t chunkCount(std::int64_t bytes) { return (bytes + kChunkBytes - 1) / kChunkBytes; }

/// Everything that is not chunk data, in the order of writing, as one hash: what the manifest promises.
class ContentHasher {
 public:
  void addText(std::string_view text) {
    const std::uint64_t length = text.size();
    hasher_.update(std::as_bytes(std::span{&length, 1}));
    hasher_.update(text);
  }
  void addEntry(const CheckpointEntry& entry, std::int64_t firstChunk, std::span<const std::byte> hash) {
    addText(entry.name);
    addText(entry.type);
    addText(shapeText(entry.shape));
    const std::array numbers{entry.bytes, firstChunk};
    hasher_.update(std::as_bytes(std::span{numbers}));
    hasher_.update(hash);
  }
  std::string hex() const { return hasher_.digest().hex(); }

 private:
  Hasher hasher_;
};

/// "<file>.partial.<host>.<process>.<start>": tells whether its writer still lives.
constexpr std::string_view kPartialMark = ".partial.";

std::string plainHost(std::string host) {
  std::replace_if(host.begin(), host.end(), [](char c) { return c == '.' || c == '/'; }, '_');
  return host;
}

fs::path partialPath(const fs::path& path) {
  const ProcessIdentity self = currentProcess();
  return path.native() + std::string{kPartialMark} + plainHost(self.host) + "." + std::to_string(self.processId) + "." +
         std::to_string(self.startTicks);
}

/// Who writes the file, if it is one that is being written.
std::optional<ProcessIdentity> writerOfPartial(const std::string& name) {
  const std::size_t mark = name.rfind(kPartialMark);
  if (mark == std::string::npos) return std::nullopt;
  std::istringstream parts(name.substr(mark + kPartialMark.size()));
  std::string host;
  ProcessIdentity writer = currentProcess();
  char dot = 0;
  if (!std::getline(parts, host, '.') || !(parts >> writer.processId >> dot >> writer.startTicks)) return std::nullopt;
  if (host != plainHost(writer.host)) writer.host = host;
  return writer;
}

void removeWithSideFiles(const fs::path& path) {
  std::error_code ignored;
  for (const char* side : {"", "-journal", "-wal", "-shm"}) fs::remove(path.native() + side, ignored);
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
  bool finished = false;

  ~State() {
    insertChunk.reset();
    database.reset();
    if (!finished) removeWithSideFiles(beside);
  }
  void begin();
  Hash128 addChunks(std::span<const std::byte> bytesOfEntry);
  void addManifest(const std::map<std::string, std::string>& facts);
};

void CheckpointWriter::State::begin() {
  removeWithSideFiles(beside);
  database = openDatabase(beside, DatabaseUse::CreateFile);
  database->exec("PRAGMA page_size = 65536; PRAGMA application_id = " + std::to_string(kCheckpointApplicationId) +
                 "; PRAGMA user_version = " + std::to_string(kFormatVersion));
  database->exec("BEGIN");
  for (const char* table : kTables) database->exec(table);
  insertChunk = std::make_unique<SQLite::Statement>(*database, "INSERT INTO chunk(number, hash, data) VALUES(?,?,?)");
}

Hash128 CheckpointWriter::State::addChunks(std::span<const std::byte> bytesOfEntry) {
  Hasher hashes;
  for (std::size_t at = 0; at < bytesOfEntry.size(); at += kChunkBytes) {
    const auto data = bytesOfEntry.subspan(at, std::min<std::size_t>(kChunkBytes, bytesOfEntry.size() - at));
    const auto hash = bytesOf(chunkHash(chunks, data));
    hashes.update(hash);
    insertChunk->reset();
    insertChunk->bind(1, chunks++);
    bindBlob(*insertChunk, 2, hash);
    bindBlob(*insertChunk, 3, data);
    insertChunk->exec();
  }
  return hashes.digest();
}

void CheckpointWriter::State::addManifest(const std::map<std::string, std::string>& facts) {
  SQLite::Statement fact(*database, "INSERT INTO fact(name, value) VALUES(?,?)");
  for (const auto& [name, value] : facts) {
    fact.reset();
    fact.bind(1, name);
    fact.bind(2, value);
    fact.exec();
    content.addText(name);
    content.addText(value);
  }
  const std::map<std::string, std::string> manifest{{"entries", std::to_string(names.size())},
                                                    {"chunks", std::to_string(chunks)},
                                                    {"bytes", std::to_string(bytes)},
                                                    {"hash", content.hex()}};
  SQLite::Statement line(*database, "INSERT INTO manifest(key, value) VALUES(?,?)");
  for (const auto& [key, value] : manifest) {
    line.reset();
    line.bind(1, key);
    line.bind(2, value);
    line.exec();
  }
}

CheckpointWriter::CheckpointWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
CheckpointWriter::CheckpointWriter(CheckpointWriter&&) noexcept = default;
CheckpointWriter& CheckpointWriter::operator=(CheckpointWriter&&) noexcept = default;
CheckpointWriter::~CheckpointWriter() = default;

Result<CheckpointWriter> CheckpointWriter::create(const fs::path& path, std::int64_t expectedBytes) {
  const fs::path absolute = fs::absolute(path);
  if (auto made = makeFolders(absolute.parent_path()); !made.ok()) return made.error();
  const auto room = freeBytes(absolute.parent_path());
  if (!room.ok()) return room.error();
  const std::int64_t needed = expectedBytes + expectedBytes / 50 + (1 << 20);  // pages and tables: below 2 %
  if (*room < needed)
    return Error{ErrorCode::DiskFull,
                 "a checkpoint needs " + formatBytes(needed) + ", '" + absolute.parent_path().native() + "' has " +
                     formatBytes(*room) + " free; free some space or keep fewer checkpoints",
                 {}};
  auto state = std::make_unique<State>();
  state->path = absolute;
  state->beside = partialPath(absolute);
  auto begun = guarded(nullptr, absolute, [&]() -> Result<void> {
    state->begin();
    return {};
  });
  if (!begun.ok()) return begun.error();
  return CheckpointWriter(std::move(state));
}

Result<void> CheckpointWriter::add(const CheckpointEntry& entry, std::span<const std::byte> bytes) {
  if (entry.bytes != static_cast<std::int64_t>(bytes.size()))
    return Error::internal("checkpoint entry '" + entry.name + "' says " + std::to_string(entry.bytes) + " bytes, given were " +
                           std::to_string(bytes.size()));
  if (!state_->names.insert(entry.name).second)
    return Error::internal("the checkpoint has an entry '" + entry.name + "' already");
  return guarded(state_->database.get(), state_->path, [&]() -> Result<void> {
    const std::int64_t firstChunk = state_->chunks;
    const auto hash = bytesOf(state_->addChunks(bytes));
    SQLite::Statement insert(*state_->database,
                             "INSERT INTO entry(number, name, type, shape, bytes, first_chunk, hash) VALUES(?,?,?,?,?,?,?)");
    insert.bind(1, static_cast<std::int64_t>(state_->names.size()) - 1);
    insert.bind(2, entry.name);
    insert.bind(3, entry.type);
    insert.bind(4, shapeText(entry.shape));
    insert.bind(5, entry.bytes);
    insert.bind(6, firstChunk);
    bindBlob(insert, 7, hash);
    insert.exec();
    state_->content.addEntry(entry, firstChunk, hash);
    state_->bytes += entry.bytes;
    return {};
  });
}

Result<void> CheckpointWriter::finish(const std::map<std::string, std::string>& facts) {
  auto written = guarded(state_->database.get(), state_->path, [&]() -> Result<void> {
    state_->addManifest(facts);
    state_->insertChunk.reset();
    state_->database->exec("COMMIT");
    state_->database.reset();
    return {};
  });
  if (!written.ok()) return written;
  if (auto synced = syncFile(state_->beside); !synced.ok()) return synced;
  if (::rename(state_->beside.c_str(), state_->path.c_str()) != 0)
    return Error::fromErrno(errno, "cannot write", state_->path.native());
  state_->finished = true;
  return syncFolder(state_->path.parent_path());
}

struct CheckpointReader::State {
  fs::path path;
  std::unique_ptr<SQLite::Database> database;
  std::vector<CheckpointEntry> entries;
  std::vector<std::int64_t> firstChunks;
  std::vector<std::array<std::byte, 16>> entryHashes;
  std::map<std::string, std::size_t> byName;
  std::map<std::string, std::string> facts;
  std::map<std::string, std::string> manifest;

  Error damaged(const std::string& what) const {
    return Error::corrupt("checkpoint '" + path.native() + "' is damaged: " + what);
  }
  Result<void> load();
  Result<void> checkTables();
  void readTexts();
  Result<void> readEntries(ContentHasher& content);
  Result<void> checkManifest(ContentHasher& content);
  using ChunkVisitor = std::function<void(std::int64_t offset, std::span<const std::byte> data)>;
  /// Calls `visit` with each chunk whose hash is right.
  Result<void> forEachChunk(std::size_t index, const ChunkVisitor& visit);
};

Result<void> CheckpointReader::State::load() {
  hardenAgainstContent(*database);
  if (auto fine = checkTables(); !fine.ok()) return fine;
  readTexts();
  ContentHasher content;
  if (auto read = readEntries(content); !read.ok()) return read;
  return checkManifest(content);
}

Result<void> CheckpointReader::State::checkTables() {
  SQLite::Statement query(*database, "SELECT sql FROM sqlite_schema ORDER BY rowid");
  std::size_t found = 0;
  while (query.executeStep()) {
    if (found == kTables.size() || query.getColumn(0).getString() != kTables[found])
      return damaged("it holds a table that does not belong there");
    ++found;
  }
  return found == kTables.size() ? Result<void>{} : damaged("tables are missing");
}

void CheckpointReader::State::readTexts() {
  SQLite::Statement lines(*database, "SELECT key, value FROM manifest");
  while (lines.executeStep()) manifest[lines.getColumn(0).getString()] = lines.getColumn(1).getString();
  SQLite::Statement known(*database, "SELECT name, value FROM fact");
  while (known.executeStep()) facts[known.getColumn(0).getString()] = known.getColumn(1).getString();
}

Result<void> CheckpointReader::State::readEntries(ContentHasher& content) {
  std::error_code ignored;
  const auto fileBytes = static_cast<std::int64_t>(fs::file_size(path, ignored));
  std::int64_t chunks = 0;
  SQLite::Statement query(*database, "SELECT name, type, shape, bytes, first_chunk, hash FROM entry ORDER BY number");
  while (query.executeStep()) {
    CheckpointEntry entry{query.getColumn(0).getString(), query.getColumn(1).getString(), {}, query.getColumn(3).getInt64()};
    const auto shape = shapeFromText(query.getColumn(2).getString());
    const bool sane = shape && entry.bytes >= 0 && entry.bytes <= fileBytes && query.getColumn(4).getInt64() == chunks &&
                      entries.size() < kMaxEntries && !byName.contains(entry.name);
    if (!sane) return damaged("the description of entry '" + entry.name + "' is not possible");
    entry.shape = *shape;
    std::array<std::byte, 16> hash{};
    const auto stored = blobOf(query.getColumn(5));
    if (stored.size() != hash.size()) return damaged("the hash of entry '" + entry.name + "' is cut short");
    std::copy(stored.begin(), stored.end(), hash.begin());
    content.addEntry(entry, chunks, hash);
    entryHashes.push_back(hash);
    byName[entry.name] = entries.size();
    firstChunks.push_back(chunks);
    chunks += chunkCount(entry.bytes);
    entries.push_back(std::move(entry));
  }
  return {};
}

Result<void> CheckpointReader::State::checkManifest(ContentHasher& content) {
  for (const auto& [name, value] : facts) {
    content.addText(name);
    content.addText(value);
  }
  if (manifest["hash"] != content.hex()) return damaged("its manifest does not match its content");
  return {};
}

Result<void> CheckpointReader::State::forEachChunk(std::size_t index, const ChunkVisitor& visit) {
  const CheckpointEntry& entry = entries[index];
  SQLite::Statement query(*database, "SELECT hash, data FROM chunk WHERE number=?");
  Hasher hashes;
  std::int64_t number = firstChunks[index];
  for (std::int64_t at = 0; at < entry.bytes; ++number) {
    const auto bad = [&](const char* what) {
      return damaged("chunk " + std::to_string(number) + " of entry '" + entry.name + "' " + what);
    };
    query.reset();
    query.bind(1, number);
    if (!query.executeStep()) return bad("is missing");
    const auto stored = blobOf(query.getColumn(0));
    const auto data = blobOf(query.getColumn(1));
    if (static_cast<std::int64_t>(data.size()) != std::min(kChunkBytes, entry.bytes - at)) return bad("has a wrong length");
    const auto actual = bytesOf(chunkHash(number, data));
    if (!std::equal(stored.begin(), stored.end(), actual.begin(), actual.end())) return bad("fails its hash");
    hashes.update(actual);
    visit(at, data);
    at += static_cast<std::int64_t>(data.size());
  }
  if (bytesOf(hashes.digest()) != entryHashes[index]) return damaged("the chunks of entry '" + entry.name + "' are not its own");
  return {};
}

CheckpointReader::CheckpointReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
CheckpointReader::CheckpointReader(CheckpointReader&&) noexcept = default;
CheckpointReader& CheckpointReader::operator=(CheckpointReader&&) noexcept = default;
CheckpointReader::~CheckpointReader() = default;

Result<CheckpointReader> CheckpointReader::open(const fs::path& path) {
  const auto header = readDatabaseHeader(path);
  if (!header.ok()) return header.error();
  if (!header->isDatabase || header->applicationId != kCheckpointApplicationId)
    return Error::corrupt("'" + path.native() + "' is not a checkpoint of Batchwise");
  if (header->userVersion > kFormatVersion)
    return Error::unsupported("checkpoint '" + path.native() + "' has format " + std::to_string(header->userVersion) +
                              ", this program knows up to " + std::to_string(kFormatVersion) + "; use a newer Batchwise");
  auto state = std::make_unique<State>();
  state->path = path;
  auto loaded = guarded(nullptr, path, [&]() -> Result<void> {
    state->database = openDatabase(path, DatabaseUse::ReadFixed);
    return state->load();
  });
  if (!loaded.ok()) return loaded.error();
  return CheckpointReader(std::move(state));
}

const std::vector<CheckpointEntry>& CheckpointReader::entries() const { return state_->entries; }
const std::map<std::string, std::string>& CheckpointReader::facts() const { return state_->facts; }

Result<void> CheckpointReader::read(const std::string& name, std::span<std::byte> target) const {
  const auto found = state_->byName.find(name);
  if (found == state_->byName.end())
    return Error::notFound("checkpoint '" + state_->path.native() + "' has no entry '" + name + "'");
  const CheckpointEntry& entry = state_->entries[found->second];
  if (entry.bytes != static_cast<std::int64_t>(target.size()))
    return Error::internal("entry '" + name + "' has " + std::to_string(entry.bytes) + " bytes, the target " +
                           std::to_string(target.size()));
  return guarded(state_->database.get(), state_->path, [&] {
    return state_->forEachChunk(found->second, [&](std::int64_t offset, std::span<const std::byte> data) {
      std::copy(data.begin(), data.end(), target.begin() + offset);
    });
  });
}

Result<void> CheckpointReader::verify() const {
  return guarded(state_->database.get(), state_->path, [&]() -> Result<void> {
    for (std::size_t entry = 0; entry < state_->entries.size(); ++entry)
      if (auto fine = state_->forEachChunk(entry, [](std::int64_t, std::span<const std::byte>) {}); !fine.ok()) return fine;
    return {};
  });
}

void removeAbandonedCheckpointFiles(const fs::path& folder, std::int64_t nowMs) {
  std::error_code failure;
  for (const auto& file : fs::directory_iterator(folder, failure)) {
    const auto writer = writerOfPartial(file.path().filename().native());
    if (!writer) continue;
    const auto written = fs::last_write_time(file.path(), failure);
    if (failure) continue;
    const auto writtenMs = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::file_clock::to_sys(written).time_since_epoch());
    if (isDead(*writer, writtenMs.count(), nowMs)) removeWithSideFiles(file.path());
  }
}

}  // namespace batchwise
