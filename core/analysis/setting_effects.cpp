// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/setting_effects.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <set>
#include <system_error>

#include "core/analysis/statistics.h"
#include "core/config/time/time.h"

namespace batchwise {
namespace {

constexpr double kLogSpan = 50;

std::string withoutBrackets(const std::string& text) {
  return text.size() > 2 && text.front() == '[' && text.back() == ']' ? text.substr(1, text.size() - 2) : text;
}

/// Returns whether the numbers, ascending and different, grow by one factor rather than by one difference.
bool haveEqualRatios(const std::vector<double>& numbers) {
  constexpr double kTolerance = 0.02;  // of values that were rounded
  if (numbers.size() < 3) return false;
  const double ratio = numbers[1] / numbers[0];
  for (std::size_t i = 2; i < numbers.size(); ++i)
    if (std::abs(numbers[i] / numbers[i - 1] / ratio - 1) > kTolerance) return false;
  return ratio > 1 + 5 * kTolerance;
}

/// A column of the correlation: a setting, or the metric.
struct Variable {
  std::vector<double> values;  // per run; NaN: none
  bool log = false;
};

std::optional<Variable> variableOf(const FieldRow& row) {
  if (auto numbers = axisNumbers(row.values)) {
    const bool log = NumberScale::fromNumbers(*numbers).log;
    if (log)
      for (double& number : *numbers) number = std::log(number);
    return Variable{std::move(*numbers), log};
  }
  const std::set<std::string> different(row.values.begin(), row.values.end());
  if (different.size() != 2) return std::nullopt;
  Variable variable;
  for (const std::string& value : row.values) variable.values.push_back(value == *different.begin() ? 0 : 1);
  return variable;
}

using Matrix = std::vector<std::vector<double>>;

/// Correlations of the variables over the runs in which all are finite; a variable that is constant there has none.
Matrix correlationsOf(const std::vector<Variable>& variables, const std::vector<std::size_t>& runs) {
  Matrix centered;
  for (const Variable& variable : variables) {
    std::vector<double> values;
    for (const std::size_t run : runs) values.push_back(variable.values[run]);
    const double mean = meanOf(values);
    double square = 0;
    for (double& value : values) {
      value -= mean;
      square += value * value;
    }
    for (double& value : values) value = square > 0 ? value / std::sqrt(square) : 0;
    centered.push_back(std::move(values));
  }
  Matrix out(centered.size(), std::vector<double>(centered.size()));
  for (std::size_t i = 0; i < centered.size(); ++i)
    for (std::size_t j = 0; j < centered.size(); ++j)
      for (std::size_t run = 0; run < runs.size(); ++run) out[i][j] += centered[i][run] * centered[j][run];
  return out;
}

/// Returns what is left of the correlation of `a` and `b` without the linear part of all others, or nothing if one of
/// both follows from the others. Takes the others out one after the other, which leaves partial covariances.
std::optional<double> partialCorrelation(Matrix left, std::size_t a, std::size_t b) {
  constexpr double kNothing = 1e-9;
  for (std::size_t other = 0; other < left.size(); ++other) {
    if (other == a || other == b || left[other][other] < kNothing) continue;
    const std::vector<double> pivot = left[other];
    for (std::size_t i = 0; i < left.size(); ++i) {
      const double factor = left[i][other] / pivot[other];
      for (std::size_t j = 0; j < left.size(); ++j) left[i][j] -= factor * pivot[j];
    }
  }
  if (left[a][a] < kNothing || left[b][b] < kNothing) return std::nullopt;
  return std::clamp(left[a][b] / std::sqrt(left[a][a] * left[b][b]), -1.0, 1.0);
}

/// Sets the correlation and its interval. `others`: the settings besides this one.
void setCorrelation(SettingEffect& effect, std::optional<double> correlation, std::size_t others) {
  constexpr double k95 = 1.959963984540054;
  if (effect.runs < others + 3) return;
  effect.correlation = correlation;
  const auto freedom = static_cast<double>(effect.runs) - static_cast<double>(others) - 3;
  if (!correlation || freedom <= 0) return;
  const double center = std::atanh(*correlation), half = k95 / std::sqrt(freedom);
  effect.low = std::tanh(center - half);
  effect.high = std::tanh(center + half);
}

}  // namespace

NumberScale NumberScale::fromNumbers(const std::vector<double>& numbers) {
  std::set<double> different;
  for (const double number : numbers)
    if (std::isfinite(number)) different.insert(number);
  if (different.empty()) return {};
  const double low = *different.begin(), high = *different.rbegin();
  if (low < high)
    return {low, high, low > 0 && (high / low > kLogSpan || haveEqualRatios({different.begin(), different.end()}))};
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
    double number = 0;
    const char* const end = text.data() + text.size();
    if (const auto read = std::from_chars(text.data(), end, number); read.ec == std::errc() && read.ptr == end)
      numbers.push_back(number);
    const auto time = Time::parse(text);
    if (!time.ok()) continue;
    times.push_back(time->number());
    units.insert(time->unit());
  }
  if (numbers.size() == texts.size()) return numbers;
  return times.size() == texts.size() && units.size() == 1 ? std::optional(times) : std::nullopt;
}

std::vector<SettingEffect> settingEffects(const RunComparison& comparison) {
  std::vector<SettingEffect> effects;
  std::vector<Variable> variables;
  std::vector<std::optional<std::size_t>> places;  // of the settings in `variables`
  for (const FieldRow& row : comparison.differences.rows) {
    auto variable = variableOf(row);
    effects.push_back({row.field, variable && variable->log, 0, {}});
    places.push_back(variable ? std::optional(variables.size()) : std::nullopt);
    if (variable) variables.push_back(std::move(*variable));
  }
  Variable metric;
  for (const ComparedRun& run : comparison.runs) metric.values.push_back(run.value.value_or(NAN));
  variables.push_back(std::move(metric));
  std::vector<std::size_t> runs;
  for (std::size_t run = 0; run < comparison.runs.size(); ++run)
    if (std::ranges::all_of(variables, [run](const Variable& each) { return std::isfinite(each.values[run]); }))
      runs.push_back(run);
  const Matrix correlations = runs.empty() ? Matrix() : correlationsOf(variables, runs);
  const std::size_t others = variables.size() < 2 ? 0 : variables.size() - 2;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    effects[i].runs = runs.size();
    if (places[i] && !runs.empty())
      setCorrelation(effects[i], partialCorrelation(correlations, *places[i], variables.size() - 1), others);
  }
  std::ranges::stable_sort(effects, std::greater(),
                           [](const SettingEffect& effect) { return std::abs(effect.correlation.value_or(0)); });
  return effects;
}

}  // namespace batchwise
