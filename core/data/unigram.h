// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/data/piece_trie.h"

namespace batchwise {

/// The longest piece that a tokenizer.json may have, in bytes: what a byte of text may cost at most.
constexpr std::size_t kMaxPieceBytes = 1024;
/// What all pieces of a tokenizer.json may have together.
constexpr std::size_t kMaxPiecesBytes = std::size_t{32} << 20;

/// A unigram model as tokenizer.json describes it.
struct UnigramSpec {
  std::vector<std::pair<std::string, double>> pieces;  ///< text and score (log probability), by id
  std::int32_t unknown = -1;                           ///< -1: text with an unknown character is refused at loading
  std::vector<std::int32_t> byteTokens;  ///< byte_fallback: ids of <0x00> to <0xFF>, -1 if missing; empty: none
};

/// Unigram language model (Kudo 2018): the segmentation with the best sum of scores, ties for the one found first.
/// Immutable and thread-safe.
class UnigramModel {
 public:
  explicit UnigramModel(UnigramSpec spec);

  /// Appends the ids of a word; adjacent unknown characters are one token. Returns how many steps in the trie of pieces
  /// it took: at most the length of the longest piece for each byte.
  std::size_t append(std::string_view word, std::vector<std::int32_t>& ids) const;

 private:
  struct Best;
  std::size_t findBest(std::string_view word, Best* best) const;
  void appendBest(std::string_view word, Best* best, std::vector<std::int32_t>& ids) const;
  std::int32_t idOf(std::string_view text) const;
  void appendUnknown(std::string_view text, std::vector<std::int32_t>& ids) const;

  PieceTrie pieces_;
  std::vector<double> scores_;
  double unknownScore_ = 0;
  std::int32_t unknown_;
  std::vector<std::int32_t> byteTokens_;
};

}  // namespace batchwise
