// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace batchwise {

// Numbers for display, the same in the terminal and the window. Files and JSON never use these.

/// 4 significant digits: 2.314, 0.01235, 1.235e-07; "nan", "inf".
std::string formatValue(double value);
/// Counts with SI prefixes and 3 significant digits: 950, 41.2k, 1.20M.
std::string formatCount(double count);
/// Bytes in binary units, with one decimal below 100: "1.0 GiB", "83.9 MiB", "512 MiB", "950 B".
std::string formatBytes(std::int64_t bytes);
/// "45 s", "12 min 5 s", "3 h 12 min", "2 d 4 h".
std::string formatDuration(double seconds);
/// Learning rates: "5.0e-4"; "0".
std::string formatRate(double rate);
/// Like formatValue(), with trailing zeros, so that the numbers of a column align: 2.310.
std::string formatAligned(double value);
/// With a sign: "+0.12", "−0.12", "0".
std::string formatDifference(double value);
/// A signed fraction in percent, two significant digits and all before the decimal point: "+9.0 %", "−170 %"; of a fall
/// that leaves less than half a percent two digits of what is left: "−99.60 %"; from a million percent on as
/// formatValue(): "+1.279e+19 %".
std::string formatPercent(double fraction);
/// With a fixed number of decimals: 3.00.
std::string formatDecimals(double value, int decimals);
/// Integers with grouped digits: 12,400.
std::string formatInteger(std::int64_t value);
/// Formats a count with its noun: "1 sample", "12,400 samples". `singular`: a noun whose plural adds an s.
std::string countText(std::int64_t count, std::string_view singular);
/// The shortest decimal text that parses to the same double: "0.1", "1e-05"; every NaN is "nan".
std::string formatExact(double value);

/// A text with places `{}`, filled in order, or `{0}`, `{1}`, for one that stands twice or in another order; `{{` and
/// `}}` are braces. Does not compile unless the places are those of `Values` values.
template <int Values>
class TextPattern {
 public:
  consteval TextPattern(const char* text) : text_(text) {  // NOLINT(google-explicit-constructor)
    if (places(text) != Values) throw "the places of the text are not those of its values";
  }
  std::string_view text() const { return text_; }

 private:
  /// Returns one more than the largest index of a place; -1 if a brace stands alone.
  static consteval int places(std::string_view text) {
    int next = 0, most = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '{' && text[i] != '}') continue;
      const char following = i + 1 < text.size() ? text[i + 1] : '\0';
      if (following == text[i]) {
        ++i;
      } else if (text[i] == '{' && following == '}') {
        most = std::max(most, ++next);
        ++i;
      } else if (text[i] == '{' && following >= '0' && following <= '9' && i + 2 < text.size() && text[i + 2] == '}') {
        most = std::max(most, following - '0' + 1);
        i += 2;
      } else {
        return -1;
      }
    }
    return most;
  }

  std::string_view text_;
};

/// Returns `pattern`, as of a TextPattern, with its places filled in.
std::string filledText(std::string_view pattern, std::initializer_list<std::string> values);

/// How a value is shown in a text: a path and a text as they are, an integer with its plain digits, another number by
/// formatValue().
template <class Value>
std::string shownInText(const Value& value) {
  static_assert(!std::same_as<Value, bool> && !std::same_as<Value, char>, "neither is a text");
  if constexpr (std::integral<Value>)
    return std::to_string(value);
  else if constexpr (std::floating_point<Value>)
    return formatValue(static_cast<double>(value));
  else if constexpr (std::same_as<Value, std::filesystem::path>)
    return value.string();
  else
    return std::string(value);
}

/// Returns `pattern` with its places filled in. What people read is made by it: errors, notes, reasons.
template <class... Values>
std::string formatText(std::type_identity_t<TextPattern<sizeof...(Values)>> pattern, const Values&... values) {
  return filledText(pattern.text(), {shownInText(values)...});
}

/// Returns `one` for a count of 1, else `many`.
inline const char* pluralText(auto count, const char* one, const char* many) {
  return count == 1 ? one : many;
}

/// Returns the name in `known` with the smallest edit distance to `name` if it is a likely misspelling; else "".
std::string nearestName(std::string_view name, const std::vector<std::string>& known);
/// Returns "; did you mean 'NAME'?" with the nearestName(), as the end of a text; "" if there is none.
std::string nearestNameText(std::string_view name, const std::vector<std::string>& known);

// Parts of texts that several places raise.

inline std::string followedByText(const auto& first, const auto& second) {
  return formatText("{}; {}", first, second);
}
inline std::string inContextText(const auto& where, const auto& message) {
  return formatText("{}: {}", where, message);
}
inline std::string listItemsText(const auto& first, const auto& second) {
  return formatText("{}, {}", first, second);
}
inline constexpr const char* kListNoun = "a list";
inline constexpr const char* kNumberNoun = "a number";
inline constexpr const char* kObjectNoun = "an object";
inline constexpr const char* kTextNoun = "a text";

}  // namespace batchwise
