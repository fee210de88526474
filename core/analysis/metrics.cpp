// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/metrics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/text.h"

namespace batchwise {
namespace {

std::optional<double> numberOf(const std::string& text) {
  const auto number = numberFrom<double>(text);  // "nan" is none: it has no place in an order
  return number && !std::isnan(*number) ? number : std::nullopt;
}

/// Orders numbers by value, before other texts.
struct ClassOrder {
  bool operator()(const std::string& left, const std::string& right) const {
    const auto x = numberOf(left), y = numberOf(right);
    if (x.has_value() != y.has_value()) return x.has_value();
    return x && *x != *y ? *x < *y : left < right;
  }
};

double meanByWeight(std::span<const double> values, std::span<const double> weights) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += weights[i] * values[i];
    count += weights[i];
  }
  return count > 0 ? sum / count : 0;
}

double weightedPearson(std::span<const double> x, std::span<const double> y, std::span<const double> weights) {
  const double meanX = meanByWeight(x, weights), meanY = meanByWeight(y, weights);
  double xx = 0, yy = 0, xy = 0;
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

WeightedMetric correlationMetric(std::span<const ExampleScore> examples, bool isOfRanks) {
  std::vector<double> x, y;
  for (const ExampleScore& one : examples) {
    const auto label = numberOf(one.label), prediction = numberOf(one.prediction);
    if (!label || !prediction) return [](std::span<const double>) { return 0.0; };
    x.push_back(*label);
    y.push_back(*prediction);
  }
  if (!isOfRanks) return [x, y](std::span<const double> weights) { return weightedPearson(x, y, weights); };
  return [x, y, byX = ascending(x), byY = ascending(y)](std::span<const double> weights) {
    return weightedPearson(weightedRanks(x, byX, weights), weightedRanks(y, byY, weights), weights);
  };
}

/// Counts by class, and what follows from them.
struct Confusion {
  std::vector<double> hits, labeled, guessed;

  double f1(std::size_t k) const { return labeled[k] + guessed[k] > 0 ? 2 * hits[k] / (labeled[k] + guessed[k]) : 0; }
  double macroF1() const {
    double sum = 0, present = 0;
    for (std::size_t k = 0; k < hits.size(); ++k) {
      sum += f1(k);
      present += labeled[k] + guessed[k] > 0 ? 1 : 0;
    }
    return present > 0 ? sum / present : 0;
  }
  /// Of all classes but one, together.
  double microF1(std::optional<std::size_t> leftOut) const {
    double right = 0, all = 0;
    for (std::size_t k = 0; k < hits.size(); ++k) {
      if (k == leftOut) continue;
      right += 2 * hits[k];
      all += labeled[k] + guessed[k];
    }
    return all > 0 ? right / all : 0;
  }
  double matthews() const {
    double all = 0, right = 0, both = 0, labelSquares = 0, guessSquares = 0;
    for (std::size_t k = 0; k < hits.size(); ++k) {
      all += labeled[k];
      right += hits[k];
      both += labeled[k] * guessed[k];
      labelSquares += labeled[k] * labeled[k];
      guessSquares += guessed[k] * guessed[k];
    }
    const double spread = (all * all - labelSquares) * (all * all - guessSquares);
    return spread > 0 ? (right * all - both) / std::sqrt(spread) : 0;
  }
};

WeightedMetric classMetric(std::string_view metric, std::span<const ExampleScore> examples) {
  std::map<std::string, std::size_t, ClassOrder> numbers;
  for (const ExampleScore& one : examples) numbers[one.label] = 0;
  const bool isBinary = metric == "f1" && numbers.size() <= 2, isMatthews = metric == "matthews";
  const bool isMicro = metric == "f1_micro";
  const std::string positive = numbers.empty() ? std::string() : numbers.rbegin()->first;
  for (const ExampleScore& one : examples) numbers[one.prediction] = 0;
  std::size_t classes = 0;
  for (auto& [name, number] : numbers) number = classes++;
  const auto outside = numbers.find("O");
  const auto leftOut = outside == numbers.end() ? std::nullopt : std::optional(outside->second);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const ExampleScore& one : examples) pairs.emplace_back(numbers[one.label], numbers[one.prediction]);
  return [=, positiveClass = numbers[positive]](std::span<const double> weights) {
    if (pairs.empty()) return 0.0;
    Confusion counts{std::vector<double>(classes), std::vector<double>(classes), std::vector<double>(classes)};
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      counts.labeled[pairs[i].first] += weights[i];
      counts.guessed[pairs[i].second] += weights[i];
      if (pairs[i].first == pairs[i].second) counts.hits[pairs[i].first] += weights[i];
    }
    if (isMicro) return counts.microF1(leftOut);
    return isBinary ? counts.f1(positiveClass) : isMatthews ? counts.matthews() : counts.macroF1();
  };
}

}  // namespace

WeightedMetric weightedMetric(std::string_view metric, std::span<const ExampleScore> examples) {
  if (metric == "pearson" || metric == "spearman") return correlationMetric(examples, metric == "spearman");
  if (metric == "f1" || metric == "f1_macro" || metric == "f1_micro" || metric == "matthews")
    return classMetric(metric, examples);
  std::vector<double> scores;
  for (const ExampleScore& one : examples) scores.push_back(one.score);
  return [scores](std::span<const double> weights) { return meanByWeight(scores, weights); };
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
  return weightedMetric(metric, examples)(std::vector<double>(examples.size(), 1.0));
}

}  // namespace batchwise
