// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/compare/number_scale.h"

#include <QtCore/QString>
#include <algorithm>
#include <cmath>
#include <set>

#include "core/time/time.h"

namespace batchwise {
namespace {

constexpr double kLogSpan = 50;

std::string withoutBrackets(const std::string& text) {
  return text.size() > 2 && text.front() == '[' && text.back() == ']' ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

NumberScale NumberScale::fromNumbers(const std::vector<double>& numbers) {
  double low = INFINITY, high = -INFINITY;
  for (const double number : numbers) {
    if (!std::isfinite(number)) continue;
    low = std::min(low, number);
    high = std::max(high, number);
  }
  if (low > high) return {};
  if (low < high) return {low, high, low > 0 && high / low > kLogSpan};
  const double half = low == 0 ? 1 : std::abs(low) / 2;
  return {low - half, low + half, false};
}

double NumberScale::positionOf(double number) const {
  if (log) return number > 0 ? std::log(number / low) / std::log(high / low) : -INFINITY;
  return (number - low) / (high - low);
}

double NumberScale::numberAt(double place) const {
  return log ? low * std::pow(high / low, place) : low + (high - low) * place;
}

std::optional<std::vector<double>> axisNumbers(const std::vector<std::string>& texts) {
  std::vector<double> numbers, times;
  std::set<TimeUnit> units;
  for (const std::string& written : texts) {
    const std::string text = withoutBrackets(written);
    bool isNumber = false;
    const double number = QString::fromStdString(text).toDouble(&isNumber);
    if (isNumber) numbers.push_back(number);
    const auto time = Time::parse(text);
    if (!time.ok()) continue;
    times.push_back(time->number());
    units.insert(time->unit());
  }
  if (numbers.size() == texts.size()) return numbers;
  return times.size() == texts.size() && units.size() == 1 ? std::optional(times) : std::nullopt;
}

}  // namespace batchwise
