// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace batchwise {

/// Returns the texts that `textOf` gives for the items, with `separator` between them: "a, b".
template <typename Items, typename TextOf = std::identity>
std::string joined(const Items& items, std::string_view separator = ", ", const TextOf& textOf = {}) {
  std::string text;
  bool isFirst = true;
  for (const auto& item : items) {
    if (!isFirst) text += separator;
    text += std::invoke(textOf, item);
    isFirst = false;
  }
  return text;
}

/// Takes what stands before the first `separator`, and the separator, from the beginning of `text`; all if there is
/// none.
inline std::string_view takePart(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(part.size() < text.size() ? part.size() + 1 : part.size());
  return part;
}

/// Returns the parts of `text` between separators; behind one at the end there is none.
template <typename Text = std::string>
std::vector<Text> partsOf(std::string_view text, char separator) {
  std::vector<Text> parts;
  while (!text.empty()) parts.emplace_back(takePart(text, separator));
  return parts;
}

/// Returns the text with ASCII letters in lower case.
std::string inLowerCase(std::string text);

/// Returns the text with line feeds in place of carriage returns if these alone end its lines, as on old Macs.
std::string withLineFeeds(std::string text);

/// Returns the number that the whole text is; nothing if it is none or out of range.
template <typename Number>
std::optional<Number> numberFrom(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Returns the number that is stored under `name`; nothing if there is none.
template <typename Number = double>
std::optional<Number> numberNamed(const std::map<std::string, std::string>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : numberFrom<Number>(found->second);
}

/// Returns why `text` cannot be shown as one plain line, as the end of a sentence: "has 300 bytes; at most 200 are
/// allowed", "contains a control character; use printable ones". Empty if it can. Right-to-left letters are allowed;
/// characters that change the direction of surrounding text (Unicode 15, Bidi_Control) are not.
std::string plainLineProblem(std::string_view text, std::size_t longestBytes);

/// Escapes stored or untrusted `text` for a terminal: control characters (except line ends and tabs) and Bidi_Control
/// characters become <U+001B>, invalid UTF-8 becomes U+FFFD.
std::string escapedForTerminal(std::string_view text);

/// Like escapedForTerminal(), but escapes line ends and tabs too, for example for a table cell.
std::string escapedLine(std::string_view text);

/// Returns an equivalent JSON text in which the characters that escapedForTerminal() replaces are escaped as \u001b.
/// Requires well-formed `json`, so that these occur only inside strings.
std::string withEscapedControls(std::string json);

/// Returns the number of trailing bytes that may be an incomplete UTF-8 character or line end.
std::size_t incompleteTailBytes(std::string_view text);

/// One decoded code point.
struct Utf8Step {
  std::uint32_t codePoint = 0xFFFD;  ///< U+FFFD if ill-formed
  int bytes = 1;                     ///< to advance; for ill-formed input the maximal subpart (Unicode 15, 3.9)
  bool wellFormed = false;
};

/// Decodes the first code point of `text`, which must not be empty.
inline Utf8Step decodeUtf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const int trailing = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  // The second byte has narrower bounds, which exclude overlong forms, surrogates and code points above U+10FFFF.
  const std::uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  std::uint32_t codePoint = lead & (0x3Fu >> trailing);
  for (int i = 1; i <= trailing; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (at >= text.size() || byte(at) < (i == 1 ? low : 0x80) || byte(at) > (i == 1 ? high : 0xBF))
      return {0xFFFD, i, false};
    codePoint = codePoint << 6 | (byte(at) & 0x3Fu);
  }
  return {codePoint, trailing + 1, true};
}

/// Appends a code point. Requires that it is not a surrogate.
inline void appendUtf8(std::string& text, std::uint32_t codePoint) {
  const auto push = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (codePoint < 0x80) {
    push(codePoint);
  } else if (codePoint < 0x800) {
    push(0xC0 | codePoint >> 6);
    push(0x80 | (codePoint & 0x3F));
  } else if (codePoint < 0x10000) {
    push(0xE0 | codePoint >> 12);
    push(0x80 | (codePoint >> 6 & 0x3F));
    push(0x80 | (codePoint & 0x3F));
  } else {
    push(0xF0 | codePoint >> 18);
    push(0x80 | (codePoint >> 12 & 0x3F));
    push(0x80 | (codePoint >> 6 & 0x3F));
    push(0x80 | (codePoint & 0x3F));
  }
}

/// Returns whether `byte` is a UTF-8 continuation byte.
inline bool isUtf8Continuation(char byte) {
  return (static_cast<std::uint8_t>(byte) & 0xC0) == 0x80;
}

}  // namespace batchwise
