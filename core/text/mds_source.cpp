// SPDX-License-Identifier: GPL-3.0-or-later

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/text/record_source.h"

// A shard: the number of samples n; n + 1 offsets in the file, of each sample and of the end; a JSON object that names
// the columns; the samples. A sample: the sizes of the values of columns without a fixed one; the values of all
// columns. All numbers are 32 bits, little endian. Source: MosaicML Streaming, format/mds/writer.py.

namespace batchwise {
namespace {
namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint32_t kMostSamples = 1U << 26;
constexpr std::size_t kLongestConfig = std::size_t{1} << 20;
constexpr std::size_t kLongestSample = std::size_t{64} << 20;

struct MdsColumn {
  std::string name, encoding;
  std::optional<std::uint32_t> size;  ///< of each value; empty: each has its own
};

std::uint32_t numberAt(std::string_view bytes, std::size_t index) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + index * sizeof number, sizeof number);
  return number;
}

/// The beginning of a shard, and its samples one after the other.
class Shard {
 public:
  static Result<Shard> open(const fs::path& path) {
    ASSIGN_OR_RETURN(auto source, openByteSource(path));
    Shard shard(path, std::move(source));
    RETURN_IF_ERROR(shard.readHeader());
    return shard;
  }

  const std::vector<MdsColumn>& columns() const { return columns_; }
  std::int64_t fileBytesRead() const { return source_->fileBytesRead(); }

  /// Reads the value of a column in the next sample; nothing at the end.
  Result<std::optional<std::string_view>> next(std::size_t column) {
    if (sample_ + 1 >= offsets_.size()) return std::optional<std::string_view>();
    const std::uint32_t begin = offsets_[sample_], end = offsets_[sample_ + 1];
    if (end < begin || end - begin > kLongestSample) return damaged("the place of a sample is not possible");
    RETURN_IF_ERROR(read(end - begin));
    ++sample_;
    const auto own = static_cast<std::size_t>(
        std::ranges::count_if(columns_, [](const MdsColumn& each) { return !each.size.has_value(); }));
    std::size_t at = own * sizeof(std::uint32_t), sized = 0;
    if (at > bytes_.size()) return damaged("a sample is too short");
    for (std::size_t i = 0;; ++i) {
      const std::size_t size = columns_[i].size ? *columns_[i].size : numberAt(bytes_, sized++);
      if (size > bytes_.size() - at) return damaged("a sample is too short");
      if (i == column) return std::optional(std::string_view(bytes_).substr(at, size));
      at += size;
    }
  }

 private:
  Shard(fs::path path, std::unique_ptr<ByteSource> source) : path_(std::move(path)), source_(std::move(source)) {}

  Result<void> readHeader() {
    RETURN_IF_ERROR(read(sizeof(std::uint32_t)));
    const std::uint32_t samples = numberAt(bytes_, 0);
    if (samples > kMostSamples) return damaged("it is not in the format MDS");
    for (std::uint32_t left = samples + 1; left > 0;) {  // piece by piece: the number may be wrong
      const std::uint32_t part = std::min(left, 1U << 16);
      RETURN_IF_ERROR(read(part * sizeof(std::uint32_t)));
      for (std::uint32_t i = 0; i < part; ++i) offsets_.push_back(numberAt(bytes_, i));
      left -= part;
    }
    const std::size_t before = (std::size_t{samples} + 2) * sizeof(std::uint32_t);
    if (offsets_.front() < before || offsets_.front() - before > kLongestConfig)
      return damaged("it is not in the format MDS");
    RETURN_IF_ERROR(read(offsets_.front() - before));
    return readColumns();
  }

  Result<void> readColumns() {
    try {
      const json config = parseJsonOrDiscarded(bytes_);
      const auto names = config.at("column_names").get<std::vector<std::string>>();
      const auto encodings = config.at("column_encodings").get<std::vector<std::string>>();
      const json& sizes = config.at("column_sizes");
      if (names.empty() || encodings.size() != names.size() || sizes.size() != names.size())
        return damaged("the description of its columns does not fit");
      for (std::size_t i = 0; i < names.size(); ++i) {
        MdsColumn& column = columns_.emplace_back(MdsColumn{names[i], encodings[i], {}});
        if (!sizes.at(i).is_null()) column.size = sizes.at(i).get<std::uint32_t>();
      }
    } catch (const json::exception&) {
      return damaged("the description of its columns cannot be read");
    }
    return {};
  }

  /// Fills bytes_ with the next `count` bytes.
  Result<void> read(std::size_t count) {
    bytes_.resize(count);
    for (std::size_t at = 0; at < count;) {
      ASSIGN_OR_RETURN(const auto got, source_->read(std::span(bytes_).subspan(at)));
      if (got == 0) return damaged("it ends too early");
      at += got;
    }
    return {};
  }

  Error damaged(const char* how) const {
    return Error::corrupt(
        formatText("'{}' is damaged or no shard of MDS: {}; download or write it again", path_.native(), how));
  }

  fs::path path_;
  std::unique_ptr<ByteSource> source_;
  std::vector<std::uint32_t> offsets_;
  std::vector<MdsColumn> columns_;
  std::size_t sample_ = 0;
  std::string bytes_;
};

class MdsSource final : public RecordSource {
 public:
  MdsSource(fs::path path, Shard shard, const std::string& name, std::size_t column)
      : RecordSource(std::move(path), name), shard_(std::move(shard)), column_(column) {}
  std::int64_t fileBytesRead() const override { return shard_.fileBytesRead(); }

 private:
  Result<bool> addRecords() override {
    ASSIGN_OR_RETURN(const auto text, shard_.next(column_));
    if (text) add(*text);
    return text.has_value();
  }

  Shard shard_;
  std::size_t column_;
};

TableColumns columnsOf(const Shard& shard) {
  TableColumns columns;
  for (const MdsColumn& column : shard.columns()) {
    if (column.encoding == "str")
      columns.texts.push_back(column.name);
    else
      columns.others.push_back(formatText("{} ({})", column.name, column.encoding));
  }
  return columns;
}

}  // namespace

Result<TableColumns> mdsColumns(const fs::path& path) {
  ASSIGN_OR_RETURN(const auto shard, Shard::open(path));
  return columnsOf(shard);
}

Result<std::unique_ptr<ByteSource>> openMds(const fs::path& path, const std::string& column) {
  ASSIGN_OR_RETURN(auto shard, Shard::open(path));
  const auto& columns = shard.columns();
  const auto found = std::ranges::find(columns, column, &MdsColumn::name);
  if (found == columns.end() || found->encoding != "str") return noSuchTextColumn(path, column, columnsOf(shard));
  const auto place = static_cast<std::size_t>(found - columns.begin());
  return std::unique_ptr<ByteSource>(std::make_unique<MdsSource>(path, std::move(shard), column, place));
}

}  // namespace batchwise
