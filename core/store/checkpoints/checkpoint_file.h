// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/result.h"

namespace batchwise {

/// A named block of bytes of a checkpoint, usually a tensor. core/store does not depend on tensor types.
struct CheckpointEntry {
  std::string name;                 ///< "model/bert.embeddings.word_embeddings.weight"
  std::string type;                 ///< "fp32", "bf16", "i64", "bytes"
  std::vector<std::int64_t> shape;  ///< empty for bytes
  std::int64_t bytes = 0;
};

/// Returns whether `bytes`, of CheckpointEntry::type `type`, contain no NaN or infinity; true for types without such
/// values. One pass in the calling thread.
bool holdsFiniteNumbers(const std::string& type, std::span<const std::byte> bytes);

/// Writes a checkpoint file as a new SQLite database under a temporary name: 64 KiB pages, entries in chunks with a
/// hash each, then the manifest; finish() syncs and renames it (see CHECKPOINT.md). The destructor removes an
/// unfinished file. Not thread-safe.
class CheckpointWriter {
 public:
  /// Fails with Io or DiskFull. Compares `expectedBytes` with the free space first.
  static Result<CheckpointWriter> create(const std::filesystem::path& path, std::int64_t expectedBytes);
  CheckpointWriter(CheckpointWriter&&) noexcept;
  CheckpointWriter& operator=(CheckpointWriter&&) noexcept;
  ~CheckpointWriter();

  Result<void> add(const CheckpointEntry& entry, std::span<const std::byte> bytes);
  /// `facts`: small state such as config, clocks and versions, as JSON text by name.
  Result<void> finish(const std::map<std::string, std::string>& facts);

 private:
  struct State;
  explicit CheckpointWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Imports an untrusted checkpoint file: writes it under a temporary name, and finish() verifies and renames it. The
/// destructor removes an unfinished file. Not thread-safe.
class CheckpointImporter {
 public:
  /// Fails with Io.
  static Result<CheckpointImporter> create(const std::filesystem::path& path);
  CheckpointImporter(CheckpointImporter&&) noexcept = default;
  CheckpointImporter& operator=(CheckpointImporter&&) = delete;
  ~CheckpointImporter();

  /// Fails with Io or DiskFull.
  Result<void> add(std::span<const std::byte> bytes);
  /// Fails as CheckpointReader::verify, or with Io.
  Result<void> finish();

 private:
  CheckpointImporter(std::filesystem::path path, std::filesystem::path beside, FileDescriptor file)
      : path_(std::move(path)), beside_(std::move(beside)), file_(std::move(file)) {}

  std::filesystem::path path_;
  std::filesystem::path beside_;
  FileDescriptor file_;
};

/// Reads a checkpoint file, read-only and hardened as an untrusted file. Not thread-safe.
class CheckpointReader {
 public:
  /// Fails with NotFound, Corrupt, or Unsupported (newer format).
  static Result<CheckpointReader> open(const std::filesystem::path& path);
  /// Opens the file of a CheckpointRecord in the workspace `folder`. Also fails as findCheckpointFile() does.
  static Result<CheckpointReader> openIn(const std::filesystem::path& folder, const std::string& file);
  CheckpointReader(CheckpointReader&&) noexcept;
  CheckpointReader& operator=(CheckpointReader&&) noexcept;
  ~CheckpointReader();

  const std::vector<CheckpointEntry>& entries() const;
  const std::map<std::string, std::string>& facts() const;
  /// Reads an entry into `target` (of exactly its size) and verifies the hash of each chunk. Fails with NotFound or
  /// Corrupt.
  Result<void> read(const std::string& name, std::span<std::byte> target) const;
  /// Reads and verifies everything. Also fails with Stopped.
  Result<void> verify(const std::stop_token& stop = {}) const;

 private:
  struct State;
  explicit CheckpointReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Deletes unfinished checkpoint files in `folder` that nobody has locked, as their writers do.
void removeAbandonedCheckpointFiles(const std::filesystem::path& folder);

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
