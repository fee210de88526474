// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

// Lexer of filter.cpp.

namespace batchwise::filter {

enum class TokenKind { Word, Quoted, Operator, And, Or, Not, In, Open, Close, Comma, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;
  std::size_t position = 1;  ///< of its first byte, from 1
};

/// Splits a filter into tokens; the last is of kind End. Fails with Config for an unclosed quote or an unknown
/// operator.
Result<std::vector<Token>> tokensOf(std::string_view text);

/// Returns a Config error "position 12: message".
Error errorAt(std::size_t position, const Message& message);

}  // namespace batchwise::filter
