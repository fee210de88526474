// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/text/unicode.h"
#include "core/text/word_cache.h"

namespace batchwise {

/// What symbols a word of a byte-pair model begins with.
enum class BytePairSymbols {
  Bytes,       ///< its bytes: byte-level models
  Characters,  ///< its code points
};

/// A byte-pair model as tokenizer.json describes it; texts of tokens as they occur in words (bytes of byte-level tokens
/// already decoded).
struct BytePairSpec {
  BytePairSymbols symbols = BytePairSymbols::Bytes;
  std::vector<std::pair<std::string, std::int32_t>> tokens;  ///< text and id
  struct Merge {
    std::int32_t left, right, merged;
  };
  std::vector<Merge> merges;             ///< best first
  std::int32_t unknown = -1;             ///< -1: characters without a token are dropped
  bool fuseUnknown = false;              ///< one token for adjacent unknown characters
  bool ignoreMerges = false;             ///< a word that is a token is that token
  std::vector<std::int32_t> byteTokens;  ///< byte_fallback: ids of <0x00> to <0xFF>, -1 if missing; empty: none
};

/// Byte-pair encoding of words (Sennrich et al. 2016): the adjacent pair of the best rank is merged, the leftmost one
/// first, until no pair is left. Immutable and thread-safe.
class BytePairModel {
 public:
  explicit BytePairModel(BytePairSpec spec);

  /// Cuts `word` into parts where no merge joins what is on both sides, so that parts can be encoded one by one. Long
  /// words, and texts that are not split into words, have many.
  void cut(std::string_view word, std::vector<WordSpan>& parts) const;
  /// Whether a word must be encoded as a whole.
  bool wantsWholeWords() const { return ignoreMerges_; }

  /// Appends the ids of a word or of a part of one, without the check for ignore_merges. Returns how many merges it
  /// looked up: at most six for each symbol.
  std::size_t append(std::string_view part, std::vector<std::int32_t>& ids) const;
  /// Returns the id of the token that `word` is if the model ignores merges for such words; -1 otherwise.
  std::int32_t wholeWord(std::string_view word) const;

 private:
  struct Merge {
    std::uint64_t key;
    std::int32_t merged;
  };
  static constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

  static std::uint64_t hashOf(std::int32_t left, std::int32_t right);
  std::uint32_t rankOf(std::int32_t left, std::int32_t right) const;
  void noteCrossing(std::string_view left, std::string_view right);
  bool crosses(std::uint32_t left, std::uint32_t right) const;
  void startSymbols(std::string_view part, std::vector<std::int32_t>& ids) const;
  std::int32_t idOfCharacter(std::uint32_t codePoint) const;
  bool mayCutBetween(std::uint32_t left, std::uint32_t right) const;
  std::size_t mergeShort(std::vector<std::int32_t>& ids, std::size_t begin) const;
  std::size_t mergeLong(std::vector<std::int32_t>& ids, std::size_t begin) const;

  BytePairSymbols symbols_;
  std::int32_t unknown_;
  bool fuseUnknown_, ignoreMerges_;
  bool mayCut_ = true;
  std::vector<std::int32_t> byteTokens_;
  bool allByteTokens_ = false;
  std::array<std::int32_t, 256> ofByte_;                  // of bytes, or of ASCII characters; -1: none
  bool allBytes_ = false;                                 // every byte has a token
  unicode::CodePointTable<std::int32_t> afterCharacter_;  // 1 + the id; 0: none
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>> wholeWords_;
  std::vector<Merge> merges_;             // by rank
  std::vector<std::uint32_t> slots_;      // hash table with open addressing: rank + 1, and a tag above; 0: empty
  int slotShift_ = 0;                     // of a hash: its upper bits say where to begin
  std::vector<std::uint64_t> crossings_;  // bits: pairs of bytes, or of hashed code points, that a merge joins
};

}  // namespace batchwise
