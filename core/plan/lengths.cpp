// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/lengths.h"

#include <sys/mman.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/mapped_file.h"
#include "core/base/text.h"

namespace batchwise {
namespace {

template <typename Word>
class MappedLengths final : public Lengths {
 public:
  explicit MappedLengths(MappedFile file)
      : file_(std::move(file)),
        words_(reinterpret_cast<const Word*>(file_.bytes().data())),
        size_(static_cast<std::int64_t>(file_.bytes().size() / sizeof(Word))) {
    std::int64_t sample = 0;
    for (; sample + kBlock <= size_; sample += kBlock) {
      if (sample % kAhead == 0) readAhead(sample);
      addBlock(words_ + sample);
    }
    for (; sample < size_; ++sample) {
      totalTokens_ += words_[sample];
      longest_ = std::max<std::uint32_t>(longest_, words_[sample]);
    }
  }
  std::int64_t size() const override { return size_; }
  Result<void> intact() const override { return file_.intact(); }
  /// Clamped to longest(), even if the file has changed meanwhile.
  std::uint32_t at(std::int64_t sample) const override { return std::min<std::uint32_t>(words_[sample], longest_); }
  std::int64_t totalTokens() const override { return totalTokens_; }
  std::uint32_t longest() const override { return longest_; }

 private:
  static constexpr std::int64_t kBlock = 4096;
  static constexpr std::int64_t kAhead = 512 * kBlock;

  /// Maps the next pages at once, since page faults would take longer than reading. Does nothing if the kernel does not
  /// support it.
  void readAhead(std::int64_t sample) const {
    const auto count = static_cast<std::size_t>(std::min(kAhead, size_ - sample));
    auto* begin = const_cast<Word*>(words_ + sample);  // madvise does not write
    (void)madvise(begin, count * sizeof(Word), MADV_POPULATE_READ);
  }

  /// Sums a fixed number of words in independent lanes, which compilers vectorize.
  void addBlock(const Word* words) {
    constexpr std::size_t kLanes = 8;
    // A block of 16-bit words fits 32 bits; signed 32-bit lanes are what every x86-64 can compare.
    using Lane = std::conditional_t<sizeof(Word) == 2, std::int32_t, std::int64_t>;
    Lane sums[kLanes] = {};
    Lane most[kLanes] = {};
    for (std::size_t begin = 0; begin < kBlock; begin += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const Lane word = words[begin + lane];
        sums[lane] += word;
        most[lane] = most[lane] > word ? most[lane] : word;
      }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      totalTokens_ += sums[lane];
      longest_ = std::max(longest_, static_cast<std::uint32_t>(most[lane]));
    }
  }

  MappedFile file_;
  const Word* words_;
  std::int64_t size_;
  std::int64_t totalTokens_ = 0;
  std::uint32_t longest_ = 0;
};

template <typename Word>
Result<std::shared_ptr<const Lengths>> mapped(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(auto file, MappedFile::open(path));
  if (file.bytes().size() % sizeof(Word) != 0)
    return Error::config(formatText("'{}' has {} bytes, which is not a whole number of lengths; each takes {}",
                                    path.string(), file.bytes().size(), sizeof(Word)));
  auto lengths = std::make_shared<MappedLengths<Word>>(std::move(file));
  RETURN_IF_ERROR(lengths->intact());
  return std::shared_ptr<const Lengths>(std::move(lengths));
}

Error noLength(const std::filesystem::path& path, const std::string& where, const std::string& found) {
  return Error::config(formatText("'{}', {}: '{}' is not a length; use whole numbers from 0 to 4294967295",
                                  path.string(), where, found));
}

Result<std::vector<std::uint32_t>> fromJson(const std::filesystem::path& path, const std::string& text) {
  const nlohmann::json document = parseJsonOrDiscarded(text, {.depth = 2, .bytes = text.size(), .values = text.size()});
  if (!document.is_array()) return Error::config(formatText("'{}' is not a JSON array of lengths", path.string()));
  std::vector<std::uint32_t> lengths;
  for (std::size_t index = 0; index < document.size(); ++index) {
    const nlohmann::json& entry = document[index];
    if (!entry.is_number_unsigned() || entry.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max())
      return noLength(path, formatText("entry {}", index + 1), entry.dump());
    lengths.push_back(entry.get<std::uint32_t>());
  }
  return lengths;
}

Result<std::vector<std::uint32_t>> fromLines(const std::filesystem::path& path, std::string_view text) {
  std::vector<std::uint32_t> lengths;
  for (std::size_t line = 1; !text.empty(); ++line) {
    std::string_view entry = takePart(text, '\n');
    while (!entry.empty() && (entry.back() == '\r' || entry.back() == ' ')) entry.remove_suffix(1);
    if (entry.empty()) continue;
    const auto length = numberFrom<std::uint32_t>(entry);
    if (!length) return noLength(path, formatText("line {}", line), std::string{entry});
    lengths.push_back(*length);
  }
  return lengths;
}

constexpr const char* kField = "batch.tokens.metrics_path";

Error lengthsDifferError(const std::filesystem::path& file, const std::string& difference) {
  return Error::config(
      kField,
      formatText("'{}' {}: it was made from other data; delete the file so that it is created again, or name another",
                 file.string(), difference));
}

Result<void> compare(const std::filesystem::path& file, const Lengths& data) {
  const auto kept = openLengths(file);
  if (!kept) return kept.error().about(kField);
  if ((*kept)->size() != data.size())
    return lengthsDifferError(file,
                              formatText("has {} lengths, but the data has {} samples", (*kept)->size(), data.size()));
  for (std::int64_t sample = 0; sample < data.size(); ++sample)
    if ((*kept)->at(sample) != data.at(sample)) {
      for (const Lengths* one : {kept->get(), &data}) RETURN_IF_ERROR(one->intact());
      return lengthsDifferError(file, formatText("gives sample {} {} tokens, but the data gives it {}", sample,
                                                 (*kept)->at(sample), data.at(sample)));
    }
  RETURN_IF_ERROR((*kept)->intact());
  return data.intact();
}

/// Writes in pieces, so that a file of any size needs little memory.
template <typename Word>
Result<void> write(const FileSink& sink, const Lengths& lengths) {
  constexpr std::int64_t kPiece = 1 << 16;
  std::vector<Word> words;
  for (std::int64_t begin = 0; begin < lengths.size(); begin += kPiece) {
    words.clear();
    for (std::int64_t sample = begin; sample < std::min(begin + kPiece, lengths.size()); ++sample)
      words.push_back(static_cast<Word>(lengths.at(sample)));
    RETURN_IF_ERROR(sink(std::as_bytes(std::span(words))));
  }
  return lengths.intact();
}

}  // namespace

Result<std::shared_ptr<const Lengths>> openLengths(const std::filesystem::path& path) {
  if (path.extension() == ".u16") return mapped<std::uint16_t>(path);
  if (path.extension() == ".u32") return mapped<std::uint32_t>(path);
  ASSIGN_OR_RETURN(const auto text, readFile(path, std::int64_t{1} << 34));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && text[first] == '[';
  ASSIGN_OR_RETURN(auto lengths, json ? fromJson(path, text) : fromLines(path, text));
  return std::shared_ptr<const Lengths>(std::make_shared<ListedLengths>(std::move(lengths)));
}

std::filesystem::path savedLengthsFile(const std::filesystem::path& metricsPath) {
  const auto ending = metricsPath.extension();
  return ending == ".u16" || ending == ".u32" ? metricsPath : metricsPath / "lengths.u32";
}

Result<void> saveLengths(const std::filesystem::path& file, const Lengths& lengths) {
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown)) return compare(file, lengths);
  const bool narrow = file.extension() == ".u16";
  if (narrow && lengths.longest() > std::numeric_limits<std::uint16_t>::max())
    return Error::config(
        kField, formatText("'{}' holds lengths up to 65535, but the data has one of {}; use a name that ends with .u32",
                           file.string(), lengths.longest()));
  auto made = makeFolders(file.parent_path());
  if (made)
    made = replaceFile(file, [&](const FileSink& sink) {
      return narrow ? write<std::uint16_t>(sink, lengths) : write<std::uint32_t>(sink, lengths);
    });
  if (!made) return made.error().about(kField);
  return {};
}

}  // namespace batchwise
