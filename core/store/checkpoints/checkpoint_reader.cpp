// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <functional>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/database.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace fs = std::filesystem;

constexpr std::int64_t kMaxCheckpointValueBytes = 64 << 20;  // of a fact or a chunk
constexpr std::size_t kMaxFacts = 10'000;

struct CheckpointReader::State {
  fs::path path;
  std::unique_ptr<SQLite::Database> database;
  std::int64_t fileBytes = 0;
  std::int64_t textBytes = 0;  // read so far, bounded because cyclic pages would yield texts without end
  std::vector<CheckpointEntry> entries;
  std::vector<std::int64_t> firstChunks;
  std::vector<HashBytes> entryHashes;
  std::map<std::string, std::size_t> byName;
  std::map<std::string, std::string> facts;
  std::map<std::string, std::string> manifest;

  Error damaged(const std::string& what) const {
    return Error::corrupt(formatText("checkpoint '{}' is damaged: {}", path.native(), what));
  }
  Result<void> load();
  Result<void> checkCheckpointTables();
  Result<std::string> text(const SQLite::Column& column);
  Result<void> readTexts(const char* sql, std::map<std::string, std::string>& texts);
  Result<void> readEntries(ContentHasher& content);
  Result<void> checkManifest(ContentHasher& content);
  using ChunkVisitor = std::function<void(std::int64_t offset, std::span<const std::byte> data)>;
  /// Calls `visit` with each chunk after verifying its hash.
  Result<void> forEachChunk(std::size_t index, const ChunkVisitor& visit);
};

Result<void> CheckpointReader::State::load() {
  const WorkLimit limit(*database, vmStepLimit(fileBytes));
  hardenForUntrustedFile(*database, static_cast<int>(std::min(kMaxCheckpointValueBytes, fileBytes)));
  RETURN_IF_ERROR(checkCheckpointTables());
  RETURN_IF_ERROR(readTexts("SELECT key, value FROM manifest", manifest));
  RETURN_IF_ERROR(readTexts("SELECT name, value FROM fact", facts));
  ContentHasher content;
  RETURN_IF_ERROR(readEntries(content));
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

/// Fails if the texts read so far are longer than the file.
Result<std::string> CheckpointReader::State::text(const SQLite::Column& column) {
  textBytes += column.getBytes();
  if (textBytes > fileBytes) return damaged("it claims to hold more text than its size allows");
  return column.getString();
}

Result<void> CheckpointReader::State::readTexts(const char* sql, std::map<std::string, std::string>& texts) {
  SQLite::Statement query(*database, sql);
  while (query.executeStep()) {
    ASSIGN_OR_RETURN(const auto name, text(query.getColumn(0)));
    ASSIGN_OR_RETURN(auto value, text(query.getColumn(1)));
    if (texts.size() == kMaxFacts || !texts.emplace(name, std::move(value)).second)
      return damaged(formatText("'{}' appears twice, or there are too many entries", name));
  }
  return {};
}

Result<void> CheckpointReader::State::readEntries(ContentHasher& content) {
  std::int64_t chunks = 0, bytes = 0;
  SQLite::Statement query(*database, "SELECT name, type, shape, bytes, first_chunk, hash FROM entry ORDER BY number");
  while (query.executeStep()) {
    ASSIGN_OR_RETURN(const auto name, text(query.getColumn(0)));
    ASSIGN_OR_RETURN(const auto type, text(query.getColumn(1)));
    CheckpointEntry entry{name, type, {}, query.getColumn(3).getInt64()};
    const auto shape = shapeFromText(query.getColumn(2).getString());
    const bool sane = shape && entry.bytes >= 0 && entry.bytes <= fileBytes - bytes &&
                      query.getColumn(4).getInt64() == chunks && entries.size() < kMaxEntries &&
                      !byName.contains(entry.name);
    if (!sane) return damaged(formatText("the description of entry '{}' is invalid", entry.name));
    entry.shape = *shape;
    bytes += entry.bytes;
    HashBytes hash{};
    const auto stored = blobOf(query.getColumn(5));
    if (stored.size() != hash.size()) return damaged(formatText("the hash of entry '{}' is cut short", entry.name));
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
    const auto bad = [&](const std::string& what) {
      return damaged(formatText("chunk {} of entry '{}' {}", number, entry.name, what));
    };
    query.reset();
    query.bind(1, number);
    if (!query.executeStep()) return bad("is missing");
    const auto stored = blobOf(query.getColumn(0));
    const auto data = blobOf(query.getColumn(1));
    if (static_cast<std::int64_t>(data.size()) != std::min(kChunkBytes, entry.bytes - at))
      return bad("has the wrong length");
    const auto actual = bytesOf(chunkHash(number, data));
    if (!std::equal(stored.begin(), stored.end(), actual.begin(), actual.end())) return bad("does not match its hash");
    hashes.update(actual);
    visit(at, data);
    at += static_cast<std::int64_t>(data.size());
  }
  if (bytesOf(hashes.digest()) != entryHashes[index])
    return damaged(formatText("the chunks of entry '{}' are not its own", entry.name));
  return {};
}

CheckpointReader::CheckpointReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
CheckpointReader::CheckpointReader(CheckpointReader&&) noexcept = default;
CheckpointReader& CheckpointReader::operator=(CheckpointReader&&) noexcept = default;
CheckpointReader::~CheckpointReader() = default;

Result<CheckpointReader> CheckpointReader::openIn(const fs::path& folder, const std::string& file) {
  ASSIGN_OR_RETURN(const auto path, findCheckpointFile(folder, file));
  return open(path);
}

Result<CheckpointReader> CheckpointReader::open(const fs::path& path) {
  const auto header = readDatabaseHeader(path);
  if (!header.ok()) return header.error();
  if (!header->isDatabase || header->applicationId != kCheckpointApplicationId)
    return Error::corrupt(formatText("'{}' is not a checkpoint of Batchwise", path.native()));
  if (header->userVersion > kCheckpointFormat)
    return Error::unsupported(
        formatText("checkpoint '{}' has format {}, this program knows up to {}; use a newer Batchwise", path.native(),
                   header->userVersion, kCheckpointFormat));
  std::error_code failure;
  const auto bytes = static_cast<std::int64_t>(fs::file_size(path, failure));
  if (failure) return Error::fromErrno(failure.value(), "cannot read '{}'", path.native());
  if (bytes != header->pages * header->pageBytes)
    return Error::corrupt(formatText("checkpoint '{}' has {} bytes, but should have {}", path.native(), bytes,
                                     header->pages * header->pageBytes));
  auto state = std::make_unique<State>();
  state->path = path;
  state->fileBytes = bytes;
  RETURN_IF_ERROR(catchDatabaseErrors(state->database, path, [&]() -> Result<void> {
    state->database = openDatabase(path, DatabaseUse::ReadImmutable);
    return state->load();
  }));
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
    return Error::notFound(formatText("checkpoint '{}' has no entry '{}'", state_->path.native(), name));
  const CheckpointEntry& entry = state_->entries[found->second];
  if (entry.bytes != static_cast<std::int64_t>(target.size()))
    return Error::internal(formatText("entry '{}' has {} bytes, but the target {}", name, entry.bytes, target.size()));
  return catchDatabaseErrors(state_->database, state_->path, [&] {
    const WorkLimit limit(*state_->database, vmStepLimit(state_->fileBytes));
    return state_->forEachChunk(found->second, [&](std::int64_t offset, std::span<const std::byte> data) {
      std::copy(data.begin(), data.end(), target.begin() + offset);
    });
  });
}

Result<void> CheckpointReader::verify(const std::stop_token& stop) const {
  return catchDatabaseErrors(state_->database, state_->path, [&]() -> Result<void> {
    const WorkLimit limit(*state_->database, vmStepLimit(state_->fileBytes));
    for (std::size_t entry = 0; entry < state_->entries.size(); ++entry) {
      if (stop.stop_requested()) return Error{ErrorCode::Stopped, "canceled", {}};
      RETURN_IF_ERROR(state_->forEachChunk(entry, [](std::int64_t, std::span<const std::byte>) {}));
    }
    return {};
  });
}

}  // namespace batchwise
