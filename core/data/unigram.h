// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace batchwise {

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

  /// Appends the ids of a word; adjacent unknown characters are one token.
  void append(std::string_view word, std::vector<std::int32_t>& ids) const;

 private:
  struct Node {
    std::uint32_t firstChild = 0;
    std::uint16_t children = 0;
    std::int32_t id = -1;
  };
  void build(const std::vector<std::pair<std::string_view, std::int32_t>>& sorted);
  /// Returns 0 if there is none.
  std::uint32_t child(std::uint32_t node, std::uint8_t label) const;
  std::int32_t idOf(std::string_view text) const;
  void appendUnknown(std::string_view text, std::vector<std::int32_t>& ids) const;

  std::vector<Node> nodes_;           // a trie; the children of a node stand side by side
  std::vector<std::uint8_t> labels_;  // by node: the byte that leads to it
  std::vector<double> scores_;
  double unknownScore_ = 0;
  std::int32_t unknown_;
  std::vector<std::int32_t> byteTokens_;
};

}  // namespace batchwise
