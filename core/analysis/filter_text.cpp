// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/filter_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/analysis/messages.h"

namespace batchwise::filter {
namespace {

bool isBlank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}
bool endsWord(char c) {
  return isBlank(c) || std::string_view("()<>=!~,\"'&|").find(c) != std::string_view::npos;
}

std::string lowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

TokenKind kindOfWord(const std::string& word) {
  const std::string lower = lowerCase(word);
  if (lower == "and") return TokenKind::And;
  if (lower == "or") return TokenKind::Or;
  if (lower == "not") return TokenKind::Not;
  return lower == "in" ? TokenKind::In : TokenKind::Word;
}

/// Returns the operator at the start of `rest`, with its length as position; kind End if there is none.
Token operatorAt(std::string_view rest) {
  struct OperatorSpelling {
    std::string_view text;
    TokenKind kind;
    std::string_view means;
  };
  constexpr std::array kOperators = {
      OperatorSpelling{"<=", TokenKind::Operator, "<="}, OperatorSpelling{">=", TokenKind::Operator, ">="},
      OperatorSpelling{"!=", TokenKind::Operator, "!="}, OperatorSpelling{"==", TokenKind::Operator, "="},
      OperatorSpelling{"=", TokenKind::Operator, "="},   OperatorSpelling{"<", TokenKind::Operator, "<"},
      OperatorSpelling{">", TokenKind::Operator, ">"},   OperatorSpelling{"~", TokenKind::Operator, "~"},
      OperatorSpelling{"&&", TokenKind::And, "&&"},      OperatorSpelling{"||", TokenKind::Or, "||"},
      OperatorSpelling{"!", TokenKind::Not, "!"},        OperatorSpelling{"(", TokenKind::Open, "("},
      OperatorSpelling{")", TokenKind::Close, ")"},      OperatorSpelling{",", TokenKind::Comma, ","}};
  for (const OperatorSpelling& sign : kOperators)
    if (rest.starts_with(sign.text)) return {sign.kind, std::string(sign.means), sign.text.size()};
  return {};
}

}  // namespace

Error errorAt(std::size_t position, const Message& message) {
  return Error::config(messages::filterErrorAtPosition(position, message));
}

Result<std::vector<Token>> tokensOf(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (isBlank(text[at])) {
      ++at;
    } else if (text[at] == '"' || text[at] == '\'') {
      const std::size_t end = text.find(text[at], at + 1);
      if (end == text.npos) return errorAt(at + 1, messages::filterQuoteNotClosed());
      tokens.push_back({TokenKind::Quoted, std::string(text.substr(at + 1, end - at - 1)), at + 1});
      at = end + 1;
    } else if (const Token sign = operatorAt(text.substr(at)); sign.kind != TokenKind::End) {
      tokens.push_back({sign.kind, sign.text, at + 1});
      at += sign.position;
    } else if (endsWord(text[at])) {
      return errorAt(at + 1, messages::filterCharacterNotAllowed(std::string(1, text[at])));
    } else {
      std::size_t end = at;
      while (end < text.size() && !endsWord(text[end])) ++end;
      std::string word(text.substr(at, end - at));
      const TokenKind kind = kindOfWord(word);
      tokens.push_back({kind, std::move(word), at + 1});
      at = end;
    }
  }
  tokens.push_back({TokenKind::End, "the end", text.size() + 1});
  return tokens;
}

}  // namespace batchwise::filter
