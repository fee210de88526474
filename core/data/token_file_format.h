// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "core/base/hash.h"

namespace batchwise {

static_assert(std::endian::native == std::endian::little, "token files are little-endian and mapped as they are");

/// Header of a token file; see CACHE.md.
struct TokenFileHeader {
  char magic[8] = {'B', 'W', 'T', 'O', 'K', 'E', 'N', 'S'};
  std::uint32_t version = 1;
  std::uint32_t tokenBytes = 2;
  std::uint64_t identityHigh = 0, identityLow = 0;
  std::int32_t vocabularySize = 0, cls = 0, sep = 0, zero = 0;
  std::int64_t sequences = 0, storedTokens = 0;
  std::int64_t tokensAt = 0, offsetsAt = 0, countsAt = 0, fileBytes = 0;
  std::int64_t documents = 0, textBytes = 0, replacedSequences = 0, cutDocuments = 0;
  std::int64_t framedTokens = 0, unknownTokens = 0, longest = 0;
  std::uint64_t contentHigh = 0, contentLow = 0;
  std::uint32_t crc = 0, padding = 0;

  std::uint32_t expectedCrc() const { return crc32c(std::as_bytes(std::span(this, 1)).first(kCrcBytes)); }

  static constexpr std::size_t kCrcBytes = 168;
};
static_assert(std::is_trivially_copyable_v<TokenFileHeader> && sizeof(TokenFileHeader) == 176 &&
              offsetof(TokenFileHeader, crc) == TokenFileHeader::kCrcBytes);

constexpr std::int64_t kTokenFileDataAt = 4096;
constexpr std::int32_t kLargestTwoByteVocabulary = 65'536;

constexpr std::int64_t alignedTo8(std::int64_t place) {
  return (place + 7) / 8 * 8;
}

}  // namespace batchwise
