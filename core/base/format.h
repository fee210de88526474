// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fmt/core.h>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
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
/// A signed fraction in percent, two significant digits and all before the decimal point: "+9.0 %", "−170 %"; from a
/// million percent on as formatValue(): "+1.279e+19 %".
std::string formatPercent(double fraction);
/// With a fixed number of decimals: 3.00.
std::string formatDecimals(double value, int decimals);
/// Integers with grouped digits: 12,400.
std::string formatInteger(std::int64_t value);
/// Formats a count with its noun: "1 sample", "12,400 samples". `singular`: a noun whose plural adds an s.
std::string countText(std::int64_t count, std::string_view singular);
/// The shortest decimal text that parses to the same double: "0.1", "1e-05"; every NaN is "nan".
std::string formatExact(double value);

/// How an argument of formatText() is shown: a path and a text as they are, an integer with its plain digits, another
/// number by formatValue().
template <class Value>
decltype(auto) shownInText(const Value& value) {
  if constexpr (std::floating_point<Value>)
    return formatValue(static_cast<double>(value));
  else if constexpr (std::same_as<Value, std::filesystem::path>)
    return value.string();
  else
    return (value);
}

/// The type that formatText() hands on for an argument of type `Value`.
template <class Value>
using ShownInText = std::remove_cvref_t<decltype(shownInText(std::declval<const Value&>()))>;

/// Returns `pattern` with its places `{}` filled in. What people read is made by it: errors, notes, reasons.
template <class... Values>
std::string formatText(fmt::format_string<const ShownInText<Values>&...> pattern, const Values&... values) {
  static_assert((!std::same_as<Values, bool> && ...), "true and false are no texts");
  return fmt::format(pattern, static_cast<const ShownInText<Values>&>(shownInText(values))...);
}

/// Returns `one` for a count of 1, else `many`.
inline const char* pluralText(auto count, const char* one, const char* many) {
  return count == 1 ? one : many;
}

/// Returns the name in `known` with the smallest edit distance to `name` if it is a likely misspelling; else "".
std::string nearestName(std::string_view name, const std::vector<std::string>& known);

}  // namespace batchwise
