// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_series.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace batchwise {
namespace {

constexpr std::string_view kMemory = "memory.";
constexpr std::array kStandard = {
    "loss", "lr", "step_samples", "tokens_per_sec", "grad_norm", "eval.loss", "steps", "sp", "tok", "sec", "wall"};
constexpr std::array kMemoryKinds = {".allocated", ".peak", ".total", ".driver_used"};

}  // namespace

void RunSeries::append(const std::string& name, std::int64_t batch, double value) {
  auto& points = series_[name];
  const auto x = static_cast<double>(batch);
  if (points.empty() || points.back().x() < x) points.append(x, value);
}

void RunSeries::add(const MetricsRow& row, std::int64_t wallMs) {
  if (kindOf(row) == RowKind::Step) {
    for (const NamedValue& value : extra_.empty() ? std::vector<NamedValue>() : valuesOf(row))
      if (extra_.contains(value.series))
        bufferSteps(value.series, {{static_cast<double>(row.at.step), value.value}}, 0);
    return;
  }
  const std::int64_t batch = row.at.batch;
  if (wallMs > 0) append("wall", batch, static_cast<double>(wallMs) / 1000.0);
  append("steps", batch, static_cast<double>(row.at.step));
  append("sp", batch, static_cast<double>(row.at.sample));
  append("tok", batch, static_cast<double>(row.at.token));
  append("sec", batch, row.at.seconds);
  append("loss", batch, row.loss);
  append("lr", batch, row.learningRate);
  append("step_samples", batch, static_cast<double>(row.stepSamples));
  append("tokens_per_sec", batch, row.tokensPerSec);
  append("grad_norm", batch, row.gradNorm);
  for (const DeviceMemory& device : row.devices) {
    const std::string prefix = std::string(kMemory) + device.name;
    append(prefix + ".allocated", batch, static_cast<double>(device.allocated));
    append(prefix + ".peak", batch, static_cast<double>(device.peak));
    append(prefix + ".total", batch, static_cast<double>(device.total));
    if (device.driverUsed > 0) append(prefix + ".driver_used", batch, static_cast<double>(device.driverUsed));
  }
  if (extra_.empty()) return;
  appendExtra(batch, valuesOf(row));
  flushSteps();
}

void RunSeries::add(const EvalResult& result) {
  append("eval.loss", result.at.batch, result.loss);
  appendExtra(result.at.batch, valuesOf(result));
}

void RunSeries::appendExtra(std::int64_t batch, const std::vector<NamedValue>& values) {
  if (extra_.empty()) return;
  for (const NamedValue& value : values)
    if (extra_.contains(value.series)) append(value.series, batch, value.value);
}

/// Ignores points that are not newer than the last.
void RunSeries::bufferSteps(const std::string& name, const LongSeries& points, std::size_t from) {
  LongSeries& own = bufferedSteps_[name];
  const double known = own.empty() ? -1.0 : own.back().x();
  for (std::size_t i = from; i < points.size(); ++i)
    if (points.x(i) > known) own.append(points.x(i), points.y(i));
}

/// Moves buffered steps to their series once their global batch is complete.
void RunSeries::flushSteps() {
  for (const auto& [name, points] : std::exchange(bufferedSteps_, {}))
    extendStepSeries(name, points, TrailingSteps::Buffer);
}

void RunSeries::mapStepsToBatches(const std::string& name, TrailingSteps trailing) {
  const LongSeries overSteps = std::exchange(series_[name], {});
  extendStepSeries(name, overSteps, trailing);
}

void RunSeries::extendStepSeries(const std::string& name, const LongSeries& points, TrailingSteps trailing) {
  const bool keep = trailing == TrailingSteps::Extrapolate;
  if (const auto held = bufferedSteps_.find(name); held != bufferedSteps_.end() && !held->second.empty() &&
                                                   held->second.back().x() <= static_cast<double>(lastStep()))
    bufferedSteps_.erase(held);  // their global batch is complete: `points` contains them
  const std::size_t end = keep ? points.size() : points.firstAfter(static_cast<double>(lastStep()));
  if (keep)
    bufferedSteps_.erase(name);
  else
    bufferSteps(name, points, end);
  if (this->points("steps").empty()) return;  // no global batch is complete yet: positions are unknown
  const XAxisMap steps = stepMap();
  auto& own = series_[name];
  const double known = own.empty() ? -1.0 : own.back().x();
  for (std::size_t i = 0; i < end; ++i) {
    // A bucket may have two points at the same x: a NaN and an extreme.
    const double x = steps.batchAt(points.x(i));
    if (x > known && (own.empty() || x >= own.back().x())) own.append(x, points.y(i));
  }
}

void RunSeries::setExtra(const std::vector<std::string>& names) {
  extra_ = {names.begin(), names.end()};
}

void RunSeries::clearDerived() {
  averages_.clear();
  flops_ = {};
  elapsed_ = {};
}

const LongSeries& RunSeries::flops(const TrainingCost& cost) const {
  const LongSeries &tokens = points("tok"), &samples = points("sp");
  const std::size_t rows = cost.perToken > 0 ? tokens.size() : 0;
  for (std::size_t i = flops_.size(); i < rows; ++i) {
    // One of the two may be decimated: pair rows of the same global batch.
    const std::size_t pair = samples.firstAtOrAfter(tokens.x(i));
    if (pair == samples.size()) break;
    flops_.append(tokens.x(i), cost.operations(tokens.y(i), samples.y(pair)));
  }
  return flops_;
}

const LongSeries& RunSeries::elapsed(std::int64_t startMs) const {
  const LongSeries& recorded = points("wall");
  for (std::size_t i = elapsed_.size(); i < recorded.size(); ++i) {
    const double before = i == 0 ? 0.0 : elapsed_.back().y();
    elapsed_.append(recorded.x(i), std::max(before, recorded.y(i) - static_cast<double>(startMs) / 1000.0));
  }
  return elapsed_;
}

void RunSeries::set(const std::string& name, LongSeries points) {
  series_[name] = std::move(points);
  clearDerived();
}

void RunSeries::extend(const std::string& name, const LongSeries& points) {
  auto& own = series_[name];
  for (std::size_t i = own.empty() ? 0 : points.firstAfter(own.back().x()); i < points.size(); ++i)
    own.append(points.x(i), points.y(i));
}

void RunSeries::truncate(const Timestamp& from) {
  const double lastOfSteps = stepMap().batchAt(static_cast<double>(from.step));  // may be within a global batch
  for (auto& [name, points] : bufferedSteps_) points.truncate(points.firstAfter(static_cast<double>(from.step)));
  for (auto& [name, points] : series_) {
    const std::size_t keep = points.firstAfter(isStepSeries(name) ? lastOfSteps : static_cast<double>(from.batch));
    if (keep == points.size()) continue;
    if (hasSuperseded(name)) {
      auto& taken = superseded_[name].emplace_back();
      for (std::size_t i = keep; i < points.size(); ++i) taken.append(points.x(i), points.y(i));
    }
    points.truncate(keep);
  }
  clearDerived();
}

const std::vector<LongSeries>& RunSeries::superseded(const std::string& name) const {
  static const std::vector<LongSeries> none;
  const auto found = superseded_.find(name);
  return found == superseded_.end() ? none : found->second;
}

void RunSeries::setSuperseded(const std::string& name, std::vector<LongSeries> stretches) {
  superseded_[name] = std::move(stretches);
}

bool RunSeries::hasSuperseded(const std::string& name) {
  return name == "loss" || name == "lr" || name == "step_samples";
}

const LongSeries& RunSeries::points(const std::string& name) const {
  static const LongSeries none;
  const auto found = series_.find(name);
  return found == series_.end() ? none : found->second;
}

const LongSeries& RunSeries::smoothed(const std::string& name, double weight) const {
  const LongSeries& raw = points(name);
  auto kept = averages_.find(name);
  if (kept == averages_.end() || kept->second.weight != weight)
    kept = averages_.insert_or_assign(name, Average{weight, Smoother(weight), {}}).first;
  Average& average = kept->second;
  for (std::size_t i = average.points.size(); i < raw.size(); ++i)
    average.points.append(raw.x(i), average.next.next(raw.y(i)));
  return average.points;
}

std::vector<std::string> RunSeries::devices() const {
  std::vector<std::string> names;
  const std::string_view kind = kMemoryKinds[0];
  for (const auto& [name, points] : series_) {
    if (name.starts_with(kMemory) && name.ends_with(kind))
      names.push_back(name.substr(kMemory.size(), name.size() - kMemory.size() - kind.size()));
  }
  return names;
}

std::int64_t RunSeries::lastBatch() const {
  const auto& loss = points("loss");
  return loss.empty() ? 0 : static_cast<std::int64_t>(loss.back().x());
}

std::int64_t RunSeries::lastStep() const {
  const auto& steps = points("steps");
  return steps.empty() ? 0 : static_cast<std::int64_t>(steps.back().y());
}

bool RunSeries::isStandard(const std::string& name) {
  if (std::find(kStandard.begin(), kStandard.end(), name) != kStandard.end()) return true;
  return name.starts_with(kMemory) &&
         std::any_of(kMemoryKinds.begin(), kMemoryKinds.end(), [&](const char* kind) { return name.ends_with(kind); });
}

LongSeries toLongSeries(const std::vector<SeriesPoint>& points) {
  LongSeries out;
  for (const SeriesPoint& point : points) out.append(static_cast<double>(point.batch), point.value);
  return out;
}

std::vector<LongSeries> supersededRanges(const std::vector<SeriesPoint>& points) {
  std::vector<LongSeries> stretches;
  auto again = std::numeric_limits<std::int64_t>::max();  // first batch of the later segments
  for (auto end = points.rbegin(); end != points.rend();) {
    auto begin = end;  // one segment, in reverse
    do ++begin;
    while (begin != points.rend() && begin->batch < std::prev(begin)->batch);
    LongSeries taken;
    for (auto point = begin.base(); point != end.base(); ++point)
      if (point->batch >= again) taken.append(static_cast<double>(point->batch), point->value);
    again = std::min(again, begin.base()->batch);
    if (!taken.empty()) stretches.insert(stretches.begin(), std::move(taken));
    end = begin;
  }
  return stretches;
}

LongSeries toLongSeries(const std::vector<SeriesBucket>& buckets) {
  LongSeries out;
  for (const SeriesBucket& bucket : buckets) {
    const auto first = static_cast<double>(bucket.firstBatch);
    const auto last = static_cast<double>(bucket.lastBatch);
    if (bucket.nonFinite > 0) out.append(first, std::numeric_limits<double>::quiet_NaN());
    if (bucket.count <= bucket.nonFinite) continue;
    const bool falls = bucket.first > bucket.last;
    out.append(first, falls ? bucket.maximum : bucket.minimum);
    if (last > first) out.append(last, falls ? bucket.minimum : bucket.maximum);
  }
  return out;
}

}  // namespace batchwise
