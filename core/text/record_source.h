// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/text/table_library.h"
#include "core/text/text_source.h"

namespace batchwise {

/// Appends the text as a string of JSON. Bytes that are no UTF-8 stay.
inline void appendJsonString(std::string& line, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  line += '"';
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (byte < 0x20) {
      line += "\\u00";
      line += kDigits[byte >> 4];
      line += kDigits[byte & 15];
    } else {
      line += c;
    }
  }
  line += '"';
}

/// A column of records as lines of JSON, {"<column>": "..."}.
class RecordSource : public ByteSource {
 public:
  RecordSource(std::filesystem::path path, std::string_view column) : ByteSource(std::move(path)) {
    begin_ = '{';
    appendJsonString(begin_, column);
    begin_ += ':';
  }

  Result<std::size_t> read(std::span<char> buffer) final {
    while (at_ == lines_.size()) {
      lines_.clear();
      at_ = 0;
      ASSIGN_OR_RETURN(const bool more, addRecords());
      if (!more) return std::size_t{0};
    }
    const std::size_t bytes = std::min(buffer.size(), lines_.size() - at_);
    std::copy_n(lines_.begin() + static_cast<std::ptrdiff_t>(at_), bytes, buffer.begin());
    at_ += bytes;
    return bytes;
  }

 protected:
  /// Calls add() for the next records; returns false if there are none.
  virtual Result<bool> addRecords() = 0;
  void add(std::string_view text) {
    std::string quoted;
    appendJsonString(quoted, text);
    addJson(quoted);
  }
  void addJson(std::string_view value) { lines_.append(begin_).append(value).append("}\n"); }
  /// Bytes of the lines that were added and not read yet.
  std::size_t added() const { return lines_.size(); }

 private:
  std::string begin_;  // of each line, before its text
  std::string lines_;
  std::size_t at_ = 0;
};

/// Returns the columns of a shard in the format MDS of MosaicML Streaming; those encoded as `str` hold text. Packed
/// shards are unpacked. Fails as openByteSource(), or with Corrupt if it is none.
Result<TableColumns> mdsColumns(const std::filesystem::path& path);

/// Opens a column of texts as lines of JSON, {"<column>": "..."}, one for each sample. Fails as mdsColumns(), or with
/// Config if there is no such column or it holds no text; reading fails with Corrupt.
Result<std::unique_ptr<ByteSource>> openMds(const std::filesystem::path& path, const std::string& column);

}  // namespace batchwise
