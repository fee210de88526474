// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"

namespace batchwise {

/// One named block of bytes of a checkpoint, usually a tensor. The store does not know what a tensor is.
struct CheckpointEntry {
  std::string name;                 ///< "model/bert.embeddings.word_embeddings.weight"
  std::string type;                 ///< "fp32", "bf16", "i64", "bytes"
  std::vector<std::int64_t> shape;  ///< empty for bytes
  std::int64_t bytes = 0;
};

/// Whether none of the numbers in `bytes`, of CheckpointEntry::type `type`, is a NaN or an infinity. Types without such
/// values hold finite ones only. One pass in the calling thread.
bool holdsFiniteNumbers(const std::string& type, std::span<const std::byte> bytes);

/// Writes a checkpoint file: a fresh SQLite database beside the final name, 64 KiB pages, entries in chunks with a hash
/// each, then the manifest; synced, renamed, folder synced (see CHECKPOINT.md). One thread at a time. A writer that is
/// destroyed before finish() leaves nothing behind.
class CheckpointWriter {
 public:
  /// Fails with Io or DiskFull. `expectedBytes` is checked against the free space first.
  static Result<CheckpointWriter> create(const std::filesystem::path& path, std::int64_t expectedBytes);
  CheckpointWriter(CheckpointWriter&&) noexcept;
  CheckpointWriter& operator=(CheckpointWriter&&) noexcept;
  ~CheckpointWriter();

  Result<void> add(const CheckpointEntry& entry, std::span<const std::byte> bytes);
  /// `facts` is the small state (JSON text by name): config, clock, versions.
  Result<void> finish(const std::map<std::string, std::string>& facts);

 private:
  struct State;
  explicit CheckpointWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Reads one. Opened read-only and hardened as a file from elsewhere. One thread at a time.
class CheckpointReader {
 public:
  /// Fails with NotFound, Corrupt, or Unsupported (newer format).
  static Result<CheckpointReader> open(const std::filesystem::path& path);
  /// Opens the file of a CheckpointRecord in the workspace `folder`. Fails also as findCheckpointFile() does.
  static Result<CheckpointReader> openIn(const std::filesystem::path& folder, const std::string& file);
  CheckpointReader(CheckpointReader&&) noexcept;
  CheckpointReader& operator=(CheckpointReader&&) noexcept;
  ~CheckpointReader();

  const std::vector<CheckpointEntry>& entries() const;
  const std::map<std::string, std::string>& facts() const;
  /// Reads an entry into `target` (exactly its size) and checks every chunk's hash. Fails with NotFound or Corrupt.
  Result<void> read(const std::string& name, std::span<std::byte> target) const;
  /// Reads and checks everything. Fails also with Stopped.
  Result<void> verify(const std::stop_token& stop = {}) const;

 private:
  struct State;
  explicit CheckpointReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Deletes half-written checkpoint files in `folder` whose writer is dead (see CheckpointWriter). `nowMs`: milliseconds
/// since 1970, for writers on other hosts: those are given 2 minutes since the last write.
void removeAbandonedCheckpointFiles(const std::filesystem::path& folder, std::int64_t nowMs);

}  // namespace batchwise
