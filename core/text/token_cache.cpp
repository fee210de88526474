// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/token_cache.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/format.h"
#include "core/base/mapped_file.h"
#include "core/text/file_identity.h"
#include "core/text/token_file_writer.h"

namespace batchwise {
namespace fs = std::filesystem;

/// The spans view `file`, or the vectors of an in-memory dataset.
struct TokenDataset::Content {
  MappedFile file;
  std::vector<std::uint32_t> ownTokens;
  std::vector<std::uint64_t> ownOffsets;
  std::vector<std::int64_t> ownCounts;

  std::span<const std::uint16_t> tokens16;  // one of these two is in use
  std::span<const std::uint32_t> tokens32;
  std::span<const std::uint64_t> offsets;  // [sequences + 1]
  std::span<const std::int64_t> counts;
  std::uint64_t longest = 3;  // tokens of the longest sequence, [CLS] and [SEP] included; at least 3
  std::int32_t cls = 0;
  std::int32_t sep = 0;
  Hash128 identity;
  DatasetStatistics statistics;

  struct TokenRange {
    std::size_t first = 0, count = 0;
  };
  /// Returns the range of sequence i in the tokens. Stays within the file even if another process has changed it.
  TokenRange rangeOf(std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    const std::uint64_t first = offsets[at], end = offsets[at + 1];
    if (first < end && end - first + 2 <= longest && end <= std::max(tokens16.size(), tokens32.size()))
      return {first, end - first};
    return {0, 1};
  }
};

namespace {

Error damaged(const fs::path& path, const std::string& how) {
  return Error::corrupt(formatText("the token file '{}' {}; delete it and prepare the data again", path.native(), how));
}

Result<TokenFileHeader> readHeader(std::span<const std::byte> bytes, const fs::path& path) {
  TokenFileHeader header;
  if (std::ssize(bytes) < kTokenFileDataAt) return damaged(path, "is too short");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, TokenFileHeader{}.magic, sizeof header.magic) != 0)
    return damaged(path, "is not a token file");
  if (header.version != TokenFileHeader{}.version)
    return Error::unsupported(
        formatText("the token file '{}' has version {}, but this program reads version 1; prepare the data again",
                   path.native(), header.version));
  if (header.crc != header.expectedCrc()) return damaged(path, "has a damaged header");
  return header;
}

/// Returns whether the sections are contiguous and fill the file.
bool matchesFileSize(const TokenFileHeader& header, std::int64_t fileBytes) {
  const std::int64_t width = header.tokenBytes;
  if ((width != 2 && width != 4) || header.sequences < 0 || header.storedTokens < 0 || header.vocabularySize < 1)
    return false;
  if (header.storedTokens > fileBytes || header.sequences > fileBytes) return false;  // prevents overflow below
  return header.fileBytes == fileBytes && header.tokensAt == kTokenFileDataAt &&
         header.offsetsAt == alignedTo8(header.tokensAt + header.storedTokens * width) &&
         header.countsAt == header.offsetsAt + 8 * (header.sequences + 1) &&
         header.fileBytes == header.countsAt + 8 * std::int64_t{header.vocabularySize};
}

template <typename T>
std::span<const T> section(std::span<const std::byte> bytes, std::int64_t at, std::int64_t count) {
  return {reinterpret_cast<const T*>(bytes.data() + at), static_cast<std::size_t>(count)};
}

bool isAscending(std::span<const std::uint64_t> offsets, std::int64_t tokens) {
  if (offsets.front() != 0 || offsets.back() != static_cast<std::uint64_t>(tokens)) return false;
  return std::adjacent_find(offsets.begin(), offsets.end(), std::greater_equal<>()) == offsets.end();
}

}  // namespace

Result<TokenDataset> TokenDataset::open(const fs::path& path, CacheCheck check) {
  ASSIGN_OR_RETURN(auto mapped, MappedFile::open(path));
  const auto bytes = mapped.bytes();
  ASSIGN_OR_RETURN(const auto header, readHeader(bytes, path));
  if (!matchesFileSize(header, std::ssize(bytes))) return damaged(path, "has a different size than its header says");
  auto content = std::make_shared<Content>();
  content->offsets = section<std::uint64_t>(bytes, header.offsetsAt, header.sequences + 1);
  if (!isAscending(content->offsets, header.storedTokens)) return damaged(path, "has a damaged sequence table");
  if (check == CacheCheck::Content) {
    // Read instead of mapped, so that the check does not make the whole file resident.
    ASSIGN_OR_RETURN(const auto found, hashFile(path, {.from = kTokenFileDataAt}));
    if (found != Hash128{header.contentHigh, header.contentLow}) return damaged(path, "has damaged content");
  }
  if (header.tokenBytes == 2) {
    content->tokens16 = section<std::uint16_t>(bytes, header.tokensAt, header.storedTokens);
  } else {
    content->tokens32 = section<std::uint32_t>(bytes, header.tokensAt, header.storedTokens);
  }
  const auto counts = section<std::int64_t>(bytes, header.countsAt, header.vocabularySize);
  content->ownCounts.assign(counts.begin(), counts.end());
  content->counts = content->ownCounts;
  content->cls = header.cls;
  content->sep = header.sep;
  content->identity = {header.identityHigh, header.identityLow};
  content->statistics = {header.text, header.sequences, header.framedTokens, header.unknownTokens, header.longest};
  content->longest = static_cast<std::uint64_t>(std::max<std::int64_t>(header.longest, 3));
  content->file = std::move(mapped);
  RETURN_IF_ERROR(content->file.intact());
  return TokenDataset(std::move(content));
}

TokenDataset TokenDataset::fromSequences(const std::vector<std::vector<std::int32_t>>& sequences,
                                         const SpecialIds& special, std::int32_t vocabularySize) {
  auto content = std::make_shared<Content>();
  content->ownOffsets.push_back(0);
  content->ownCounts.resize(static_cast<std::size_t>(vocabularySize));
  DatasetStatistics& statistics = content->statistics;
  for (const auto& sequence : sequences) {
    assert(!sequence.empty());
    for (const std::int32_t id : sequence) {
      content->ownTokens.push_back(static_cast<std::uint32_t>(id));
      ++content->ownCounts[static_cast<std::size_t>(id)];
      statistics.unknown += id == special.unknown ? 1 : 0;
    }
    content->ownOffsets.push_back(content->ownTokens.size());
    statistics.longest = std::max<std::int64_t>(statistics.longest, std::ssize(sequence) + 2);
  }
  statistics.sequences = std::ssize(sequences);
  statistics.tokens = std::ssize(content->ownTokens) + 2 * statistics.sequences;
  statistics.text.documents = statistics.sequences;
  Hasher hasher;
  hasher.update(std::as_bytes(std::span(content->ownTokens)));
  hasher.update(std::as_bytes(std::span(content->ownOffsets)));
  content->identity = hasher.digest();
  content->longest = static_cast<std::uint64_t>(std::max<std::int64_t>(statistics.longest, 3));
  content->tokens32 = content->ownTokens;
  content->offsets = content->ownOffsets;
  content->counts = content->ownCounts;
  content->cls = special.cls;
  content->sep = special.sep;
  return TokenDataset(std::move(content));
}

TokenDataset::TokenDataset(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

std::int64_t TokenDataset::size() const {
  return std::ssize(content_->offsets) - 1;
}

Result<void> TokenDataset::intact() const {
  return content_->file.intact();
}

std::uint32_t TokenDataset::length(std::int64_t i) const {
  return static_cast<std::uint32_t>(content_->rangeOf(i).count) + 2;
}

void TokenDataset::appendTokens(std::int64_t i, std::vector<std::int32_t>& ids) const {
  const auto [first, count] = content_->rangeOf(i);
  ids.reserve(ids.size() + count + 2);
  ids.push_back(content_->cls);
  const auto append = [&ids](auto stored) { ids.insert(ids.end(), stored.begin(), stored.end()); };
  if (content_->tokens16.empty()) {
    append(content_->tokens32.subspan(first, count));
  } else {
    append(content_->tokens16.subspan(first, count));
  }
  ids.push_back(content_->sep);
}

std::vector<std::int32_t> TokenDataset::tokens(std::int64_t i) const {
  std::vector<std::int32_t> ids;
  appendTokens(i, ids);
  return ids;
}

const Hash128& TokenDataset::identity() const {
  return content_->identity;
}
const DatasetStatistics& TokenDataset::statistics() const {
  return content_->statistics;
}
std::span<const std::int64_t> TokenDataset::tokenCounts() const {
  return content_->counts;
}

double unigramCrossEntropy(const TokenDataset& data, const TokenDataset& reference) {
  const auto counts = data.tokenCounts();
  const auto guesses = reference.tokenCounts();
  assert(counts.size() == guesses.size());
  const double raise = data.identity() == reference.identity() ? 0.0 : 1.0;
  double total = 0.0, guessTotal = 0.0;
  for (std::size_t id = 0; id < counts.size(); ++id) {
    total += static_cast<double>(counts[id]);
    guessTotal += static_cast<double>(guesses[id]) + raise;
  }
  double nats = 0.0;
  for (std::size_t id = 0; id < counts.size(); ++id)
    if (counts[id] > 0)
      nats -=
          static_cast<double>(counts[id]) / total * std::log((static_cast<double>(guesses[id]) + raise) / guessTotal);
  return nats;
}

}  // namespace batchwise
