// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_series.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/config/config_file.h"
#include "core/model/shape/model_shape.h"
#include "core/store/metrics/metric_codec.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr std::array kStandard = {
    "loss", "lr", "step_samples", "tokens_per_sec", "grad_norm", "eval.loss", "steps", "sp", "tok", "sec", "wall"};
constexpr std::array kMemoryKinds = {".allocated", ".peak", ".total", ".driver_used"};

LongSeries centeredAverage(const LongSeries& raw, double weight) {
  Curve curve;
  curve.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) curve.push_back({raw.x(i), raw.y(i)});
  LongSeries points;
  for (const CurvePoint& point : smoothed(curve, weight, Smoothing::Centered)) points.append(point.x, point.y);
  return points;
}

}  // namespace

void RunSeries::extend(const std::string& name, LongSeries points) {
  LongSeries& own = series_[name];
  if (kindOfSeries(name) == RowKind::Step) {
    if (this->points("steps").empty()) return;  // no global batch is complete yet: positions are unknown
    const XAxisMap steps = stepMap();
    const double known = own.empty() ? -1.0 : own.back().x();
    for (std::size_t i = 0; i < points.size(); ++i) {
      // A bucket may have two points at the same x: a NaN and an extreme.
      const double x = steps.batchAt(points.x(i));
      if (x > known && (own.empty() || x >= own.back().x())) own.append(x, points.y(i));
    }
  } else if (own.empty()) {
    own = std::move(points);
  } else {
    for (std::size_t i = points.firstAfter(own.back().x()); i < points.size(); ++i)
      own.append(points.x(i), points.y(i));
  }
}

void RunSeries::extend(const std::map<std::string, LongSeries>& points) {
  if (const auto steps = points.find("steps"); steps != points.end()) extend("steps", steps->second);
  for (const auto& [name, added] : points) extend(name, added);
}

const LongSeries& RunSeries::flops(const TrainingCost& cost) const {
  const LongSeries &tokens = points("tok"), &samples = points("sp");
  const LongSeries& shares = points("mlm_probability");
  const std::size_t rows = cost.known() ? tokens.size() : 0;
  for (std::size_t i = flops_.size(); i < rows; ++i) {
    // One of the two may be decimated: pair rows of the same global batch.
    const std::size_t pair = samples.firstAtOrAfter(tokens.x(i));
    if (pair == samples.size()) break;
    const std::size_t masked = shares.firstAtOrAfter(tokens.x(i));
    if (masked == shares.size() && !shares.empty()) break;
    const double share = shares.empty() ? cost.predictedShare : shares.y(masked);
    // Row by row, because stages of a run differ in length and masks.
    const QPointF done(tokens.y(i), samples.y(pair));
    const double before = flops_.empty() ? 0.0 : flops_.back().y();
    flops_.append(tokens.x(i), before + cost.operations(done.x() - counted_.x(), done.y() - counted_.y(), share));
    counted_ = done;
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

/// Returns true if the step of this row of "step_samples" is the last of its epoch, and smaller than the one before.
bool RunSeries::endsEpoch(std::size_t row, double samplesPerEpoch) const {
  const LongSeries &sizes = points("step_samples"), &samples = points("sp");
  if (row == 0 || !(sizes.y(row) < sizes.y(row - 1))) return false;
  if (samplesPerEpoch <= 0) return row + 1 < sizes.size() && sizes.y(row + 1) == sizes.y(row - 1);
  const std::size_t pair = samples.firstAtOrAfter(sizes.x(row));
  return pair < samples.size() && std::abs(std::remainder(samples.y(pair), samplesPerEpoch)) < 0.5;
}

RunSeries::StepSizes RunSeries::stepSizes(double samplesPerEpoch) const {
  const LongSeries& sizes = points("step_samples");
  const auto place = [&](StepSizes& split, std::size_t row) {
    (endsEpoch(row, samplesPerEpoch) ? split.epochEnds : split.full).append(sizes.x(row), sizes.y(row));
  };
  // Whether the last row ends an epoch is known only from the next one.
  for (std::size_t row = stepSizes_.full.size() + stepSizes_.epochEnds.size(); row + 1 < sizes.size(); ++row)
    place(stepSizes_, row);
  StepSizes split = stepSizes_;
  if (!sizes.empty()) place(split, sizes.size() - 1);
  return split;
}

const std::vector<LongSeries>& RunSeries::superseded(const std::string& name) const {
  static const std::vector<LongSeries> none;
  const auto found = superseded_.find(name);
  return found == superseded_.end() ? none : found->second;
}

bool RunSeries::hasSuperseded(const std::string& name) {
  return name == "loss" || name == "lr" || name == "step_samples";
}

const LongSeries& RunSeries::points(const std::string& name) const {
  static const LongSeries none;
  const auto found = series_.find(name);
  return found == series_.end() ? none : found->second;
}

const LongSeries& RunSeries::smoothed(const std::string& name, double weight, Smoothing smoothing) const {
  const LongSeries& raw = points(name);
  auto kept = averages_.find(name);
  if (kept == averages_.end() || kept->second.weight != weight || kept->second.smoothing != smoothing)
    kept = averages_.insert_or_assign(name, Average{weight, smoothing, Smoother(weight), {}}).first;
  Average& average = kept->second;
  if (smoothing == Smoothing::Centered && average.points.size() < raw.size()) {
    average.points = centeredAverage(raw, weight);
    return average.points;
  }
  for (std::size_t i = average.points.size(); i < raw.size(); ++i)
    average.points.append(raw.x(i), average.next.next(raw.y(i)));
  return average.points;
}

std::vector<std::string> RunSeries::devices() const {
  std::vector<std::string> names;
  const std::string_view kind = kMemoryKinds[0];
  for (const auto& [name, points] : series_) {
    if (name.starts_with(kMemoryPrefix) && name.ends_with(kind))
      names.push_back(name.substr(kMemoryPrefix.size(), name.size() - kMemoryPrefix.size() - kind.size()));
  }
  return names;
}

std::int64_t RunSeries::lastBatch() const {
  const auto& loss = points("loss");
  return loss.empty() ? 0 : static_cast<std::int64_t>(loss.back().x());
}

bool RunSeries::isStandard(const std::string& name) {
  if (std::find(kStandard.begin(), kStandard.end(), name) != kStandard.end()) return true;
  return name.starts_with(kMemoryPrefix) &&
         std::any_of(kMemoryKinds.begin(), kMemoryKinds.end(), [&](const char* kind) { return name.ends_with(kind); });
}

LongSeries toLongSeries(const std::vector<SeriesPoint>& points) {
  LongSeries out;
  for (const SeriesPoint& point : points) out.append(static_cast<double>(point.batch), point.value);
  return out;
}

std::vector<LongSeries> supersededRanges(const std::vector<SeriesPoint>& points) {
  std::vector<LongSeries> ranges;
  auto again = std::numeric_limits<std::int64_t>::max();  // first batch of the later segments
  for (auto end = points.rbegin(); end != points.rend();) {
    auto begin = end;  // one segment, in reverse
    do ++begin;
    while (begin != points.rend() && begin->batch < std::prev(begin)->batch);
    LongSeries taken;
    for (auto point = begin.base(); point != end.base(); ++point)
      if (point->batch >= again) taken.append(static_cast<double>(point->batch), point->value);
    again = std::min(again, begin.base()->batch);
    if (!taken.empty()) ranges.insert(ranges.begin(), std::move(taken));
    end = begin;
  }
  return ranges;
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

double samplesPerEpoch(const RunDetail& run) {
  constexpr std::string_view kName = "data.samples_per_epoch";
  double samples = 0;
  for (const auto& [name, value] : run.resolvedValues) {
    if (name != kName && !(name.starts_with("stages[") && name.ends_with("]." + std::string(kName)))) continue;
    const double ofStage = numberNamed(run.resolvedValues, name).value_or(0.0);
    if (samples > 0 && samples != ofStage) return 0;
    samples = ofStage;
  }
  return samples;
}

namespace {

/// (global batch, seconds since the start) of starts, resumes and the end.
LongSeries knownTimes(const RunView& view) {
  LongSeries times;
  const RunDetail& run = view.detail;
  if (run.segments.empty()) return times;
  const std::int64_t start = run.segments.front().startedMs;
  const auto add = [&](std::int64_t batch, std::int64_t ms) {
    const auto x = static_cast<double>(batch);
    const double seconds = static_cast<double>(ms - start) / 1000.0;
    if (batch > 0 && seconds > 0 && (times.empty() || (x > times.back().x() && seconds > times.back().y())))
      times.append(x, seconds);
  };
  for (const RunSegment& segment : run.segments) add(segment.from.batch, segment.startedMs);
  const RunSegment& last = run.segments.back();
  const double trained = run.summary.at.seconds - last.from.seconds;
  add(run.summary.at.batch, last.startedMs + std::llround(1000 * std::max(0.0, trained)));
  return times;
}

LongSeries elapsed(const RunView& view) {
  if (view.series.points("wall").empty() || view.detail.segments.empty()) return knownTimes(view);
  return view.series.elapsed(view.detail.segments.front().startedMs);
}

}  // namespace

bool hasAxis(const RunView& view, XAxis xAxis) {
  if (isExternal(view.detail.summary)) {
    const auto has = [&view](const char* clock) { return !view.series.points(clock).empty(); };
    switch (xAxis) {
      case XAxis::Samples: return has("sp");
      case XAxis::Tokens: return has("tok");
      case XAxis::Time:
      case XAxis::Elapsed: return has("sec");
      case XAxis::Epochs: return has("ep");
      case XAxis::Flops: return false;
      default: return true;
    }
  }
  if (xAxis == XAxis::Epochs) return samplesPerEpoch(view.detail) > 0;
  return xAxis != XAxis::Flops || view.cost.known();
}

XAxisMap axisMapOf(const RunView& view, XAxis xAxis) {
  switch (xAxis) {
    case XAxis::Batches: return {};
    case XAxis::Steps: return view.series.stepMap();
    case XAxis::Samples: return XAxisMap(view.series.points("sp"));
    case XAxis::Tokens: return XAxisMap(view.series.points("tok"));
    case XAxis::Time: return XAxisMap(view.series.points("sec"));
    case XAxis::Elapsed: return XAxisMap(elapsed(view));
    case XAxis::Flops: return XAxisMap(view.series.flops(view.cost));
    case XAxis::Epochs:
      if (isExternal(view.detail.summary)) return XAxisMap(view.series.points("ep"));
      return XAxisMap(view.series.points("sp"), 1.0 / samplesPerEpoch(view.detail));
  }
  return {};
}

TrainingCost trainingCostOf(const RunDetail& run) {
  const TrainingCost stored = storedTrainingCost(run.resolvedValues);
  if (stored.known() || isExternal(run.summary)) return stored;
  const TrainConfig config = parseConfig(run.resolvedYaml, run.summary.name, {}).config;
  if (!config.tokenizer.path.empty() || !config.model.initFrom.empty()) return {};
  const auto shape = resolveModelShape(config.model, config.tokenizer.trainVocabSize, config.data.maxSeqLen);
  return shape.ok() ? trainingCost(*shape, config.data.mlmProbability) : TrainingCost();
}

void addMarkers(RunView& view, const RunEvent& event) {
  const auto mark = [&](const QString& icon) {
    view.events.push_back({static_cast<double>(eventBatch(event)), icon, eventSentence(event)});
  };
  if (const auto* started = std::get_if<RunStarted>(&event)) {
    if (started->segment == 0) return;
    view.resumePositions.push_back(static_cast<double>(eventBatch(event)));
    mark(QStringLiteral("resume"));
  } else if (std::holds_alternative<CheckpointSaved>(event)) {
    mark(QStringLiteral("checkpoint"));
  } else if (std::holds_alternative<EvalResult>(event)) {
    mark(QStringLiteral("evaluation"));
  } else if (const auto* note = std::get_if<RunNote>(&event);
             note != nullptr && (note->level != NoteLevel::Info || note->at.batch > 0)) {
    mark(levelIcon(note->level));
  }
}

}  // namespace batchwise
