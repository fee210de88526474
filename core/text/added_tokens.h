// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/pieces.h"

namespace batchwise {

/// A token that tokenizer.json adds to its model.
struct AddedToken {
  std::int32_t id = 0;
  std::string content;
  bool special = false;     ///< split() finds it only without `ignoreSpecial`; texts to train on set that
  bool singleWord = false;  ///< only where no word character stands beside it
  bool leftStrip = false;   ///< takes the white space before it along
  bool rightStrip = false;
  bool normalized = false;  ///< sought in the normalized text, otherwise in the text as it is
};

/// A part of a text: one added token, or text between them.
struct TextPart {
  std::string_view text;
  std::int32_t id = -1;  ///< of an added token; -1: text
};

/// Finds added tokens in a text: leftmost, then longest. Immutable and thread-safe.
class AddedTokens {
 public:
  AddedTokens() = default;
  explicit AddedTokens(std::vector<AddedToken> tokens);

  bool isEmpty() const { return tokens_.empty(); }
  /// Appends the parts of `text`. With `ignoreSpecial`, special tokens are text, as with the option
  /// encode_special_tokens of the reference. Returns how many steps it took beyond one for each byte.
  std::size_t split(std::string_view text, bool ignoreSpecial, std::vector<TextPart>& parts) const;

 private:
  /// Returns the longest token that `text` begins with; null if there is none.
  const AddedToken* longestAt(std::string_view text, std::size_t& steps) const;

  std::vector<AddedToken> tokens_;
  PieceTrie contents_{{}};  // values: places in tokens_
  // A token can start with bytes a and b only if firstBits_[a] & secondBits_[b] is not 0. Each first byte has one of
  // eight bits.
  std::array<std::uint8_t, 256> firstBits_{}, secondBits_{};
};

}  // namespace batchwise
