// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"

namespace batchwise {

using Bytes = std::span<const std::byte>;

inline std::string_view textOf(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename T>
T loadLittleEndian(Bytes bytes) {
  static_assert(std::endian::native == std::endian::little);
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// The wire format of Protocol Buffers. We need some fifty fields, all of them numbers, texts and nested messages, read
// in place: a reader of that is shorter than the build rules for generated code, and has no library behind it.

/// Walks through the fields of a message.
class Fields {
 public:
  explicit Fields(Bytes message) : rest_(message) {}

  /// Goes to the next field; false at the end, or where the message is malformed.
  bool next() {
    std::uint64_t key = 0;
    if (rest_.empty() || !varint(key)) return false;
    number_ = key >> 3;
    bytes_ = {};
    switch (key & 7) {
      case 0: return varint(value_);
      case 1: return fixed(8);
      case 2: return varint(value_) && take(value_);
      case 5: return fixed(4);
      default: return fail();
    }
  }
  bool isMalformed() const { return malformed_; }
  std::uint64_t number() const { return number_; }
  Bytes bytes() const { return bytes_; }  ///< of a text, a message, or a number of fixed size
  std::int64_t integer() const { return static_cast<std::int64_t>(value_); }
  double real() const {
    if (bytes_.size() == sizeof(double)) return loadLittleEndian<double>(bytes_);
    return bytes_.size() == sizeof(float) ? loadLittleEndian<float>(bytes_) : 0;
  }

 private:
  bool fail() {
    malformed_ = true;
    return false;
  }
  bool varint(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint64_t>(rest_.front());
      rest_ = rest_.subspan(1);
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return true;
    }
    return fail();
  }
  bool take(std::uint64_t size) {
    if (size > rest_.size()) return fail();
    bytes_ = rest_.first(size);
    rest_ = rest_.subspan(size);
    return true;
  }
  bool fixed(std::uint64_t size) {
    value_ = 0;
    return take(size);
  }

  Bytes rest_, bytes_;
  std::uint64_t number_ = 0, value_ = 0;
  bool malformed_ = false;
};

/// Returns the last field of that number that holds bytes; empty if there is none.
inline Bytes bytesOf(Bytes message, std::uint64_t number) {
  Bytes found;
  for (Fields field(message); field.next();)
    if (field.number() == number) found = field.bytes();
  return found;
}

/// Returns at most `most` bytes of a file from `offset` on. Fails with Io or NotFound.
Result<std::vector<std::byte>> readFrom(const std::filesystem::path& path, std::uint64_t offset, std::size_t most);

/// A log of records with checksums, read from where the last read has ended. A record that was written in part is read
/// when it is complete; one that is damaged is left out.
class RecordFile {
 public:
  explicit RecordFile(std::filesystem::path path, std::uint64_t offset = 0) : path_(std::move(path)), offset_(offset) {}
  virtual ~RecordFile() = default;
  RecordFile(RecordFile&&) = default;
  RecordFile& operator=(RecordFile&&) = default;

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t offset() const { return offset_; }  ///< of the next record

  enum class Taken { Yes, Malformed, Enough };
  /// Calls `take` with the records that are complete, until it returns Enough. Returns whether there may be more. Adds
  /// what is damaged to `problems`. Fails with Io or NotFound.
  Result<bool> read(std::vector<std::string>& problems, const std::function<Taken(Bytes)>& take,
                    std::size_t mostBytes = kPieceBytes);

  static constexpr std::size_t kMostRecordBytes = 16 << 20;  // a larger one is a picture or a graph: it is passed over
  static constexpr std::size_t kPieceBytes = 2 * kMostRecordBytes;  ///< of one read

 protected:
  struct Frame {
    enum { Record, Skipped, Damaged, DamagedToTheEnd, Cut } kind;
    std::uint64_t bytes = 0;  ///< to go on
    Bytes record = {};
  };
  /// Returns what `rest`, the bytes from offset() on, begins with.
  virtual Frame frame(Bytes rest) = 0;

 private:
  std::filesystem::path path_;
  std::uint64_t offset_;
  bool dead_ = false;
};

}  // namespace batchwise
