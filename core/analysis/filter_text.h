// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

// The text of a filter as tokens. Only for filter.cpp.

namespace batchwise::filter {

enum class TokenKind { Word, Quoted, Operator, And, Or, Not, In, Open, Close, Comma, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;
  std::size_t position = 1;  ///< of its first byte, from 1
};

/// Ends with a token of kind End. Fails with Config for a quote that is not closed and for a sign that means nothing.
Result<std::vector<Token>> tokensOf(std::string_view text);

/// "position 12: message".
Error errorAt(std::size_t position, const std::string& message);

}  // namespace batchwise::filter
