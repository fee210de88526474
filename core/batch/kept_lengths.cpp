// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/kept_lengths.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/replace_file.h"
#include "core/batch/lengths_file.h"

namespace batchwise {
namespace {

constexpr const char* kField = "batch.tokens.metrics_path: ";

Error otherData(const std::filesystem::path& file, const std::string& difference) {
  return Error::config(kField + ("'" + file.string() + "' " + difference) +
                       ": it was made from other data; delete the file, and it is made anew, or name another");
}

Result<void> compare(const std::filesystem::path& file, const Lengths& data) {
  const auto kept = openLengths(file);
  if (!kept) return kept.error().within("batch.tokens.metrics_path");
  if ((*kept)->size() != data.size())
    return otherData(file, "has " + std::to_string((*kept)->size()) + " lengths, the data has " +
                               std::to_string(data.size()) + " samples");
  for (std::int64_t sample = 0; sample < data.size(); ++sample)
    if ((*kept)->at(sample) != data.at(sample)) {
      for (const Lengths* one : {kept->get(), &data})
        if (auto intact = one->intact(); !intact.ok()) return intact;
      return otherData(file, "gives sample " + std::to_string(sample) + " " + std::to_string((*kept)->at(sample)) +
                                 " tokens, the data " + std::to_string(data.at(sample)));
    }
  if (auto intact = (*kept)->intact(); !intact.ok()) return intact;
  return data.intact();
}

/// In pieces, so that a file of any size takes little memory.
template <typename Word>
Result<void> write(const FileSink& sink, const Lengths& lengths) {
  constexpr std::int64_t kPiece = 1 << 16;
  std::vector<Word> words;
  for (std::int64_t begin = 0; begin < lengths.size(); begin += kPiece) {
    words.clear();
    for (std::int64_t sample = begin; sample < std::min(begin + kPiece, lengths.size()); ++sample)
      words.push_back(static_cast<Word>(lengths.at(sample)));
    if (auto written = sink(std::as_bytes(std::span(words))); !written) return written;
  }
  return lengths.intact();
}

}  // namespace

std::filesystem::path keptLengthsFile(const std::filesystem::path& metricsPath) {
  const auto ending = metricsPath.extension();
  return ending == ".u16" || ending == ".u32" ? metricsPath : metricsPath / "lengths.u32";
}

Result<void> keepLengths(const std::filesystem::path& file, const Lengths& lengths) {
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown)) return compare(file, lengths);
  const bool narrow = file.extension() == ".u16";
  if (narrow && lengths.longest() > std::numeric_limits<std::uint16_t>::max())
    return Error::config(kField + ("'" + file.string() + "' holds lengths up to 65535, the data has one of ") +
                         std::to_string(lengths.longest()) + "; use a name that ends with .u32");
  auto made = makeFolders(file.parent_path());
  if (made)
    made = replaceFile(file, [&](const FileSink& sink) {
      return narrow ? write<std::uint16_t>(sink, lengths) : write<std::uint32_t>(sink, lengths);
    });
  if (!made) return made.error().within("batch.tokens.metrics_path");
  return {};
}

}  // namespace batchwise
