// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/critical_batch.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/analysis/statistics.h"
#include "core/base/format.h"

namespace batchwise {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMostReplicates = 100;
constexpr double kWantedPower = 0.8;
constexpr double kNarrow = 1.6;  // interval that is not divided: between sqrt 2, which is not divided again, and 2

/// Returns t with P(T <= t) = 0.95 for `count` - 1 degrees of freedom.
double oneSidedT(int count) {
  static const std::vector<double> kQuantiles = [] {
    std::vector<double> quantiles(2, kInfinity);
    for (int n = 2; n <= kMostReplicates; ++n) quantiles.push_back(studentT(0.9, n - 1));
    return quantiles;
  }();
  return kQuantiles[static_cast<std::size_t>(std::clamp(count, 0, kMostReplicates))];
}

/// Returns the least bound that `count` differences can have of which `known` are these: of all of them if none is
/// missing, else as if the missing ones took the value that suits best (any spread among them only raises it).
double leastBound(std::span<const double> known, int count) {
  if (known.empty()) return -kInfinity;
  const double mean = meanOf(known), n = count, k = static_cast<double>(known.size()), missing = n - k;
  if (mean == kInfinity) return kInfinity;
  double squares = 0;
  for (const double value : known) squares += (value - mean) * (value - mean);
  const double t = oneSidedT(count) / std::sqrt(n * (n - 1));
  if (missing == 0) return mean + t * std::sqrt(squares);
  // With the missing ones at mean + u: mean + missing u / n + t sqrt(squares + k missing u^2 / n).
  const double curvature = t * t * k * k - k * missing / n;
  if (curvature <= 0) return -kInfinity;
  const double u = -std::sqrt(squares / curvature);
  return mean + missing * u / n + t * std::sqrt(squares + k * missing * u * u / n);
}

/// Decides one kind of loss of one checkpoint.
struct ColumnDecider {
  const StudyOptions& options;
  const CheckpointDecision& decision;
  std::span<const BranchResult> results;
  bool afterCooldown = false;
  std::optional<double> awaited = {};  ///< factor that is undecided, after decide()

  double smallest() const { return options.factors.front(); }

  const BranchResult* find(double factor, int replicate) const {
    const auto found = std::find_if(results.begin(), results.end(), [&](const BranchResult& result) {
      return isSameBranch(result.branch, {decision.checkpoint.position, factor, replicate});
    });
    return found == results.end() ? nullptr : &*found;
  }

  std::optional<double> lossOf(double factor, int replicate) const {
    const BranchResult* result = find(factor, replicate);
    if (result == nullptr) return std::nullopt;
    for (const auto& loss : {result->atHalf, result->atThreeQuarters, result->atEnd, result->afterCooldown})
      if (loss && !std::isfinite(*loss)) return kInfinity;
    return afterCooldown ? result->afterCooldown : result->atEnd;
  }

  /// A stop for futility only makes more factors fail, so the test keeps its error.
  bool isClearlyBehind(double factor, int replicate) const {
    constexpr double kFar = 4;
    const BranchResult *own = find(factor, replicate), *other = find(smallest(), replicate);
    if (own == nullptr || other == nullptr || !own->atHalf || !own->atThreeQuarters || !other->atHalf ||
        !other->atThreeQuarters)
      return false;
    const double later = *own->atThreeQuarters - *other->atThreeQuarters;
    const double fall = std::max(*own->atHalf - *other->atHalf - later, 0.0);
    return later - fall > kFar * decision.tolerance;
  }

  FactorDecision decideFactor(double factor) const {
    FactorDecision row;
    row.factor = factor;
    std::vector<double> losses, differences;
    for (int replicate = 0; replicate < options.replicates; ++replicate) {
      const auto own = lossOf(factor, replicate), other = lossOf(smallest(), replicate);
      if (own) losses.push_back(*own);
      if (own && (other || *own == kInfinity))
        differences.push_back(*own == kInfinity || *other == kInfinity ? kInfinity : *own - *other);
      else if (isClearlyBehind(factor, replicate)) {
        differences.push_back(kInfinity);
        row.isStoppedEarly = true;
      }
    }
    row.count = static_cast<int>(differences.size());
    if (!losses.empty()) row.meanLoss = meanOf(losses);
    const bool isComplete = row.count == options.replicates;
    if (factor == smallest()) {
      row.state = FactorState::Baseline;
      return row;
    }
    const bool isTooHigh = leastBound(differences, options.replicates) >= decision.tolerance;
    row.state = isTooHigh ? FactorState::Failed : isComplete ? FactorState::Passed : FactorState::Undecided;
    if (differences.empty() || meanOf(differences) == kInfinity) return row;
    row.meanDifference = meanOf(differences);
    if (row.count < 2) return row;
    row.deviation = deviationOf(differences);
    row.bound = leastBound(differences, row.count);
    if (isComplete && isTooHigh)
      row.neededReplicates = neededReplicates(*row.deviation, decision.tolerance - *row.meanDifference);
    return row;
  }

  /// Decides the factor of `row` as the next of the sequence. Returns whether it passed or failed.
  bool take(StudyColumn& column, FactorDecision& row) {
    row = decideFactor(row.factor);
    if (row.state == FactorState::Undecided) awaited = row.factor;
    if (row.state == FactorState::Passed) column.low = row.factor;
    if (row.state == FactorState::Failed) column.high = row.factor;
    return !awaited;
  }

  StudyColumn decide() {
    StudyColumn column;
    for (const double factor : options.factors) {
      column.factors.push_back(decideFactor(factor));
      if (factor != smallest()) column.factors.back().state = FactorState::NotNeeded;
    }
    auto row = column.factors.begin() + 1;
    for (; row != column.factors.end() && !column.high; ++row)
      if (!take(column, *row)) return column;
    const double largestPassed = column.low.value_or(smallest());
    if (column.high && *column.high / largestPassed > kNarrow) {
      FactorDecision between;
      between.factor = std::round(1000 * largestPassed * std::numbers::sqrt2) / 1000;  // short, as names have it
      const auto samples = [this](double factor) { return decision.checkpoint.samplesOf(factor); };
      const bool isBetween =
          samples(largestPassed) < samples(between.factor) && samples(between.factor) < samples(*column.high);
      if (isBetween && !take(column, *column.factors.insert(row - 1, between))) return column;
    }
    column.isDecided = true;
    return column;
  }

  /// Branches that the column waits for. After decide().
  std::vector<Branch> missing() const {
    std::vector<Branch> branches;
    for (int replicate = 0; awaited && replicate < options.replicates; ++replicate)
      for (const double factor : {smallest(), *awaited})
        if (!lossOf(factor, replicate) && !isClearlyBehind(factor, replicate))
          branches.push_back({decision.checkpoint.position, factor, replicate});
    return branches;
  }
};

double normalShare(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

/// Returns the argument of the least value of a function with one minimum in [low, high].
template <typename Function>
double minimize(double low, double high, const Function& function) {
  constexpr double kGolden = 0.6180339887498949;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double atLeft = function(left), atRight = function(right);
  while (high - low > 1e-4) {
    if (atLeft < atRight) {
      high = std::exchange(right, left);
      left = high - kGolden * (high - low);
      atRight = std::exchange(atLeft, function(left));
    } else {
      low = std::exchange(left, right);
      right = low + kGolden * (high - low);
      atLeft = std::exchange(atRight, function(right));
    }
  }
  return (low + high) / 2;
}

/// Likelihood of the intervals: log(critical batch) is normal around the curve, and lies between the ends.
class IntervalFit {
 public:
  explicit IntervalFit(std::span<const LawPoint> points) {
    double width = 0, widths = 0;
    for (const LawPoint& point : points) {
      const Interval interval = {std::log(point.position), point.low ? std::log(*point.low) : -kInfinity,
                                 point.high ? std::log(*point.high) : kInfinity};
      for (const double end : {interval.low, interval.high})
        if (std::isfinite(end)) least_ = std::min(least_, end), largest_ = std::max(largest_, end);
      if (point.low && point.high) width += interval.high - interval.low, widths += 1;
      middle_ += interval.x / static_cast<double>(points.size());
      intervals_.push_back(interval);
    }
    for (Interval& interval : intervals_) {
      interval.x -= middle_;
      spread_ = std::max(spread_, std::abs(interval.x));
    }
    narrowest_ = (widths > 0 ? width / widths : std::numbers::ln2) / 5;
  }

  CriticalBatchLaw fit() const {
    constexpr int kCeilings = 16;
    constexpr std::size_t kPointsForCeiling = 5;
    Parameters chosen = best(kInfinity);
    std::vector<double> ceilings = {kInfinity};
    if (intervals_.size() >= kPointsForCeiling) {
      Parameters capped = chosen;
      for (int i = 0; i <= kCeilings; ++i) {
        ceilings.push_back(least_ + (largest_ - least_) * i / kCeilings);
        if (const Parameters p = best(ceilings.back(), chosen.scatter); costOf(p) < costOf(capped)) capped = p;
      }
      capped = best(capped.ceiling);
      const double t = studentT(0.95, static_cast<double>(intervals_.size()) - 3);
      if (costOf(capped) < costOf(chosen) - t * t / 2) chosen = capped;
    }
    if (!std::isfinite(chosen.ceiling)) ceilings = {kInfinity};
    CriticalBatchLaw law;
    law.curve = curveOf(chosen);
    // The likeliest scatter of few points is too small, and t takes the place of the normal quantile.
    const auto count = static_cast<double>(intervals_.size());
    law.scatter = chosen.scatter * std::sqrt(count / std::max(count - 2, 1.0));
    const double t = studentT(0.95, std::max(count - 2, 2.0));
    const double limit = costOf(best(chosen.ceiling, law.scatter)) + t * t / 2;
    for (const double ceiling : ceilings)
      if (const Parameters p = best(ceiling, law.scatter); costOf(p) <= limit) addEdge(law.confidence, p, limit);
    return law;
  }

 private:
  struct Interval {
    double x, low, high;  ///< log tokens from the middle, log samples
  };
  struct Parameters {
    double level, exponent, ceiling, scatter;  ///< level: log samples in the middle
  };

  double costOf(const Parameters& p) const {
    double cost = 0;
    for (const Interval& interval : intervals_) {
      const double mean = std::min(p.level + p.exponent * interval.x, p.ceiling);
      const double low = (interval.low - mean) / p.scatter, high = (interval.high - mean) / p.scatter;
      const double outside = std::max(low, -high);
      if (outside > 30)
        cost += outside * outside / 2;  // where the probability is below any double
      else
        cost -= std::log(low > 0 ? normalShare(-low) - normalShare(-high) : normalShare(high) - normalShare(low));
    }
    return cost;
  }

  Parameters best(double ceiling, double scatter) const {
    Parameters p = {0, 0, ceiling, scatter};
    const auto levelAt = [&](double exponent) {
      return minimize(least_ - 3, largest_ + 3, [&](double level) {
        return costOf({level, exponent, ceiling, scatter});
      });
    };
    p.exponent = minimize(0, kSteepest, [&](double exponent) {
      return costOf({levelAt(exponent), exponent, ceiling, scatter});
    });
    p.level = levelAt(p.exponent);
    return p;
  }

  Parameters best(double ceiling) const {
    const double scatter = std::exp(minimize(std::log(narrowest_), std::log(narrowest_) + 4, [&](double logScatter) {
      return costOf(best(ceiling, std::exp(logScatter)));
    }));
    return best(ceiling, scatter);
  }

  LawCurve curveOf(const Parameters& p) const {
    LawCurve curve = {p.level - p.exponent * middle_, p.exponent, std::nullopt};
    if (std::isfinite(p.ceiling)) curve.ceiling = p.ceiling;
    return curve;
  }

  /// The region of level and exponent whose cost is at most `limit` is convex for one ceiling: its edge along rays.
  void addEdge(std::vector<LawCurve>& edge, const Parameters& center, double limit) const {
    constexpr int kRays = 64;
    constexpr double kFar = 8;  // e-folds of the batch
    for (int ray = 0; ray < kRays; ++ray) {
      const double angle = 2 * std::numbers::pi * ray / kRays;
      const auto at = [&](double distance) {
        Parameters p = center;
        p.level += distance * std::cos(angle);
        p.exponent = std::max(p.exponent + distance * std::sin(angle) / spread_, 0.0);
        return p;
      };
      double inside = 0, outside = kFar;
      while (outside - inside > 1e-4) {
        const double distance = (inside + outside) / 2;
        (costOf(at(distance)) <= limit ? inside : outside) = distance;
      }
      edge.push_back(curveOf(at(inside)));
    }
  }

  static constexpr double kSteepest = 4;
  std::vector<Interval> intervals_;
  double middle_ = 0, spread_ = 0;
  double least_ = kInfinity, largest_ = -kInfinity;  ///< of the finite ends
  double narrowest_ = 0;                             ///< least scatter: small beside an interval
};

template <typename Function>
std::pair<double, double> rangeOf(const std::vector<LawCurve>& curves, const Function& function) {
  std::pair range = {kInfinity, -kInfinity};
  for (const LawCurve& curve : curves) {
    const double value = function(curve);
    range = {std::min(range.first, value), std::max(range.second, value)};
  }
  return range;
}

}  // namespace

Result<void> checkStudyOptions(const StudyOptions& options) {
  const auto& factors = options.factors;
  constexpr double kApart = 1.2;
  for (std::size_t i = 0; i < factors.size(); ++i)
    if (!(factors[i] > 0) || !std::isfinite(factors[i]) || (i > 0 && factors[i] < kApart * factors[i - 1]))
      return Error::config(formatText("The factors must ascend, each at least {} times the one before; {} does not",
                                      formatValue(kApart), formatValue(factors[i])));
  if (factors.size() < 2 || std::find(factors.begin(), factors.end(), 1.0) == factors.end())
    return Error::config("The factors need 1, the batch of the run, and at least one other");
  if (options.replicates < 2 || options.replicates > kMostReplicates)
    return Error::config(formatText("A study takes 2 to {} replicates, as one has no spread to judge by; {} is outside",
                                    kMostReplicates, options.replicates));
  if (options.deltaTokens <= 0) return Error::config("The length of the branches must be at least 1 token");
  if (!(options.toleranceNats > 0) || !(options.toleranceTokens > 0))
    return Error::config("The tolerance must be above 0, as no study can show that nothing at all is lost");
  if (!(options.cooldownShare >= 0 && options.cooldownShare < 1))
    return Error::config("The share of the cool-down must be at least 0 and below 1");
  return {};
}

std::int64_t shortestDelta(double largestFactor, double batchTokens, double beta2) {
  return static_cast<std::int64_t>(std::ceil(largestFactor * batchTokens * std::max(50.0, 3 / (1 - beta2))));
}

std::vector<std::int64_t> studyPositions(std::span<const std::int64_t> available, std::int64_t totalTokens,
                                         std::int64_t deltaTokens) {
  std::vector<std::int64_t> chosen;
  for (int halvings = 6; halvings >= 1; --halvings) {
    const double wanted = std::ldexp(static_cast<double>(totalTokens), -halvings);
    double nearest = std::numbers::sqrt2;
    std::optional<std::int64_t> found;
    for (const std::int64_t position : available) {
      if (position <= 0 || position + deltaTokens > totalTokens) continue;
      const double ratio = static_cast<double>(position) / wanted, distance = std::max(ratio, 1 / ratio);
      if (distance < nearest) nearest = distance, found = position;
    }
    if (found && (chosen.empty() || chosen.back() < *found)) chosen.push_back(*found);
  }
  return chosen;
}

double StudyCheckpoint::samplesOf(double factor) const {
  const auto units = static_cast<double>(batchUnits);
  return batchSamples * (batchUnits > 0 ? std::round(units * factor) / units : factor);
}

bool coolsDownByDefault(double rate, double peakRate) {
  return rate > peakRate / 2;
}

std::optional<double> lossSlope(std::span<const std::pair<double, double>> evaluations, double position) {
  double count = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [tokens, loss] : evaluations) {
    if (tokens < position / 2 || tokens > 2 * position || !std::isfinite(loss)) continue;
    const double logTokens = std::log(tokens / position);
    count += 1, x += logTokens, y += loss, xx += logTokens * logTokens, xy += logTokens * loss;
  }
  const double slope = (x * y - count * xy) / (count * xx - x * x);
  if (count < 3 || !(slope > 0) || !std::isfinite(slope)) return std::nullopt;
  return slope;
}

bool isSameBranch(const Branch& left, const Branch& right) {
  constexpr double kAlike = 1.05;
  return left.position == right.position && left.replicate == right.replicate && left.factor < kAlike * right.factor &&
         right.factor < kAlike * left.factor;
}

std::string_view factorStateName(FactorState state) {
  constexpr std::string_view kNames[] = {"baseline", "passed", "failed", "undecided", "not needed"};
  return kNames[static_cast<std::size_t>(state)];
}

CheckpointDecision decideCheckpoint(const StudyOptions& options, const StudyCheckpoint& checkpoint,
                                    std::span<const BranchResult> results) {
  CheckpointDecision decision;
  decision.checkpoint = checkpoint;
  if (checkpoint.slope) decision.toleranceNatsOfTokens = options.toleranceTokens * *checkpoint.slope;
  decision.tolerance = options.toleranceUnit == ToleranceUnit::Tokens
                           ? decision.toleranceNatsOfTokens.value_or(options.toleranceNats)
                           : options.toleranceNats;
  if (checkpoint.slope) decision.toleranceAsTokens = decision.tolerance / *checkpoint.slope;
  ColumnDecider atRate = {options, decision, results};
  decision.atRate = atRate.decide();
  decision.next = atRate.missing();
  if (checkpoint.hasCooldown) {
    ColumnDecider cooled = {options, decision, results, true};
    decision.afterCooldown = cooled.decide();
    decision.next = cooled.missing();
  }
  return decision;
}

std::vector<Branch> nextBranches(const StudyOptions& options, std::span<const StudyCheckpoint> checkpoints,
                                 std::span<const BranchResult> results) {
  std::vector<Branch> branches;
  for (const StudyCheckpoint& checkpoint : checkpoints)
    for (const Branch& branch : decideCheckpoint(options, checkpoint, results).next) branches.push_back(branch);
  return branches;
}

double passProbability(int replicates, double deviation, double margin) {
  assert(replicates >= 2);
  if (deviation <= 0) return margin > 0 ? 1 : 0;
  // The mean over the density of s / deviation, which is that of sqrt(chi^2 / degrees), by the midpoint rule.
  constexpr int kSteps = 64;
  const double degrees = replicates - 1, reach = 1 + 8 / std::sqrt(degrees), t = oneSidedT(replicates);
  double sum = 0, weights = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double u = reach * (i + 0.5) / kSteps;
    const double weight = std::exp((degrees - 1) * std::log(u) - degrees * (u * u - 1) / 2);
    weights += weight;
    sum += weight * normalShare(margin * std::sqrt(replicates) / deviation - t * u);
  }
  return sum / weights;
}

std::optional<int> neededReplicates(double deviation, double margin) {
  if (margin <= 0 || passProbability(kMostReplicates, deviation, margin) < kWantedPower) return std::nullopt;
  int tooFew = 1, enough = kMostReplicates;
  while (enough - tooFew > 1) {
    const int middle = (tooFew + enough) / 2;
    (passProbability(middle, deviation, margin) >= kWantedPower ? enough : tooFew) = middle;
  }
  return enough;
}

double resolvableDifference(int replicates, double deviation) {
  double low = 0, high = 20 * deviation;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (passProbability(replicates, deviation, middle) >= kWantedPower ? high : low) = middle;
  }
  return high;
}

bool mayDivide(const std::vector<double>& factors) {
  const auto isWide = [](double low, double high) { return high / low > kNarrow; };
  return std::ranges::adjacent_find(factors, isWide) != factors.end();
}

StudyCost studyCost(const StudyOptions& options, std::span<const StudyCheckpoint> checkpoints, int parentRows,
                    std::optional<double> tokensPerSec) {
  const auto& factors = options.factors;
  const auto perCheckpoint =
      static_cast<std::int64_t>(factors.size() + (mayDivide(factors) ? 1 : 0)) * options.replicates;
  const auto delta = static_cast<double>(options.deltaTokens);
  StudyCost cost;
  cost.branches = perCheckpoint * static_cast<std::int64_t>(checkpoints.size()) - parentRows;
  cost.tokens = delta * static_cast<double>(cost.branches);
  for (const StudyCheckpoint& checkpoint : checkpoints)
    if (checkpoint.hasCooldown) cost.tokens += options.cooldownShare * delta * static_cast<double>(perCheckpoint);
  if (tokensPerSec && *tokensPerSec > 0) cost.hours = cost.tokens / *tokensPerSec / 3600;
  return cost;
}

std::vector<LawPoint> lawPoints(std::span<const CheckpointDecision> decisions) {
  std::vector<LawPoint> points;
  for (const CheckpointDecision& decision : decisions) {
    const StudyColumn& column = decision.deciding();
    if (!column.isDecided) continue;
    LawPoint point = {static_cast<double>(decision.checkpoint.position), std::nullopt, std::nullopt};
    if (column.low) point.low = decision.checkpoint.samplesOf(*column.low);
    if (column.high) point.high = decision.checkpoint.samplesOf(*column.high);
    points.push_back(point);
  }
  return points;
}

double LawCurve::at(double tokens) const {
  return std::exp(std::min(intercept + exponent * std::log(tokens), ceiling.value_or(kInfinity)));
}

double LawCurve::meanUntil(double totalTokens) const {
  if (!ceiling || intercept + exponent * std::log(totalTokens) <= *ceiling) return at(totalTokens) / (exponent + 1);
  if (exponent == 0) return std::exp(*ceiling);
  const double reached = std::exp((*ceiling - intercept) / exponent) / totalTokens;
  return std::exp(*ceiling) * (reached / (exponent + 1) + 1 - reached);
}

std::pair<double, double> CriticalBatchLaw::band(double tokens) const {
  const double until = std::min(tokens, measuredUntil);
  return {rangeOf(confidence, [&](const LawCurve& c) { return c.at(until); }).first,
          rangeOf(confidence, [&](const LawCurve& c) { return c.at(tokens); }).second};
}

std::pair<double, double> CriticalBatchLaw::meanBand(double totalTokens) const {
  return rangeOf(confidence, [&](const LawCurve& c) { return c.meanUntil(totalTokens); });
}

std::pair<double, double> CriticalBatchLaw::exponentBand() const {
  return rangeOf(confidence, [](const LawCurve& c) { return c.exponent; });
}

Result<CriticalBatchLaw> fitLaw(std::span<const LawPoint> points) {
  std::vector<LawPoint> bounded;
  bool hasLow = false, hasHigh = false, hasTwo = false;
  for (const LawPoint& point : points) {
    if (point.position <= 0 || (!point.low && !point.high)) continue;
    hasLow |= point.low.has_value();
    hasHigh |= point.high.has_value();
    hasTwo |= !bounded.empty() && bounded.front().position != point.position;
    bounded.push_back(point);
  }
  if (!hasTwo) return Error::config("a law needs two decided checkpoints");
  if (!hasHigh) return Error::config("no batch was too large; add larger factors");
  if (!hasLow) return Error::config("every batch was too large; add smaller factors");
  CriticalBatchLaw law = IntervalFit(bounded).fit();
  for (const LawPoint& point : bounded) law.measuredUntil = std::max(law.measuredUntil, point.position);
  return law;
}

double stepsOfStages(std::span<const RampLevelConfig> stages, double totalTokens, double tokensPerSample) {
  double steps = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const double begin = stages[i].at.number();
    const double end = i + 1 < stages.size() ? std::min(stages[i + 1].at.number(), totalTokens) : totalTokens;
    steps += std::max(end - begin, 0.0) / (static_cast<double>(stages[i].globalTrainBatchSize) * tokensPerSample);
  }
  return steps;
}

StudyRamp rampOfLaw(const CriticalBatchLaw& law, std::int64_t firstSamples, std::int64_t largestSamples,
                    std::int64_t totalTokens, double tokensPerSample) {
  StudyRamp ramp;
  ramp.stages.push_back({Time::of(0, TimeUnit::Token), firstSamples});
  for (std::int64_t size = firstSamples; size <= largestSamples / 2;) {
    size *= 2;
    const auto isReached = [&](std::int64_t tokens) {
      return law.band(static_cast<double>(tokens)).first >= static_cast<double>(size);
    };
    if (!isReached(totalTokens)) break;
    std::int64_t below = 0, reached = totalTokens;  // the lower edge rises, as each curve does
    while (reached - below > 1) {
      const std::int64_t middle = below + (reached - below) / 2;
      (isReached(middle) ? reached : below) = middle;
    }
    if (ramp.stages.back().at == Time::of(reached, TimeUnit::Token)) ramp.stages.pop_back();
    ramp.stages.push_back({Time::of(reached, TimeUnit::Token), size});
  }
  ramp.lrScaling.method = LrScalingMethod::Sqrt;
  ramp.lrScaling.referenceBatchSize = firstSamples;
  ramp.lrScaling.appliesTo = {StepSizeCause::Rampup};
  const auto total = static_cast<double>(totalTokens);
  ramp.steps = stepsOfStages(ramp.stages, total, tokensPerSample);
  ramp.constantSteps = stepsOfStages(std::span(ramp.stages).first(1), total, tokensPerSample);
  return ramp;
}

}  // namespace batchwise
