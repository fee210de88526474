// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/exchange/archive_format.h"
#include "core/exchange/archive_text.h"

namespace batchwise {

/// The content of an archive in its one order (ARCHIVE.md), asked for part by part: the run, each checkpoint with its
/// data, the series, the rows, the events, the end. Every part is checked, also against those before it. All fail with
/// Corrupt, or Io. One thread.
class ArchiveStream {
 public:
  explicit ArchiveStream(ArchiveReader& reader) : reader_(reader) {}

  Result<RunDetail> run();
  /// The next checkpoint; nothing after the last. Data of the one before that was not asked for is checked and skipped.
  Result<std::optional<CheckpointRecord>> nextCheckpoint();
  /// The next bytes of the checkpoint, valid until the next call; empty at its end.
  Result<std::span<const std::byte>> nextData();
  Result<std::vector<std::string>> series();
  Result<std::optional<TransferRow>> nextRow();
  Result<std::optional<StoredEvent>> nextEvent();
  Result<void> end();

 private:
  /// Makes the next record the present one unless there is one that was not used up.
  Result<void> look();
  bool holds(ArchiveKind kind) const { return record_ && record_->kind == kind; }
  Result<void> expect(ArchiveKind kind, const char* what);
  Result<void> checkRow(const TransferRow& row);

  ArchiveReader& reader_;
  std::optional<ArchiveRecord> record_;
  std::vector<std::byte> data_;
  std::int64_t dataLeft_ = 0;  ///< of the present checkpoint
  std::int64_t segments_ = 0;
  std::vector<std::int32_t> seriesKinds_;
  std::span<const std::byte> rowsLeft_;
  std::optional<std::tuple<std::int64_t, std::int32_t, std::int64_t>> lastRow_;  ///< segment, kind, position
  std::vector<StoredEvent> events_;
  std::size_t eventsTaken_ = 0;
};

}  // namespace batchwise
