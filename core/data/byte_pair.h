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

  /// Returns where the part of `word` that begins at `begin` ends: no merge crosses that place, so that parts can be
  /// encoded one by one. Long words, and texts that are not split into words, have many.
  std::size_t partEnd(std::string_view word, std::size_t begin) const;
  /// Whether a word must be encoded as a whole.
  bool wantsWholeWords() const { return ignoreMerges_; }

  /// Appends the ids of a word or of a part of one, without the check for ignore_merges.
  void append(std::string_view part, std::vector<std::int32_t>& ids) const;
  /// Returns the id of the token that `word` is if the model ignores merges for such words; -1 otherwise.
  std::int32_t wholeWord(std::string_view word) const;

 private:
  struct Target {
    std::uint64_t key = kNoKey;
    std::uint32_t rank = kNoRank;
    std::int32_t merged = 0;
  };
  static constexpr std::uint64_t kNoKey = ~std::uint64_t{0};
  static constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

  const Target& target(std::int32_t left, std::int32_t right) const;
  void noteCrossing(std::string_view left, std::string_view right);
  bool crosses(std::uint32_t left, std::uint32_t right) const;
  void startSymbols(std::string_view part, std::vector<std::int32_t>& ids) const;
  std::int32_t idOfCharacter(std::uint32_t codePoint) const;
  void mergeShort(std::vector<std::int32_t>& ids, std::size_t begin) const;
  void mergeLong(std::vector<std::int32_t>& ids, std::size_t begin) const;

  BytePairSymbols symbols_;
  std::int32_t unknown_;
  bool fuseUnknown_, ignoreMerges_;
  bool mayCut_ = true;
  std::vector<std::int32_t> byteTokens_;
  bool allByteTokens_ = false;
  std::array<std::int32_t, 256> ofByte_;  // of bytes, or of ASCII characters; -1: none
  std::unordered_map<std::uint32_t, std::int32_t> ofCharacter_;
  std::unordered_map<std::string, std::int32_t> wholeWords_;
  std::vector<Target> targets_;  // hash table with open addressing
  std::uint64_t mask_ = 0;
  std::vector<std::uint64_t> crossings_;  // bits: pairs of bytes, or of hashed code points, that a merge joins
};

}  // namespace batchwise
