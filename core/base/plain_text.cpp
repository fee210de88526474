// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/plain_text.h"

#include "core/base/utf8.h"

namespace batchwise {
namespace {

bool isControl(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

bool turnsDirection(std::uint32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/// At least four digits.
std::string hexadecimal(std::uint32_t number) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string digits;
  for (; number > 0 || digits.size() < 4; number /= 16) digits.insert(digits.begin(), kDigits[number % 16]);
  return digits;
}

}  // namespace

std::string whyNoPlainLine(std::string_view text, std::size_t longestBytes) {
  if (text.size() > longestBytes)
    return "has " + std::to_string(text.size()) + " bytes; at most " + std::to_string(longestBytes) + " are allowed";
  while (!text.empty()) {
    const Utf8Step step = decodeUtf8(text);
    if (!step.wellFormed) return "is no valid UTF-8; write it in that encoding";
    if (isControl(step.codePoint)) return "contains a control character; use printable ones";
    if (turnsDirection(step.codePoint)) return "contains a character that turns the direction of text; leave it out";
    text.remove_prefix(static_cast<std::size_t>(step.bytes));
  }
  return {};
}

std::string shownSafely(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Utf8Step step = decodeUtf8(text);
    const bool lineOrTab = step.codePoint == '\n' || step.codePoint == '\t';
    if (!lineOrTab && (isControl(step.codePoint) || turnsDirection(step.codePoint)))
      shown += "<U+" + hexadecimal(step.codePoint) + ">";
    else
      appendUtf8(shown, step.codePoint);
    text.remove_prefix(static_cast<std::size_t>(step.bytes));
  }
  return shown;
}

}  // namespace batchwise
