// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/replace_file.h"
#include "core/base/result.h"

namespace batchwise {

// The frame of an archive file (ARCHIVE.md): a header, then records with a hash each, the last of which seals the
// others.

constexpr std::uint32_t kArchiveFormat = 1;

enum class ArchiveKind : std::uint32_t {
  Run = 1,         ///< JSON
  Checkpoint = 2,  ///< JSON; its Data follows
  Data = 3,        ///< bytes of a checkpoint file
  Series = 4,      ///< JSON
  Rows = 5,        ///< binary
  Events = 6,      ///< JSON
  End = 7,         ///< hash over the hashes of all records before
};

/// The bytes that every archive begins with.
std::string archiveMark();

/// Bytes that the content of a record may have at most; 0 for a kind that is not known.
std::int64_t mostArchiveBytes(ArchiveKind kind);

/// Writes the frame onto a sink. One thread.
class ArchiveWriter {
 public:
  explicit ArchiveWriter(const FileSink& sink) : sink_(sink) {}

  Result<void> begin();
  /// Fails with Config if the content is larger than allowed, or as the sink does.
  Result<void> add(ArchiveKind kind, std::span<const std::byte> content);
  Result<void> add(ArchiveKind kind, const std::string& text) { return add(kind, std::as_bytes(std::span(text))); }
  Result<void> end();

 private:
  const FileSink& sink_;
  std::uint64_t records_ = 0;
  Hasher hashes_;
};

struct ArchiveRecord {
  ArchiveKind kind = ArchiveKind::End;
  std::vector<std::byte> content;
  std::string_view text() const { return {reinterpret_cast<const char*>(content.data()), content.size()}; }
};

/// Reads a file of unknown origin record by record; needs memory for one. One thread.
class ArchiveReader {
 public:
  /// Fails with NotFound, Io, Corrupt if it is no archive, or Unsupported for a newer format.
  static Result<ArchiveReader> open(const std::filesystem::path& path);

  /// The next record, its hash checked; End is the last, and nothing may follow it. Fails with Corrupt, or Io.
  Result<ArchiveRecord> next();
  /// Back to the first record.
  void rewind();

  std::int64_t bytes() const { return bytes_; }
  std::int64_t position() const { return position_; }
  /// Of everything read so far.
  Hash128 digest() const { return hashes_.digest(); }
  Error damaged(const std::string& what) const;

 private:
  ArchiveReader(std::filesystem::path path, FileDescriptor file, std::int64_t bytes)
      : path_(std::move(path)), file_(std::move(file)), bytes_(bytes) {}
  Result<void> readBytes(std::span<std::byte> target);
  Result<void> checkHeader();
  Result<void> checkEnd(const ArchiveRecord& record);

  std::filesystem::path path_;
  FileDescriptor file_;
  std::int64_t bytes_;
  std::int64_t position_ = 0;
  std::uint64_t records_ = 0;
  Hasher hashes_;
};

}  // namespace batchwise
