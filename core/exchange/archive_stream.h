// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/message.h"
#include "core/exchange/archive_format.h"
#include "core/exchange/archive_text.h"

namespace batchwise {

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
  Result<void> expect(ArchiveKind kind, const Message& what);
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
