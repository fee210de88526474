// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/saved_lengths.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/replace_file.h"
#include "core/base/return_if_error.h"
#include "core/batch/lengths_file.h"
#include "core/batch/messages.h"

namespace batchwise {
namespace {

constexpr const char* kField = "batch.tokens.metrics_path";

Error lengthsDifferError(const std::filesystem::path& file, const Message& difference) {
  return Error::config(messages::keptLengthsFromOtherData(kField, file.string(), difference));
}

Result<void> compare(const std::filesystem::path& file, const Lengths& data) {
  const auto kept = openLengths(file);
  if (!kept) return kept.error().within("batch.tokens.metrics_path");
  if ((*kept)->size() != data.size())
    return lengthsDifferError(file, messages::keptLengthsCountDiffers((*kept)->size(), data.size()));
  for (std::int64_t sample = 0; sample < data.size(); ++sample)
    if ((*kept)->at(sample) != data.at(sample)) {
      for (const Lengths* one : {kept->get(), &data}) RETURN_IF_ERROR(one->intact());
      return lengthsDifferError(file, messages::keptLengthsSampleDiffers(sample, (*kept)->at(sample), data.at(sample)));
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

std::filesystem::path savedLengthsFile(const std::filesystem::path& metricsPath) {
  const auto ending = metricsPath.extension();
  return ending == ".u16" || ending == ".u32" ? metricsPath : metricsPath / "lengths.u32";
}

Result<void> saveLengths(const std::filesystem::path& file, const Lengths& lengths) {
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown)) return compare(file, lengths);
  const bool narrow = file.extension() == ".u16";
  if (narrow && lengths.longest() > std::numeric_limits<std::uint16_t>::max())
    return Error::config(messages::keptLengthsNeedWiderFile(kField, file.string(), lengths.longest()));
  auto made = makeFolders(file.parent_path());
  if (made)
    made = replaceFile(file, [&](const FileSink& sink) {
      return narrow ? write<std::uint16_t>(sink, lengths) : write<std::uint32_t>(sink, lengths);
    });
  if (!made) return made.error().within("batch.tokens.metrics_path");
  return {};
}

}  // namespace batchwise
