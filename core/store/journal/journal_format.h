// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/events/json_fields.h"
#include "core/store/run_recorder.h"

namespace batchwise {

// Encoding and decoding of a journal's records, and of groups of them (SCHEMA.md). Internal to core/store.

constexpr std::int64_t kJournalFormat = 1;

/// Ends the name of a journal after hideJournal(), behind the id of its run.
constexpr const char* kHiddenJournal = ".journal.deleted";

/// Largest record of a journal, in bytes of JSON text.
constexpr std::uint32_t kJournalRecordBytes = 16 << 20;

/// Precedes the records of a group, little endian.
struct JournalGroupHeader {
  static constexpr std::uint32_t kMark = 0x70724742;  // "BGrp"
  std::uint32_t mark = kMark;
  std::uint32_t count = 0;   ///< number of records
  std::uint32_t bytes = 0;   ///< size of the records after this header
  std::uint32_t crc = 0;     ///< CRC-32C of count, bytes, first, run, segment and the records
  std::int64_t first = 0;    ///< number of the first record
  std::uint32_t run = 0;     ///< CRC-32C of the id of the run
  std::int32_t segment = 0;  ///< segment of the records
};
static_assert(sizeof(JournalGroupHeader) == 32);

/// A group of this size takes no more records.
constexpr std::uint32_t kJournalGroupFullBytes = 1 << 20;
/// Largest value of `bytes`.
constexpr std::uint32_t kJournalGroupBytes = kJournalGroupFullBytes + kJournalRecordBytes + sizeof(std::uint32_t);

class JournalGroup {
 public:
  /// Returns false and adds nothing if the record is too large for a journal.
  bool add(const nlohmann::json& record);
  std::uint32_t count() const { return count_; }
  bool full() const { return body_.size() >= kJournalGroupFullBytes; }
  /// Returns header and records.
  std::string encoded(std::int64_t first, std::string_view run, std::int64_t segment) const;

 private:
  std::string body_;
  std::uint32_t count_ = 0;
};

/// Returns whether `head` can be the header of a group in a file with `room` bytes from its mark to the end.
bool isPlausible(const JournalGroupHeader& head, std::int64_t room);

/// Returns the texts of the records, which point into `body`; nullopt unless the checksum matches and `body` consists
/// of exactly `count` JSON objects.
std::optional<std::vector<std::string_view>> recordsOf(const JournalGroupHeader& head, std::string_view body);

nlohmann::json runRecord(const std::string& id, const NewRun& run, std::int64_t nowMs);
nlohmann::json segmentRecord(std::int64_t number, const RunRecorder::SegmentStart& start, std::int64_t nowMs);
nlohmann::json checkpointRecord(const CheckpointRecord& record);

/// Decode records; missing members and those of another type get defaults. checkpointFrom() fails with Corrupt unless
/// the file is in `checkpoints/` and the id is plain.
NewRun newRunFrom(const nlohmann::json& record);
/// Returns what the segment of a restarted run replaces; nullopt for other segments.
std::optional<NewRun> restartIn(const nlohmann::json& segment);
Result<CheckpointRecord> checkpointFrom(const nlohmann::json& record);

}  // namespace batchwise
