// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "core/base/hash.h"

namespace batchwise::test {

// Event files for tests: the frames and the few fields of a scalar, written independently of the reader.

inline void appendNumber(std::string& bytes, auto value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

inline void appendVarint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
}

inline std::uint32_t maskedCrcOf(const std::string& bytes) {
  return std::rotr(crc32c(std::as_bytes(std::span(bytes))), 15) + 0xA282EAD8U;
}

inline std::string recordOf(const std::string& content) {
  std::string record;
  appendNumber(record, std::uint64_t{content.size()});
  appendNumber(record, maskedCrcOf(record));
  record += content;
  appendNumber(record, maskedCrcOf(content));
  return record;
}

inline std::string fieldOf(std::uint64_t number, const std::string& content) {
  std::string field;
  appendVarint(field, number << 3 | 2);
  appendVarint(field, content.size());
  return field + content;
}

/// A record with one scalar.
inline std::string scalarRecord(const std::string& tag, std::int64_t step, float value, double wall = 1.7e9) {
  std::string summaryValue = fieldOf(1, tag);
  summaryValue.push_back(0x15);
  appendNumber(summaryValue, value);
  std::string event(1, 0x09);
  appendNumber(event, wall);
  event.push_back(0x10);
  appendVarint(event, static_cast<std::uint64_t>(step));
  event += fieldOf(5, fieldOf(1, summaryValue));
  return recordOf(event);
}

inline void append(const std::filesystem::path& file, const std::string& bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary | std::ios::app) << bytes;
}

}  // namespace batchwise::test
