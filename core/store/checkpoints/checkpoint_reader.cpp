// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <functional>

#include "core/store/checkpoints/checkpoint_format.h"
#include "core/store/database.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace fs = std::filesystem;

constexpr std::int64_t kLargestCheckpointValue = 64 << 20;  // of a fact, a chunk
constexpr std::size_t kMostFacts = 10'000;

struct CheckpointReader::State {
  fs::path path;
  std::unique_ptr<SQLite::Database> database;
  std::int64_t fileBytes = 0;
  std::int64_t textBytes = 0;  // read so far; pages that lead in circles give texts without end
  std::vector<CheckpointEntry> entries;
  std::vector<std::int64_t> firstChunks;
  std::vector<HashBytes> entryHashes;
  std::map<std::string, std::size_t> byName;
  std::map<std::string, std::string> facts;
  std::map<std::string, std::string> manifest;

  Error damaged(const std::string& what) const {
    return Error::corrupt("checkpoint '" + path.native() + "' is damaged: " + what);
  }
  Result<void> load();
  Result<void> checkCheckpointTables();
  Result<std::string> text(const SQLite::Column& column);
  Result<void> readTexts(const char* sql, std::map<std::string, std::string>& texts);
  Result<void> readEntries(ContentHasher& content);
  Result<void> checkManifest(ContentHasher& content);
  using ChunkVisitor = std::function<void(std::int64_t offset, std::span<const std::byte> data)>;
  /// Calls `visit` with each chunk whose hash is right.
  Result<void> forEachChunk(std::size_t index, const ChunkVisitor& visit);
};

Result<void> CheckpointReader::State::load() {
  const WorkLimit limit(*database, stepsForFile(fileBytes));
  hardenAgainstContent(*database, static_cast<int>(std::min(kLargestCheckpointValue, fileBytes)));
  if (auto fine = checkCheckpointTables(); !fine.ok()) return fine;
  if (auto read = readTexts("SELECT key, value FROM manifest", manifest); !read.ok()) return read;
  if (auto read = readTexts("SELECT name, value FROM fact", facts); !read.ok()) return read;
  ContentHasher content;
  if (auto read = readEntries(content); !read.ok()) return read;
  return checkManifest(content);
}

Result<void> CheckpointReader::State::checkCheckpointTables() {
  SQLite::Statement query(*database, "SELECT sql FROM sqlite_schema ORDER BY rowid");
  std::size_t found = 0;
  while (query.executeStep()) {
    if (found == kCheckpointTables.size() || query.getColumn(0).getString() != kCheckpointTables[found])
      return damaged("it holds a table that does not belong there");
    ++found;
  }
  return found == kCheckpointTables.size() ? Result<void>{} : damaged("tables are missing");
}

/// All texts together are part of the file.
Result<std::string> CheckpointReader::State::text(const SQLite::Column& column) {
  textBytes += column.getBytes();
  if (textBytes > fileBytes) return damaged("it holds more text than it is long");
  return column.getString();
}

Result<void> CheckpointReader::State::readTexts(const char* sql, std::map<std::string, std::string>& texts) {
  SQLite::Statement query(*database, sql);
  while (query.executeStep()) {
    const auto name = text(query.getColumn(0));
    if (!name.ok()) return name.error();
    auto value = text(query.getColumn(1));
    if (!value.ok()) return value.error();
    if (texts.size() == kMostFacts || !texts.emplace(*name, std::move(*value)).second)
      return damaged("'" + *name + "' is there twice, or is one too many");
  }
  return {};
}

Result<void> CheckpointReader::State::readEntries(ContentHasher& content) {
  std::int64_t chunks = 0, bytes = 0;
  SQLite::Statement query(*database, "SELECT name, type, shape, bytes, first_chunk, hash FROM entry ORDER BY number");
  while (query.executeStep()) {
    const auto name = text(query.getColumn(0));
    if (!name.ok()) return name.error();
    const auto type = text(query.getColumn(1));
    if (!type.ok()) return type.error();
    CheckpointEntry entry{*name, *type, {}, query.getColumn(3).getInt64()};
    const auto shape = shapeFromText(query.getColumn(2).getString());
    const bool sane = shape && entry.bytes >= 0 && entry.bytes <= fileBytes - bytes &&
                      query.getColumn(4).getInt64() == chunks && entries.size() < kMaxEntries &&
                      !byName.contains(entry.name);
    if (!sane) return damaged("the description of entry '" + entry.name + "' is not possible");
    entry.shape = *shape;
    bytes += entry.bytes;
    HashBytes hash{};
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
    if (static_cast<std::int64_t>(data.size()) != std::min(kChunkBytes, entry.bytes - at))
      return bad("has a wrong length");
    const auto actual = bytesOf(chunkHash(number, data));
    if (!std::equal(stored.begin(), stored.end(), actual.begin(), actual.end())) return bad("fails its hash");
    hashes.update(actual);
    visit(at, data);
    at += static_cast<std::int64_t>(data.size());
  }
  if (bytesOf(hashes.digest()) != entryHashes[index])
    return damaged("the chunks of entry '" + entry.name + "' are not its own");
  return {};
}

CheckpointReader::CheckpointReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
CheckpointReader::CheckpointReader(CheckpointReader&&) noexcept = default;
CheckpointReader& CheckpointReader::operator=(CheckpointReader&&) noexcept = default;
CheckpointReader::~CheckpointReader() = default;

Result<CheckpointReader> CheckpointReader::openIn(const fs::path& folder, const std::string& file) {
  const auto path = findCheckpointFile(folder, file);
  if (!path.ok()) return path.error();
  return open(*path);
}

Result<CheckpointReader> CheckpointReader::open(const fs::path& path) {
  const auto header = readDatabaseHeader(path);
  if (!header.ok()) return header.error();
  if (!header->isDatabase || header->applicationId != kCheckpointApplicationId)
    return Error::corrupt("'" + path.native() + "' is not a checkpoint of Batchwise");
  if (header->userVersion > kCheckpointFormat)
    return Error::unsupported("checkpoint '" + path.native() + "' has format " + std::to_string(header->userVersion) +
                              ", this program knows up to " + std::to_string(kCheckpointFormat) +
                              "; use a newer Batchwise");
  std::error_code failure;
  const auto bytes = static_cast<std::int64_t>(fs::file_size(path, failure));
  if (failure) return Error::fromErrno(failure.value(), "cannot read", path.native());
  if (bytes != header->pages * header->pageBytes)
    return Error::corrupt("checkpoint '" + path.native() + "' has " + std::to_string(bytes) +
                          " bytes, it should have " + std::to_string(header->pages * header->pageBytes));
  auto state = std::make_unique<State>();
  state->path = path;
  state->fileBytes = bytes;
  auto loaded = guarded(state->database, path, [&]() -> Result<void> {
    state->database = openDatabase(path, DatabaseUse::ReadFixed);
    return state->load();
  });
  if (!loaded.ok()) return loaded.error();
  return CheckpointReader(std::move(state));
}

const std::vector<CheckpointEntry>& CheckpointReader::entries() const {
  return state_->entries;
}
const std::map<std::string, std::string>& CheckpointReader::facts() const {
  return state_->facts;
}

Result<void> CheckpointReader::read(const std::string& name, std::span<std::byte> target) const {
  const auto found = state_->byName.find(name);
  if (found == state_->byName.end())
    return Error::notFound("checkpoint '" + state_->path.native() + "' has no entry '" + name + "'");
  const CheckpointEntry& entry = state_->entries[found->second];
  if (entry.bytes != static_cast<std::int64_t>(target.size()))
    return Error::internal("entry '" + name + "' has " + std::to_string(entry.bytes) + " bytes, the target " +
                           std::to_string(target.size()));
  return guarded(state_->database, state_->path, [&] {
    const WorkLimit limit(*state_->database, stepsForFile(state_->fileBytes));
    return state_->forEachChunk(found->second, [&](std::int64_t offset, std::span<const std::byte> data) {
      std::copy(data.begin(), data.end(), target.begin() + offset);
    });
  });
}

Result<void> CheckpointReader::verify(const std::stop_token& stop) const {
  return guarded(state_->database, state_->path, [&]() -> Result<void> {
    const WorkLimit limit(*state_->database, stepsForFile(state_->fileBytes));
    for (std::size_t entry = 0; entry < state_->entries.size(); ++entry) {
      if (stop.stop_requested()) return Error{ErrorCode::Stopped, "canceled", {}};
      if (auto fine = state_->forEachChunk(entry, [](std::int64_t, std::span<const std::byte>) {}); !fine.ok())
        return fine;
    }
    return {};
  });
}

}  // namespace batchwise
