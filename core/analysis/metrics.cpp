// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

namespace batchwise {
namespace {

std::optional<double> numberOf(const std::string& text) {
  double number = 0;  // "nan" is none: it has no place in an order
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end && !std::isnan(number) ? std::optional(number) : std::nullopt;
}

/// Orders numbers by value, before other texts.
struct ClassOrder {
  bool operator()(const std::string& left, const std::string& right) const {
    const auto x = numberOf(left), y = numberOf(right);
    if (x.has_value() != y.has_value()) return x.has_value();
    return x && *x != *y ? *x < *y : left < right;
  }
};

double weightedPearson(std::span<const double> x, std::span<const double> y, std::span<const double> weights) {
  double sum = 0, meanX = 0, meanY = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += weights[i];
    meanX += weights[i] * x[i];
    meanY += weights[i] * y[i];
  }
  if (sum == 0) return 0;
  meanX /= sum;
  meanY /= sum;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - meanX, dy = y[i] - meanY;
    xx += weights[i] * dx * dx;
    yy += weights[i] * dy * dy;
    xy += weights[i] * dx * dy;
  }
  return xx > 0 && yy > 0 ? std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0) : 0;
}

std::vector<std::size_t> ascending(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  return order;
}

/// Returns the mean rank of each value where value i is there `weights[i]` times, up to a constant.
std::vector<double> weightedRanks(std::span<const double> values, std::span<const std::size_t> order,
                                  std::span<const double> weights) {
  std::vector<double> ranks(values.size());
  double before = 0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    double together = 0;
    for (; last < order.size() && values[order[last]] == values[order[first]]; ++last) together += weights[order[last]];
    for (std::size_t i = first; i < last; ++i) ranks[order[i]] = before + together / 2;
    before += together;
    first = last;
  }
  return ranks;
}

}  // namespace

WeightedMetric::WeightedMetric(std::string_view metric, std::span<const ExampleScore> examples) {
  if (metric == "f1") kind_ = Kind::F1;
  if (metric == "f1_macro") kind_ = Kind::MacroF1;
  if (metric == "matthews") kind_ = Kind::Matthews;
  if (metric == "pearson") kind_ = Kind::Pearson;
  if (metric == "spearman") kind_ = Kind::Spearman;
  if (kind_ == Kind::Mean) {
    for (const ExampleScore& one : examples) scores_.push_back(one.score);
    return;
  }
  if (kind_ == Kind::Pearson || kind_ == Kind::Spearman) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    for (const ExampleScore& one : examples) {
      x_.push_back(numberOf(one.label).value_or(kNone));
      y_.push_back(numberOf(one.prediction).value_or(kNone));
    }
    const auto isNan = [](double value) { return std::isnan(value); };
    if (std::ranges::any_of(x_, isNan) || std::ranges::any_of(y_, isNan)) x_.clear(), y_.clear();
    xOrder_ = ascending(x_);
    yOrder_ = ascending(y_);
    return;
  }
  std::map<std::string, std::size_t, ClassOrder> numbers;
  for (const ExampleScore& one : examples) numbers[one.label] = 0;
  if (kind_ == Kind::F1 && numbers.size() > 2) kind_ = Kind::MacroF1;
  const std::string positive = numbers.empty() ? std::string() : numbers.rbegin()->first;
  for (const ExampleScore& one : examples) numbers[one.prediction] = 0;
  for (auto& [name, number] : numbers) number = classes_++;
  if (classes_ > 0) positive_ = numbers.at(positive);
  for (const ExampleScore& one : examples) {
    labels_.push_back(numbers.at(one.label));
    guesses_.push_back(numbers.at(one.prediction));
  }
}

std::vector<double> WeightedMetric::confusion(std::span<const double> weights) const {
  std::vector<double> counts(classes_ * classes_);
  for (std::size_t i = 0; i < labels_.size(); ++i) counts[labels_[i] * classes_ + guesses_[i]] += weights[i];
  return counts;
}

double WeightedMetric::value(std::span<const double> weights) const {
  if (kind_ == Kind::Mean) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      sum += weights[i] * scores_[i];
      count += weights[i];
    }
    return count > 0 ? sum / count : 0;
  }
  if (kind_ == Kind::Pearson) return weightedPearson(x_, y_, weights);
  if (kind_ == Kind::Spearman)
    return weightedPearson(weightedRanks(x_, xOrder_, weights), weightedRanks(y_, yOrder_, weights), weights);
  const std::vector<double> counts = confusion(weights);
  double all = 0, right = 0, both = 0, labelSquares = 0, guessSquares = 0, f1Sum = 0, present = 0, positiveF1 = 0;
  for (std::size_t k = 0; k < classes_; ++k) {
    double labeled = 0, guessed = 0;
    for (std::size_t other = 0; other < classes_; ++other) {
      labeled += counts[k * classes_ + other];
      guessed += counts[other * classes_ + k];
    }
    const double hits = counts[k * classes_ + k];
    const double f1 = labeled + guessed > 0 ? 2 * hits / (labeled + guessed) : 0;
    if (k == positive_) positiveF1 = f1;
    if (labeled + guessed > 0) present += 1;
    f1Sum += f1;
    all += labeled;
    right += hits;
    both += labeled * guessed;
    labelSquares += labeled * labeled;
    guessSquares += guessed * guessed;
  }
  if (kind_ == Kind::F1) return positiveF1;
  if (kind_ == Kind::MacroF1) return present > 0 ? f1Sum / present : 0;
  const double spread = (all * all - labelSquares) * (all * all - guessSquares);
  return spread > 0 ? (right * all - both) / std::sqrt(spread) : 0;
}

double ndcgAt10(std::span<const double> ranked, std::vector<double> relevant) {
  static constexpr std::size_t kRanks = 10;
  const auto gainOf = [](std::span<const double> gains) {
    double sum = 0;
    for (std::size_t i = 0; i < std::min(gains.size(), kRanks); ++i)
      sum += gains[i] / std::log2(static_cast<double>(i) + 2);
    return sum;
  };
  std::ranges::sort(relevant, std::greater());
  const double best = gainOf(relevant);
  return best > 0 ? gainOf(ranked) / best : 0;
}

double scoreOf(std::string_view metric, std::span<const ExampleScore> examples) {
  return WeightedMetric(metric, examples).value(std::vector<double>(examples.size(), 1.0));
}

}  // namespace batchwise
