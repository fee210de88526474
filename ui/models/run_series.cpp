// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_series.h"

#include <algorithm>
#include <array>
#include <limits>

namespace batchwise {
namespace {

constexpr std::string_view kMemory = "memory.";
constexpr std::array kPlain = {"loss",      "lr",    "step_samples", "tokens_per_sec", "grad_norm",
                               "eval.loss", "steps", "sp",           "tok",            "sec"};
constexpr std::array kMemoryKinds = {".allocated", ".peak", ".total"};

}  // namespace

void RunSeries::append(const std::string& name, std::int64_t batch, double value) {
  auto& points = series_[name];
  const auto x = static_cast<double>(batch);
  if (points.empty() || points.back().x() < x) points.emplace_back(x, value);
}

void RunSeries::add(const MetricsRow& row) {
  const std::int64_t batch = row.at.batch;
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
  }
}

void RunSeries::add(const EvalResult& result) {
  append("eval.loss", result.at.batch, result.loss);
}

void RunSeries::extend(const std::string& name, const std::vector<QPointF>& points) {
  auto& own = series_[name];
  for (const QPointF& point : points)
    if (own.empty() || own.back().x() < point.x()) own.push_back(point);
}

void RunSeries::truncate(std::int64_t batch) {
  for (auto& [name, points] : series_) {
    const auto from = std::partition_point(points.begin(), points.end(), [batch](const QPointF& point) {
      return point.x() <= static_cast<double>(batch);
    });
    if (from != points.end() && hasSuperseded(name)) superseded_[name].emplace_back(from, points.end());
    points.erase(from, points.end());
  }
}

const std::vector<std::vector<QPointF>>& RunSeries::superseded(const std::string& name) const {
  static const std::vector<std::vector<QPointF>> none;
  const auto found = superseded_.find(name);
  return found == superseded_.end() ? none : found->second;
}

void RunSeries::setSuperseded(const std::string& name, std::vector<std::vector<QPointF>> stretches) {
  superseded_[name] = std::move(stretches);
}

bool RunSeries::hasSuperseded(const std::string& name) {
  return name == "loss" || name == "lr" || name == "step_samples";
}

const std::vector<QPointF>& RunSeries::points(const std::string& name) const {
  static const std::vector<QPointF> none;
  const auto found = series_.find(name);
  return found == series_.end() ? none : found->second;
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

bool RunSeries::wanted(const std::string& name) {
  if (std::find(kPlain.begin(), kPlain.end(), name) != kPlain.end()) return true;
  return name.starts_with(kMemory) &&
         std::any_of(kMemoryKinds.begin(), kMemoryKinds.end(), [&](const char* kind) { return name.ends_with(kind); });
}

std::vector<QPointF> toPoints(const std::vector<SeriesPoint>& points) {
  std::vector<QPointF> out;
  out.reserve(points.size());
  for (const SeriesPoint& point : points) out.emplace_back(static_cast<double>(point.batch), point.value);
  return out;
}

std::vector<std::vector<QPointF>> supersededStretches(const std::vector<SeriesPoint>& points) {
  std::vector<std::vector<QPointF>> stretches;
  auto again = std::numeric_limits<std::int64_t>::max();  // where a later segment begins
  for (auto end = points.rbegin(); end != points.rend();) {
    auto begin = end;  // the segment, from its last point to the one before its first
    do ++begin;
    while (begin != points.rend() && begin->batch < std::prev(begin)->batch);
    std::vector<QPointF> taken;
    for (auto point = begin.base(); point != end.base(); ++point)
      if (point->batch >= again) taken.emplace_back(static_cast<double>(point->batch), point->value);
    again = std::min(again, begin.base()->batch);
    if (!taken.empty()) stretches.insert(stretches.begin(), std::move(taken));
    end = begin;
  }
  return stretches;
}

std::vector<QPointF> toPoints(const std::vector<SeriesBucket>& buckets) {
  std::vector<QPointF> out;
  out.reserve(2 * buckets.size());
  for (const SeriesBucket& bucket : buckets) {
    const auto first = static_cast<double>(bucket.firstBatch);
    const auto last = static_cast<double>(bucket.lastBatch);
    if (bucket.nonFinite > 0) out.emplace_back(first, std::numeric_limits<double>::quiet_NaN());
    if (bucket.count <= bucket.nonFinite) continue;
    const bool falls = bucket.first > bucket.last;
    out.emplace_back(first, falls ? bucket.maximum : bucket.minimum);
    if (last > first) out.emplace_back(last, falls ? bucket.minimum : bucket.maximum);
  }
  return out;
}

}  // namespace batchwise
