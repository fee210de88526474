// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include <algorithm>

#include "core/base/format.h"

namespace batchwise {
namespace {

bool isControl(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

bool isBidiControl(std::uint32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

std::string hexadecimal(std::uint32_t number) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string digits;
  for (; number > 0 || digits.size() < 4; number /= 16) digits.insert(digits.begin(), kDigits[number % 16]);
  return digits;
}

enum class Lines { Many, One };

/// Fast path: almost all text is printable ASCII.
bool isPlainAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t'; });
}

std::string shown(std::string_view text, Lines lines) {
  std::string shown;
  for (Utf8Step step; !text.empty(); text.remove_prefix(static_cast<std::size_t>(step.bytes))) {
    step = decodeUtf8(text);
    const bool endsLine = text.front() == '\n' || text.front() == '\t' || text.starts_with("\r\n");
    if ((endsLine && lines == Lines::Many) || !(isControl(step.codePoint) || isBidiControl(step.codePoint)))
      appendUtf8(shown, step.codePoint);
    else
      shown += "<U+" + hexadecimal(step.codePoint) + ">";
  }
  return shown;
}

}  // namespace

std::string inLowerCase(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string withLineFeeds(std::string text) {
  if (text.find('\n') == std::string::npos) std::ranges::replace(text, '\r', '\n');
  return text;
}

std::string plainLineProblem(std::string_view text, std::size_t longestBytes) {
  if (text.size() > longestBytes) return formatText("has {} bytes; at most {} are allowed", text.size(), longestBytes);
  while (!text.empty()) {
    const Utf8Step step = decodeUtf8(text);
    if (!step.wellFormed) return "is not valid UTF-8; convert it to UTF-8";
    if (isControl(step.codePoint)) return "contains a control character; use printable ones";
    if (isBidiControl(step.codePoint)) return "contains a character that changes the direction of text; remove it";
    text.remove_prefix(static_cast<std::size_t>(step.bytes));
  }
  return {};
}

std::string escapedForTerminal(std::string_view text) {
  return isPlainAscii(text) ? std::string(text) : shown(text, Lines::Many);
}

std::string escapedLine(std::string_view text) {
  return shown(text, Lines::One);
}

std::string withEscapedControls(std::string json) {
  if (isPlainAscii(json)) return json;
  std::string escaped;
  std::string_view rest = json;
  for (Utf8Step step; !rest.empty(); rest.remove_prefix(static_cast<std::size_t>(step.bytes))) {
    step = decodeUtf8(rest);
    const bool between = step.codePoint < 0x20;  // white space between values
    if (!between && (isControl(step.codePoint) || isBidiControl(step.codePoint)))
      escaped += "\\u" + hexadecimal(step.codePoint);
    else
      appendUtf8(escaped, step.codePoint);
  }
  return escaped;
}

std::size_t incompleteTailBytes(std::string_view text) {
  if (text.ends_with('\r')) return 1;
  std::size_t bytes = 0;
  while (bytes < std::min<std::size_t>(text.size(), 3) && isUtf8Continuation(text[text.size() - 1 - bytes])) ++bytes;
  if (bytes++ == text.size()) return 0;
  const auto lead = static_cast<std::uint8_t>(text[text.size() - bytes]);
  const std::size_t needed = lead < 0xC2 || lead > 0xF4 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return bytes < needed ? bytes : 0;
}

}  // namespace batchwise
