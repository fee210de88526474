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

/// A WordPiece model: token texts with their ids.
struct WordPieceSpec {
  static constexpr int kMaxCodePoints = 100;  ///< of BERT's tokenizer

  std::vector<std::pair<std::string, std::int32_t>> tokens;
  std::int32_t unknown = 0;
  std::string continuation = "##";     ///< what pieces inside a word begin with
  int maxCodePoints = kMaxCodePoints;  ///< longer words are unknown
};

/// Pieces by text: those that start a word, and those that continue one. Immutable and thread-safe.
class WordPieces {
 public:
  explicit WordPieces(const WordPieceSpec& spec);

  /// Appends the greedy longest match from the left; a single unknown token if some part has no piece. Returns how many
  /// steps in the tries of pieces it took.
  std::size_t append(std::string_view word, std::vector<std::int32_t>& ids) const;

 private:
  bool tooLong(std::string_view word) const;

  PieceTrie first_, continuation_;  // without the mark of the continuation
  std::int32_t unknown_;
  int maxCodePoints_;
};

}  // namespace batchwise
