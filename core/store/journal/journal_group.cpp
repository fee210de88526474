// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/journal/journal_group.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/hash.h"

namespace batchwise {
namespace {

using Json = nlohmann::json;
constexpr std::uint32_t kLengthBytes = sizeof(std::uint32_t);
constexpr std::int64_t kMaxRecords = std::int64_t{1} << 50;

template <typename Value>
std::uint32_t crcOf(const Value& value, std::uint32_t crc) {
  return crc32c(std::as_bytes(std::span{&value, 1}), crc);
}

std::uint32_t checksumOf(const JournalGroupHeader& head, std::string_view body) {
  std::uint32_t crc = crcOf(head.count, 0);
  crc = crcOf(head.bytes, crc);
  crc = crcOf(head.first, crc);
  crc = crcOf(head.run, crc);
  crc = crcOf(head.segment, crc);
  return crc32c(std::as_bytes(std::span{body}), crc);
}

}  // namespace

bool JournalGroup::add(const Json& record) {
  const std::string text = record.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kJournalRecordBytes) return false;
  const auto length = static_cast<std::uint32_t>(text.size());
  body_.append(reinterpret_cast<const char*>(&length), kLengthBytes);
  body_ += text;
  ++count_;
  return true;
}

std::string JournalGroup::encoded(std::int64_t first, std::string_view run, std::int64_t segment) const {
  JournalGroupHeader head;
  head.count = count_;
  head.bytes = static_cast<std::uint32_t>(body_.size());
  head.first = first;
  head.run = runIdCrc(run);
  head.segment = static_cast<std::int32_t>(segment);
  head.crc = checksumOf(head, body_);
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  return bytes += body_;
}

std::uint32_t runIdCrc(std::string_view run) {
  return crc32c(std::as_bytes(std::span{run}));
}

bool isPlausible(const JournalGroupHeader& head, std::int64_t room) {
  return head.mark == JournalGroupHeader::kMark && head.count > 0 && head.bytes <= kJournalGroupBytes &&
         head.bytes >= std::uint64_t{head.count} * kLengthBytes && head.first >= 0 && head.first < kMaxRecords &&
         head.segment >= 0 && static_cast<std::int64_t>(sizeof head) + head.bytes <= room;
}

std::optional<std::vector<std::string_view>> recordsOf(const JournalGroupHeader& head, std::string_view body) {
  if (body.size() != head.bytes || checksumOf(head, body) != head.crc) return std::nullopt;
  std::vector<std::string_view> records;
  while (!body.empty()) {
    std::uint32_t length = 0;
    if (body.size() < kLengthBytes) return std::nullopt;
    std::memcpy(&length, body.data(), kLengthBytes);
    body.remove_prefix(kLengthBytes);
    if (length > body.size() || length > kJournalRecordBytes) return std::nullopt;
    const std::string_view text = body.substr(0, length);
    if (!text.starts_with('{') || !Json::accept(text)) return std::nullopt;
    records.push_back(text);
    body.remove_prefix(length);
  }
  if (records.size() != head.count) return std::nullopt;
  return records;
}

}  // namespace batchwise
