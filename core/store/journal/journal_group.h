// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchwise {

// Groups of records as bytes and back; SCHEMA.md describes them. Internal to core/store.

constexpr std::int64_t kJournalFormat = 2;

/// Largest record of a journal, in bytes of its text.
constexpr std::uint32_t kJournalRecordBytes = 16 << 20;

/// What stands before the records of a group, little endian. `mark` is more than the length of any record of format 1,
/// whose first four bytes are that length, so one look tells the two apart.
struct JournalGroupHead {
  static constexpr std::uint32_t kMark = 0x70724742;  // "BGrp"
  std::uint32_t mark = kMark;
  std::uint32_t count = 0;   ///< records
  std::uint32_t bytes = 0;   ///< of the records, behind the head
  std::uint32_t crc = 0;     ///< CRC-32C of the fields below and above but for itself and the mark, then the records
  std::int64_t first = 0;    ///< number of the first record
  std::uint32_t run = 0;     ///< CRC-32C of the id of the run
  std::int32_t segment = 0;  ///< that the records belong to
};
static_assert(sizeof(JournalGroupHead) == 32);

/// A group that has so much takes no more records.
constexpr std::uint32_t kJournalGroupFullBytes = 1 << 20;
/// Largest `bytes`.
constexpr std::uint32_t kJournalGroupBytes = kJournalGroupFullBytes + kJournalRecordBytes + sizeof(std::uint32_t);

/// Collects records for one group.
class JournalGroup {
 public:
  /// False, and nothing is added, if the record is too large for a journal.
  bool add(const nlohmann::json& record);
  std::uint32_t count() const { return count_; }
  /// Whether it is large enough: what comes next goes into another one.
  bool full() const { return body_.size() >= kJournalGroupFullBytes; }
  /// Head and records.
  std::string encoded(std::int64_t first, std::string_view run, std::int64_t segment) const;

 private:
  std::string body_;
  std::uint32_t count_ = 0;
};

/// The value of `run` in a head.
std::uint32_t journalRunMark(std::string_view run);

/// Whether the head can be that of a group in a file with `room` bytes from its mark on.
bool isPlausible(const JournalGroupHead& head, std::int64_t room);

/// The texts of the records, which point into `body`, if that is what the head says: its checksum, as many JSON
/// objects, filling it exactly.
std::optional<std::vector<std::string_view>> recordsOf(const JournalGroupHead& head, std::string_view body);

}  // namespace batchwise
