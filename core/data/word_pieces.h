// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace batchwise {

/// A WordPiece model: token texts with their ids.
struct WordPieceSpec {
  std::vector<std::pair<std::string, std::int32_t>> tokens;
  std::int32_t unknown = 0;
  std::string continuation = "##";  ///< what pieces inside a word begin with
  int maxCodePoints = 100;          ///< longer words are unknown
};

/// Pieces by text: those that start a word, and those that continue one. Immutable and thread-safe.
class WordPieces {
 public:
  explicit WordPieces(const WordPieceSpec& spec);

  /// Appends the greedy longest match from the left; a single unknown token if some part has no piece.
  void append(std::string_view word, std::vector<std::int32_t>& ids) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Map = std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>>;

  bool tooLong(std::string_view word) const;
  static void add(Map& map, std::size_t& longest, std::string_view piece, std::int32_t id);
  static std::size_t longest(const Map& map, std::size_t limit, std::string_view rest, std::vector<std::int32_t>& ids);

  Map first_, continuation_;  // without the mark of the continuation
  std::size_t longestFirst_ = 0, longestContinuation_ = 0;
  std::int32_t unknown_;
  int maxCodePoints_;
};

}  // namespace batchwise
