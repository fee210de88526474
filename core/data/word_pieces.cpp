// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/word_pieces.h"

#include <algorithm>

#include "core/base/plain_text.h"

namespace batchwise {

WordPieces::WordPieces(const WordPieceSpec& spec) : unknown_(spec.unknown), maxCodePoints_(spec.maxCodePoints) {
  for (const auto& [text, id] : spec.tokens) {
    add(first_, longestFirst_, text, id);
    if (text.size() > spec.continuation.size() && text.starts_with(spec.continuation))
      add(continuation_, longestContinuation_, std::string_view(text).substr(spec.continuation.size()), id);
  }
}

void WordPieces::add(Map& map, std::size_t& longest, std::string_view piece, std::int32_t id) {
  map.emplace(piece, id);
  longest = std::max(longest, piece.size());
}

void WordPieces::append(std::string_view word, std::vector<std::int32_t>& ids) const {
  const std::size_t before = ids.size();
  if (tooLong(word)) return ids.push_back(unknown_);
  for (std::size_t start = 0; start < word.size();) {
    const std::size_t bytes = start == 0 ? longest(first_, longestFirst_, word, ids)
                                         : longest(continuation_, longestContinuation_, word.substr(start), ids);
    if (bytes == 0) {
      ids.resize(before);
      return ids.push_back(unknown_);
    }
    start += bytes;
  }
}

bool WordPieces::tooLong(std::string_view word) const {
  if (word.size() <= static_cast<std::size_t>(maxCodePoints_)) return false;
  return std::count_if(word.begin(), word.end(), [](char c) { return !isUtf8Continuation(c); }) > maxCodePoints_;
}

/// Appends the id of the longest piece that `rest` starts with and returns its length in bytes; 0 if there is none.
std::size_t WordPieces::longest(const Map& map, std::size_t limit, std::string_view rest,
                                std::vector<std::int32_t>& ids) {
  for (std::size_t bytes = std::min(limit, rest.size()); bytes > 0; --bytes) {
    if (bytes < rest.size() && isUtf8Continuation(rest[bytes])) continue;
    if (const auto found = map.find(rest.substr(0, bytes)); found != map.end()) {
      ids.push_back(found->second);
      return bytes;
    }
  }
  return 0;
}

}  // namespace batchwise
