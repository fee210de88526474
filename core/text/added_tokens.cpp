// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/added_tokens.h"

#include <algorithm>

#include "core/text/unicode.h"

namespace batchwise {
namespace {

bool has(std::uint32_t codePoint, unicode::CharClass kind) {
  return (unicode::classTable()[codePoint] & kind) != 0;
}

bool isSingleWord(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin > 0 && has(unicode::stepBefore(text, begin).codePoint, unicode::kWord)) return false;
  return end == text.size() || !has(unicode::stepAt(text, end).codePoint, unicode::kWord);
}

/// Returns where the white space before `end` begins, at `limit` or behind.
std::size_t withoutSpaceBefore(std::string_view text, std::size_t end, std::size_t limit) {
  while (end > limit) {
    const unicode::Step last = unicode::stepBefore(text, end);
    if (!has(last.codePoint, unicode::kSpace)) break;
    end -= last.bytes;
  }
  return end;
}

std::size_t behindSpace(std::string_view text, std::size_t begin) {
  while (begin < text.size()) {
    const unicode::Step next = unicode::stepAt(text, begin);
    if (!has(next.codePoint, unicode::kSpace)) break;
    begin += next.bytes;
  }
  return begin;
}

std::vector<std::pair<std::string_view, std::int32_t>> contentsOf(const std::vector<AddedToken>& tokens) {
  std::vector<std::pair<std::string_view, std::int32_t>> contents;
  for (std::size_t i = tokens.size(); i-- > 0;)  // of two tokens of one text the first one counts
    contents.emplace_back(tokens[i].content, static_cast<std::int32_t>(i));
  return contents;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::erase_if(tokens_, [](const AddedToken& token) { return token.content.empty(); });
  contents_ = PieceTrie(contentsOf(tokens_));
  unsigned used = 0;  // first bytes so far
  for (const AddedToken& token : tokens_) {
    std::uint8_t& bits = firstBits_[static_cast<std::uint8_t>(token.content[0])];
    if (bits == 0) bits = static_cast<std::uint8_t>(1u << (used++ % 8));
    if (token.content.size() > 1)
      secondBits_[static_cast<std::uint8_t>(token.content[1])] |= bits;
    else
      for (std::uint8_t& second : secondBits_) second |= bits;
  }
}

const AddedToken* AddedTokens::longestAt(std::string_view text, std::size_t& steps) const {
  std::int32_t longest = -1;
  std::uint32_t node = PieceTrie::kRoot;
  for (const char c : text) {
    node = contents_.child(node, static_cast<std::uint8_t>(c));
    ++steps;
    if (node == PieceTrie::kRoot) break;
    if (contents_.value(node) >= 0) longest = contents_.value(node);
  }
  return longest < 0 ? nullptr : &tokens_[static_cast<std::size_t>(longest)];
}

std::size_t AddedTokens::split(std::string_view text, bool ignoreSpecial, std::vector<TextPart>& parts) const {
  std::size_t done = 0, steps = 0;
  std::size_t whiteBegin = 0, whiteEnd = 0;  // white space that has been looked through behind a token
  for (std::size_t at = 0; !tokens_.empty() && at < text.size();) {
    const std::uint8_t bits = firstBits_[static_cast<std::uint8_t>(text[at])];
    if (bits == 0 || (at + 1 < text.size() && (bits & secondBits_[static_cast<std::uint8_t>(text[at + 1])]) == 0)) {
      ++at;
      continue;
    }
    const AddedToken* token = longestAt(text.substr(at), steps);
    if (token == nullptr) {
      ++at;
      continue;
    }
    std::size_t begin = at, end = at + token->content.size();
    at = end;  // what is not taken below hides shorter tokens all the same
    if (ignoreSpecial && token->special) continue;
    if (token->singleWord && !isSingleWord(text, begin, end)) continue;
    // White space that a token before it has taken along is no longer there for this one.
    if (token->leftStrip) begin = std::max(done, withoutSpaceBefore(text, begin, std::min(done, begin)));
    if (token->rightStrip) {
      if (end < whiteBegin || end > whiteEnd) {
        whiteBegin = end;
        whiteEnd = behindSpace(text, end);
        steps += whiteEnd - whiteBegin;
      }
      end = whiteEnd;
    }
    if (done < begin) parts.push_back({text.substr(done, begin - done), -1});
    if (begin < end) parts.push_back({text.substr(begin, end - begin), token->id});
    done = end;
  }
  if (done < text.size()) parts.push_back({text.substr(done), -1});
  return steps;
}

}  // namespace batchwise
