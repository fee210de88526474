// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/word_pieces.h"

#include <algorithm>

#include "core/base/plain_text.h"

namespace batchwise {
namespace {

using Pieces = std::vector<std::pair<std::string_view, std::int32_t>>;

Pieces piecesOf(const WordPieceSpec& spec) {
  return {spec.tokens.begin(), spec.tokens.end()};
}

Pieces continuationsOf(const WordPieceSpec& spec) {
  Pieces pieces;
  for (const auto& [text, id] : spec.tokens)
    if (text.starts_with(spec.continuation))
      pieces.emplace_back(std::string_view(text).substr(spec.continuation.size()), id);
  return pieces;
}

}  // namespace

WordPieces::WordPieces(const WordPieceSpec& spec)
    : first_(piecesOf(spec)),
      continuation_(continuationsOf(spec)),
      unknown_(spec.unknown),
      maxCodePoints_(spec.maxCodePoints) {}

std::size_t WordPieces::append(std::string_view word, std::vector<std::int32_t>& ids) const {
  const std::size_t before = ids.size();
  std::size_t steps = 0;
  if (tooLong(word)) return ids.push_back(unknown_), steps;
  for (std::size_t start = 0; start < word.size();) {
    const PieceTrie& pieces = start == 0 ? first_ : continuation_;
    std::uint32_t node = PieceTrie::kRoot;
    std::size_t longest = start;
    std::int32_t id = unknown_;
    for (std::size_t at = start; at < word.size();) {
      node = pieces.child(node, static_cast<std::uint8_t>(word[at++]));
      ++steps;
      if (node == PieceTrie::kRoot) break;
      if (pieces.value(node) < 0 || (at < word.size() && isUtf8Continuation(word[at]))) continue;
      longest = at;
      id = pieces.value(node);
    }
    if (longest == start) {
      ids.resize(before);
      ids.push_back(unknown_);
      return steps;
    }
    ids.push_back(id);
    start = longest;
  }
  return steps;
}

bool WordPieces::tooLong(std::string_view word) const {
  if (word.size() <= static_cast<std::size_t>(maxCodePoints_)) return false;
  return std::count_if(word.begin(), word.end(), [](char c) { return !isUtf8Continuation(c); }) > maxCodePoints_;
}

}  // namespace batchwise
