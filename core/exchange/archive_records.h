// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/exchange/archive_text.h"

namespace batchwise {

// Container format of archives (ARCHIVE.md): a header, then records with a hash each; the last record holds a hash over
// all others.

constexpr std::uint32_t kArchiveFormat = 1;

enum class ArchiveKind : std::uint32_t {
  Run = 1,         ///< JSON
  Checkpoint = 2,  ///< JSON; its Data follows
  Data = 3,        ///< bytes of a checkpoint file
  Series = 4,      ///< binary chunk of a checkpoint file
  Rows = 5,        ///< binary
  Events = 6,      ///< JSON
  End = 7,         ///< hash over the hashes of all preceding records
};

/// Returns the maximum content size of a record in bytes; 0 for an unknown kind.
std::int64_t maxRecordBytes(ArchiveKind kind);

/// Writes the container format to a sink. Not thread-safe.
class ArchiveWriter {
 public:
  explicit ArchiveWriter(const FileSink& sink) : sink_(sink) {}

  Result<void> begin();
  /// Fails with Config if the content is too large, or as the sink does.
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

/// Reads an untrusted archive record by record, with memory for one record. Not thread-safe.
class ArchiveReader {
 public:
  /// Fails with NotFound, Io, Corrupt if it is not an archive, or Unsupported for a newer format.
  static Result<ArchiveReader> open(const std::filesystem::path& path);

  /// Returns the next record after checking its hash. The last is End, which must end the file. Fails with Corrupt or
  /// Io.
  Result<ArchiveRecord> next();
  void rewind();

  std::int64_t bytes() const { return bytes_; }
  std::int64_t position() const { return position_; }
  /// Hash over everything read so far.
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

/// Reads the content of an archive in its fixed order (ARCHIVE.md): run, each checkpoint with its data, series, rows,
/// events, end. Validates each part, also against the preceding ones. All methods fail with Corrupt or Io. Not
/// thread-safe.
class ArchiveStream {
 public:
  explicit ArchiveStream(ArchiveReader& reader) : reader_(reader) {}

  Result<RunDetail> run();
  /// Returns the next checkpoint, or nothing after the last. Validates and skips unread data of the previous one.
  Result<std::optional<CheckpointRecord>> nextCheckpoint();
  /// Returns the next chunk of the current checkpoint, valid until the next call; empty at its end.
  Result<std::span<const std::byte>> nextData();
  Result<std::vector<std::string>> series();
  Result<std::optional<TransferRow>> nextRow();
  Result<std::optional<StoredEvent>> nextEvent();
  Result<void> end();

 private:
  /// Reads the next record unless the current one has not been consumed.
  Result<void> fetchRecord();
  bool recordIs(ArchiveKind kind) const { return record_ && record_->kind == kind; }
  Result<void> expect(ArchiveKind kind, const std::string& what);
  /// Parses the current record.
  template <typename Value>
  Result<Value> consume(Result<Value> (*parse)(std::string_view));
  Result<void> checkRow(const TransferRow& row);

  ArchiveReader& reader_;
  std::optional<ArchiveRecord> record_;
  std::vector<std::byte> data_;
  std::int64_t dataLeft_ = 0;  ///< of the current checkpoint
  std::int64_t segments_ = 0;
  std::vector<std::int32_t> seriesKinds_;
  std::span<const std::byte> rowsLeft_;
  std::optional<std::tuple<std::int64_t, std::int32_t, std::int64_t>> lastRow_;  ///< segment, kind, position
  std::vector<StoredEvent> events_;
  std::size_t eventsReturned_ = 0;
};

}  // namespace batchwise
