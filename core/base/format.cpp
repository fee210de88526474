// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace batchwise {
namespace {

template <typename... Values>
std::string printed(const char* pattern, Values... values) {
  std::array<char, 64> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), pattern, values...);
  return {buffer.data(), static_cast<std::size_t>(std::clamp(length, 0, 63))};
}

std::string signOf(double value) {
  return value > 0 ? "+" : value < 0 ? "−" : "";
}

std::string twoUnits(std::int64_t large, const char* largeName, std::int64_t small, const char* smallName) {
  std::string text = std::to_string(large) + " " + largeName;
  if (small > 0) text += " " + std::to_string(small) + " " + smallName;
  return text;
}

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string formatValue(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return printed("%.4g", value);
}

std::string formatCount(double count) {
  static constexpr std::array<const char*, 7> kPrefixes = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  while (std::abs(count) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    count /= 1000.0;
    ++prefix;
  }
  if (prefix == 0 && count == std::floor(count)) return printed("%.0f", count);
  const int decimals = std::abs(count) >= 99.95 ? 0 : std::abs(count) >= 9.995 ? 1 : 2;
  return printed("%.*f%s", decimals, count, kPrefixes[prefix]);
}

std::string formatBytes(std::int64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (std::abs(amount) >= 999.5 && unit + 1 < kUnits.size()) {
    amount /= 1024.0;
    ++unit;
  }
  return printed("%.*f %s", unit > 0 && std::abs(amount) < 99.95 ? 1 : 0, amount, kUnits[unit]);
}

std::string formatDuration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "unknown";
  if (seconds > 0 && seconds < 0.0995) return printed("%.0f ms", std::max(1.0, 1000 * seconds));
  if (seconds < 10) return printed("%.1f s", seconds);
  const auto total = static_cast<std::int64_t>(std::llround(seconds));
  if (total < 60) return std::to_string(total) + " s";
  if (total < 3600) return twoUnits(total / 60, "min", total % 60, "s");
  if (total < 86400) return twoUnits(total / 3600, "h", total % 3600 / 60, "min");
  return twoUnits(total / 86400, "d", total % 86400 / 3600, "h");
}

std::string formatRate(double rate) {
  if (rate == 0 || !std::isfinite(rate)) return formatValue(rate);
  std::string text = printed("%.2e", rate);  // 5.00e-04
  const auto e = text.find('e');
  std::string mantissa = text.substr(0, e);
  if (mantissa.back() == '0') mantissa.pop_back();
  return mantissa + "e" + std::to_string(std::stoi(text.substr(e + 1)));
}

std::string formatAligned(double value) {
  constexpr double kFourBeforeThePoint = 999.95;  // from here on "%#.4g" would end in the decimal point
  const double size = std::abs(value);
  return size >= 1e-3 && size < kFourBeforeThePoint ? printed("%#.4g", value) : formatValue(value);
}

std::string formatDifference(double value) {
  return signOf(value) + formatValue(std::abs(value));
}

std::string formatPercent(double fraction) {
  const double percent = std::abs(fraction) * 100;
  const double left = fraction < 0 && percent >= 99.5 && percent < 100 ? 100 - percent : percent;
  const int decimals = left > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(left))), 0, 12) : 0;
  return signOf(fraction) + (percent < 1e6 ? formatDecimals(percent, decimals) : formatValue(percent)) + " %";
}

std::string formatDecimals(double value, int decimals) {
  return printed("%.*f", decimals, value);
}

std::string formatInteger(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string countText(std::int64_t count, std::string_view singular) {
  const bool hisses = singular.ends_with("batch") || singular.ends_with("branch");
  return formatInteger(count) + " " + std::string(singular) + (count == 1 ? "" : hisses ? "es" : "s");
}

std::string formatExact(double value) {
  if (std::isnan(value)) return "nan";  // without its sign
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string nearestName(std::string_view name, const std::vector<std::string>& known) {
  std::string best;
  std::size_t bestDistance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = editDistance(name, candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string nearestNameText(std::string_view name, const std::vector<std::string>& known) {
  const std::string nearest = nearestName(name, known);
  return nearest.empty() ? "" : formatText("; did you mean '{}'?", nearest);
}

std::string filledText(std::string_view pattern, std::initializer_list<std::string> values) {
  std::string filled;
  const auto* next = values.begin();
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '{' && pattern[i] != '}') {
      filled += pattern[i];
    } else if (pattern[i + 1] == pattern[i]) {
      filled += pattern[i++];
    } else if (pattern[i + 1] == '}') {
      filled += *next++;
      ++i;
    } else {
      filled += *(values.begin() + (pattern[i + 1] - '0'));
      i += 2;
    }
  }
  return filled;
}

}  // namespace batchwise
