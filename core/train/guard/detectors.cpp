// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/guard/detectors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/format.h"

namespace batchwise {
namespace {

constexpr double kMinDeviation = 1e-4;  // of the mean

constexpr std::size_t kCourseWindow = 8;     // losses that count as the end of a run
constexpr std::int64_t kNonFiniteAtEnd = 4;  // one that a guard has skipped is no divergence
constexpr double kDivergedFactor = 10;       // of the first loss
constexpr double kClearRise = 0.1;           // of the lowest mean
constexpr double kNoiseOfRise = 4;           // standard deviations of single losses, 11 of their means

double meanOf(const std::deque<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviationOf(const std::deque<double>& values) {
  if (values.size() < 2) return 0;
  double squares = 0;
  for (const double value : values) squares += std::pow(value - meanOf(values), 2);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double clearlyAbove(double level, double deviation) {
  return level + std::max(kClearRise * std::abs(level), kNoiseOfRise * deviation);
}

constexpr double kRounding = 1e-5;  // relative: the order of summation differs

bool sameNumber(double left, double right) {
  return left == right || (std::isnan(left) && std::isnan(right));
}

}  // namespace

std::optional<SpikeLimit::Limit> SpikeLimit::limitFor(const LossSpikeState& state, std::int64_t step) const {
  auto end = state.recent.end();
  while (end != state.recent.begin() && std::prev(end)->step >= step - kLag) --end;
  const std::int64_t known = std::min<std::int64_t>(end - state.recent.begin(), window_);
  if (known < std::max<std::int64_t>(2, window_ / 2)) return std::nullopt;
  const auto begin = end - known;
  const auto count = static_cast<double>(known);
  Limit found;
  for (auto entry = begin; entry != end; ++entry) found.mean += entry->loss / count;
  double squares = 0;
  for (auto entry = begin; entry != end; ++entry) squares += std::pow(entry->loss - found.mean, 2);
  found.deviation = std::max(std::sqrt(squares / (count - 1)), kMinDeviation * std::abs(found.mean));
  found.limit = found.mean + sigma_ * found.deviation;
  return found;
}

void SpikeLimit::add(LossSpikeState& state, std::int64_t step, double loss) const {
  if (!std::isfinite(loss)) return;
  state.recent.push_back({step, loss});
  while (static_cast<std::int64_t>(state.recent.size()) > window_ + kLag) state.recent.pop_front();
}

std::optional<Plateau::Found> Plateau::add(PlateauState& state, double loss) const {
  if (!std::isfinite(loss)) return std::nullopt;
  state.recent.push_back(loss);
  while (static_cast<std::int64_t>(state.recent.size()) > window_) state.recent.pop_front();
  if (static_cast<std::int64_t>(state.recent.size()) < window_) return std::nullopt;
  const std::int64_t half = window_ / 2;  // an odd window ignores its middle value
  const auto mean = [half](auto from) { return std::accumulate(from, from + half, 0.0) / static_cast<double>(half); };
  const Found found{mean(state.recent.begin()), mean(state.recent.end() - half)};
  if (found.newer < found.older - minDelta_) return std::nullopt;
  state.recent.clear();
  return found;
}

void addLoss(LossCourseState& state, double loss) {
  if (!std::isfinite(loss)) {
    ++state.nonFinite;
    return;
  }
  state.nonFinite = 0;
  if (!state.first) state.first = loss;
  state.recent.push_back(loss);
  if (state.recent.size() > kCourseWindow) state.recent.pop_front();
  if (state.recent.size() < kCourseWindow) return;
  const double mean = meanOf(state.recent), deviation = deviationOf(state.recent);
  const bool risen = mean > clearlyAbove(*state.first, deviation) ||
                     (state.lowest && mean > clearlyAbove(*state.lowest, std::max(deviation, state.deviation)));
  if (risen) state.risen = 1;
  if (state.lowest && mean >= *state.lowest) return;
  state.lowest = mean;
  state.deviation = deviation;
}

void startStage(LossCourseState& state) {
  state = {state.first, {}, 0, std::nullopt, 0, 0};
}

std::optional<Divergence> findDivergence(const LossCourseState& state, double unigramNats) {
  using Kind = Divergence::Kind;
  const auto finite = static_cast<std::int64_t>(state.recent.size());
  if (state.nonFinite > 0 && state.nonFinite >= std::min<std::int64_t>(kNonFiniteAtEnd, finite))
    return Divergence{Kind::NotFinite, std::nan(""), 0};
  if (state.recent.empty() || !state.first) return std::nullopt;
  const double loss = meanOf(state.recent);
  if (loss >= kDivergedFactor * *state.first) return Divergence{Kind::AboveStart, loss, *state.first};
  const bool risen = state.risen > 0 || loss > clearlyAbove(*state.first, deviationOf(state.recent));
  if (!risen || unigramNats <= 0 || loss <= unigramNats) return std::nullopt;
  return Divergence{Kind::AboveUnigram, loss, unigramNats};
}

double gradientNormRatio(const std::deque<LossSpikeState::Entry>& noiseScales, std::int64_t step, double samples,
                         double fullSamples) {
  std::optional<double> noise;
  for (const LossSpikeState::Entry& entry : noiseScales)
    if (entry.step < step - SpikeLimit::kLag) noise = entry.loss;
  return noise ? std::sqrt((1.0 + *noise / samples) / (1.0 + *noise / fullSamples)) : std::sqrt(fullSamples / samples);
}

bool EarlyStop::add(EarlyStopState& state, double value) const {
  const double gain = !state.best ? 0 : better_ == Better::Lower ? *state.best - value : value - *state.best;
  if (!std::isnan(value) && (!state.best || gain > minDelta_)) {
    state = {value, 0};
    return false;
  }
  if (++state.withoutImprovement < patience_) return false;
  state.withoutImprovement = 0;
  return true;
}

double upperMedian(const std::deque<double>& values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

RunNote compareFirstLoss(const MetricsRow& row, const std::optional<EarlierLoss>& earlier) {
  const std::string which = formatText("the first global batch after the resume ({}ba)", row.at.batch);
  if (!earlier || earlier->batch != row.at.batch)
    return {NoteLevel::Info, formatText("{}: there is no earlier row to compare its loss with", which), row.at};
  if (sameNumber(earlier->loss, row.loss))
    return {NoteLevel::Info,
            formatText("{} has the same loss as before, {}, equal to the last bit", which, formatValue(row.loss)),
            row.at};
  const double difference = row.loss - earlier->loss;
  const bool rounding = std::abs(difference) <= kRounding * std::abs(earlier->loss);
  return {rounding ? NoteLevel::Info : NoteLevel::Warning,
          formatText("{} has a loss of {} and had {} before: it differs by {}{}", which, formatValue(row.loss),
                     formatValue(earlier->loss), formatValue(difference), rounding ? ", no more than rounding" : ""),
          row.at};
}

}  // namespace batchwise
