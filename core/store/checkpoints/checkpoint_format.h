// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/store/checkpoints/checkpoint_file.h"

namespace batchwise {

// Constants and formats shared by the writer and the reader of checkpoint files (CHECKPOINT.md).

constexpr std::int32_t kCheckpointFormat = 1;
constexpr std::int64_t kChunkBytes = 8 << 20;  ///< size of every chunk of an entry but the last
constexpr std::size_t kMaxEntries = 100'000;
constexpr std::size_t kMaxDimensions = 8;

/// The whole schema. A reader accepts only files with exactly these texts.
inline constexpr std::array<const char*, 4> kCheckpointTables{
    "CREATE TABLE manifest(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE fact(name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE entry(number INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, shape TEXT NOT NULL, "
    "bytes INTEGER NOT NULL, first_chunk INTEGER NOT NULL, hash BLOB NOT NULL) STRICT",
    "CREATE TABLE chunk(number INTEGER PRIMARY KEY, hash BLOB NOT NULL, data BLOB NOT NULL) STRICT",
};

using HashBytes = std::array<std::byte, 16>;
/// Most significant byte first.
HashBytes bytesOf(const Hash128& hash);

/// Hashes the number with the data, so that swapped chunks are detected.
Hash128 chunkHash(std::int64_t number, std::span<const std::byte> data);

/// Formats like "[30522,768]".
std::string shapeText(const std::vector<std::int64_t>& shape);
/// Returns nullopt if `text` is malformed or has more than 8 dimensions.
std::optional<std::vector<std::int64_t>> shapeFromText(const std::string& text);

/// Returns the number of chunks of an entry with this size.
std::int64_t chunkCount(std::int64_t bytes);

/// Hash of everything except chunk data, in the order of writing; stored in the manifest.
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

}  // namespace batchwise
