// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/added_tokens.h"

#include <algorithm>

#include "core/data/unicode.h"

namespace batchwise {
namespace {

bool has(std::uint32_t codePoint, unicode::CharClass kind) {
  return (unicode::classTable()[codePoint] & kind) != 0;
}

bool isSingleWord(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin > 0 && has(unicode::stepBefore(text, begin).codePoint, unicode::kWord)) return false;
  return end == text.size() || !has(unicode::stepAt(text, end).codePoint, unicode::kWord);
}

std::size_t withoutSpaceBefore(std::string_view text, std::size_t end) {
  while (end > 0) {
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

std::size_t beginningOf(std::string_view text) {
  return static_cast<std::size_t>(static_cast<std::uint8_t>(text[0])) << 8 | static_cast<std::uint8_t>(text[1]);
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)), beginnings_(1024) {
  std::erase_if(tokens_, [](const AddedToken& token) { return token.content.empty(); });
  std::stable_sort(tokens_.begin(), tokens_.end(), [](const AddedToken& a, const AddedToken& b) {
    const auto firstA = static_cast<std::uint8_t>(a.content[0]), firstB = static_cast<std::uint8_t>(b.content[0]);
    if (firstA != firstB) return firstA < firstB;
    if (a.content.size() != b.content.size()) return a.content.size() > b.content.size();
    return a.content < b.content;
  });
  for (const AddedToken& token : tokens_) {
    ++firstOf_[static_cast<std::uint8_t>(token.content[0]) + 1u];
    starts_[static_cast<std::uint8_t>(token.content[0])] = true;
    const std::size_t row = beginningOf(token.content + '\0');
    if (token.content.size() > 1) {
      beginnings_[row / 64] |= std::uint64_t{1} << row % 64;
    } else {
      std::fill_n(beginnings_.begin() + static_cast<std::ptrdiff_t>(row / 64), 4, ~std::uint64_t{0});
    }
  }
  for (std::size_t i = 1; i < firstOf_.size(); ++i) firstOf_[i] += firstOf_[i - 1];
}

const AddedToken* AddedTokens::longestAt(std::string_view text) const {
  const auto first = static_cast<std::uint8_t>(text[0]);
  if (text.size() > 1) {
    const std::size_t bit = beginningOf(text);
    if ((beginnings_[bit / 64] >> bit % 64 & 1) == 0) return nullptr;
  }
  for (std::uint32_t i = firstOf_[first]; i < firstOf_[first + 1u]; ++i)
    if (text.starts_with(tokens_[i].content)) return &tokens_[i];
  return nullptr;
}

void AddedTokens::split(std::string_view text, bool ignoreSpecial, std::vector<TextPart>& parts) const {
  std::size_t done = 0;
  if (!tokens_.empty()) {
    for (std::size_t at = 0; at < text.size();) {
      if (!starts_[static_cast<std::uint8_t>(text[at])]) {
        ++at;
        continue;
      }
      const AddedToken* token = longestAt(text.substr(at));
      if (token == nullptr) {
        ++at;
        continue;
      }
      std::size_t begin = at, end = at + token->content.size();
      at = end;  // what is not taken below hides shorter tokens all the same
      if (ignoreSpecial && token->special) continue;
      if (token->singleWord && !isSingleWord(text, begin, end)) continue;
      if (token->leftStrip) begin = std::max(done, withoutSpaceBefore(text, begin));
      if (token->rightStrip) end = behindSpace(text, end);
      if (done < begin) parts.push_back({text.substr(done, begin - done), -1});
      parts.push_back({text.substr(begin, end - begin), token->id});
      done = end;
    }
  }
  if (done < text.size()) parts.push_back({text.substr(done), -1});
}

}  // namespace batchwise
