// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/events/metric.h"

#include <algorithm>
#include <array>
#include <string>

namespace batchwise {
namespace {

using enum MetricFormat;
using enum Direction;
using SourceMetric = MetricOf<std::int64_t SourceTokens::*>;
using ClockMetric = MetricOf<double Timestamp::*, std::int64_t Timestamp::*>;

constexpr const char* kLossUnit = "nats per masked token";
constexpr MetricTraits kMeasured{.fluctuates = true, .neverNegative = true};
constexpr MetricTraits kMeasuredInSome{.fluctuates = true, .neverNegative = true, .optional = true};
constexpr MetricTraits kAnySign{.fluctuates = true, .optional = true};
constexpr MetricTraits kNotNegative{.neverNegative = true};
constexpr MetricTraits kSize{.holds = true};
constexpr MetricTraits kResolved{.neverNegative = true, .holds = true, .optional = true};

constexpr std::array kRowMetrics = {
    RowMetric{{"loss", "Loss", kLossUnit, Plain, LowerIsBetter, kMeasured}, &MetricsRow::loss},
    RowMetric{{"lr", "Learning rate", "per step", Rate, Neither, kNotNegative}, &MetricsRow::learningRate},
    RowMetric{
        {"step_samples", "Batch size", "samples per step", Count, Neither, {.neverNegative = true, .holds = true}},
        &MetricsRow::stepSamples},
    RowMetric{{"global_batch_samples", "Samples per global batch", "", Count, Neither, kSize},
              &MetricsRow::globalBatchSamples},
    RowMetric{{"parts", "Steps per global batch", "", Count, Neither, kSize}, &MetricsRow::parts},
    RowMetric{{"grad_norm", "Gradient norm", "before clipping", Plain, Neither, kMeasured}, &MetricsRow::gradNorm},
    RowMetric{{"samples_per_sec", "Samples per second", "", Plain, HigherIsBetter, kMeasured},
              &MetricsRow::samplesPerSec},
    RowMetric{{"tokens_per_sec", "Speed", "tokens per second", Whole, HigherIsBetter, kMeasured},
              &MetricsRow::tokensPerSec},
    RowMetric{{"step_sec", "Seconds per step", "", Plain, LowerIsBetter, kMeasured}, &MetricsRow::stepSec},
    RowMetric{{"fill", "Micro-batch fill", "", Plain, HigherIsBetter, {}}, &MetricsRow::fill},
    RowMetric{{"noise_scale", "Gradient noise scale", "samples", Plain, Neither, kMeasuredInSome},
              &MetricsRow::noiseScale},
    RowMetric{{"noise_scale_tokens", "Noise scale in tokens", "", Plain, Neither, kMeasured},
              &MetricsRow::noiseScaleTokens},
    RowMetric{{"noise_scale_low", "Noise scale, lower end", "samples, 95 % interval", Plain, Neither, kMeasured},
              &MetricsRow::noiseScaleLow},
    RowMetric{{"noise_scale_high", "Noise scale, upper end", "samples, 95 % interval", Plain, Neither, kMeasured},
              &MetricsRow::noiseScaleHigh},
    RowMetric{{"grad_norm_mean", "Mean gradient norm", "before clipping", Plain, Neither, kMeasured},
              &MetricsRow::gradNormMean},
    RowMetric{{"attention_logit", "Largest attention logit", "", Plain, Neither, kAnySign},
              &MeasuredFigures::attentionLogit},
    RowMetric{{"update_ratio", "Largest update-to-weight ratio", "", Plain, Neither, kMeasuredInSome},
              &MeasuredFigures::updateRatio},
    RowMetric{{"loss_scale", "Loss scale", "", Plain, Neither, {.optional = true}, OverSteps::Last},
              &MeasuredFigures::lossScale},
    RowMetric{{"mlm_probability", "Share of masked tokens", "", Plain, Neither, kNotNegative, OverSteps::Last},
              &MeasuredFigures::mlmProbability},
    RowMetric{{"beta2", "Second-moment decay beta2", "per step", Plain, Neither, kResolved, OverSteps::Last},
              &MeasuredFigures::beta2},
    RowMetric{{"weight_decay", "Weight decay", "per step", Plain, Neither, kResolved, OverSteps::Last},
              &MeasuredFigures::weightDecay},
    RowMetric{{"clipped_share",
               "Share of clipped steps",
               "",
               Plain,
               Neither,
               {.fluctuates = true, .neverNegative = true},
               OverSteps::Mean},
              &MeasuredFigures::clippedShare},
};

constexpr std::array kEvalFigures = {
    EvalFigure{{"loss", "Evaluation loss", kLossUnit, Plain, LowerIsBetter, kNotNegative},
               &EvalResult::loss,
               &EvalSetResult::loss},
    EvalFigure{{"perplexity", "Evaluation perplexity", "", Plain, LowerIsBetter, kNotNegative},
               &EvalResult::perplexity,
               &EvalSetResult::perplexity},
    EvalFigure{{"accuracy", "Evaluation accuracy", "", Plain, HigherIsBetter, kNotNegative},
               &EvalResult::accuracy,
               &EvalSetResult::accuracy},
    EvalFigure{{"bits_per_byte", "Evaluation bits per byte", "of the masked text", Plain, LowerIsBetter, kNotNegative},
               &EvalResult::bitsPerByte,
               &EvalSetResult::bitsPerByte},
    EvalFigure{{"draw_error", "Noise of the evaluation masks", "standard error", Plain, Neither, kNotNegative},
               &EvalResult::drawError,
               &EvalSetResult::drawError},
    EvalFigure{{"samples", "Samples per evaluation", "", Count, Neither, kNotNegative},
               &EvalResult::samples,
               &EvalSetResult::samples},
    EvalFigure{{"tokens", "Tokens per evaluation", "", Count, Neither, kNotNegative},
               &EvalResult::tokens,
               &EvalSetResult::tokens},
    EvalFigure{{"seconds", "Seconds per evaluation", "", Plain, LowerIsBetter, kNotNegative}, &EvalResult::seconds},
};

constexpr std::array kTaskMetrics = {
    Metric{"accuracy", "Accuracy", "", Plain, HigherIsBetter, kNotNegative},
    Metric{"f1", "F1", "", Plain, HigherIsBetter, kNotNegative},
    Metric{"matthews", "Matthews correlation", "", Plain, HigherIsBetter},
    Metric{"pearson", "Pearson correlation", "", Plain, HigherIsBetter},
    Metric{"spearman", "Spearman correlation", "", Plain, HigherIsBetter},
    Metric{"ndcg_at_10", "nDCG of the first 10", "", Plain, HigherIsBetter, kNotNegative}};

constexpr std::array kMemoryMetrics = {
    MemoryMetric{{"allocated", "used", "GiB", Gibibytes, LowerIsBetter, kNotNegative}, &DeviceMemory::allocated},
    MemoryMetric{{"reserved", "reserved", "GiB", Gibibytes, LowerIsBetter, kNotNegative}, &DeviceMemory::reserved},
    MemoryMetric{{"peak", "peak", "GiB", Gibibytes, LowerIsBetter, kNotNegative}, &DeviceMemory::peak},
    MemoryMetric{{"total", "limit", "GiB", Gibibytes, Neither, kNotNegative}, &DeviceMemory::total},
    MemoryMetric{{"driver_used",
                  "used by all programs",
                  "GiB",
                  Gibibytes,
                  LowerIsBetter,
                  {.neverNegative = true, .optional = true, .zeroIsUnknown = true}},
                 &DeviceMemory::driverUsed},
};

constexpr std::array kSourceMetrics = {
    SourceMetric{{"tokens", "Tokens", "per global batch", Whole, Neither, kMeasuredInSome}, &SourceTokens::tokens},
};

constexpr std::array kClockMetrics = {
    ClockMetric{{"ep", "Epoch", "", Count}, &Timestamp::epoch},
    ClockMetric{{"steps", "steps", "", Count}, &Timestamp::step},
    ClockMetric{{"sp", "sp", "", Count}, &Timestamp::sample},
    ClockMetric{{"tok", "tok", "", Count}, &Timestamp::token},
    ClockMetric{{"sec", "sec", ""}, &Timestamp::seconds},
};

template <class Metrics>
const Metric* named(const Metrics& metrics, std::string_view name) {
  const auto found =
      std::ranges::find(metrics, name, [](const Metric& metric) { return std::string_view(metric.name); });
  return found == metrics.end() ? nullptr : &*found;
}

std::optional<double> number(const std::optional<double>& measured) {
  return measured;
}
std::optional<double> number(double value) {
  return value;
}
std::optional<double> number(std::int64_t value) {
  return static_cast<double>(value);
}

template <class Record, class Members>
void append(std::vector<NamedValue>& values, const std::string& prefix, const Metric& metric, const Record& record,
            const Members& members) {
  const auto value = std::visit([&record](auto member) { return number(figureOf(record, member)); }, members);
  if (value && !(metric.traits.zeroIsUnknown && *value == 0)) values.push_back({prefix + metric.name, *value});
}

template <class Metrics, class Record>
void append(std::vector<NamedValue>& values, const std::string& prefix, const Metrics& metrics, const Record& record) {
  for (const auto& metric : metrics) append(values, prefix, metric, record, metric.member);
}

}  // namespace

std::span<const RowMetric> rowMetrics() {
  return kRowMetrics;
}

std::span<const EvalFigure> evalFigures() {
  return kEvalFigures;
}

std::span<const MemoryMetric> memoryMetrics() {
  return kMemoryMetrics;
}

std::vector<std::string> optionalSeries() {
  std::vector<std::string> names;
  for (const RowMetric& metric : kRowMetrics)
    if (metric.traits.optional) names.push_back(metric.name);
  return names;
}

bool isOfTask(std::string_view series) {
  return series.starts_with(kTaskPrefix) && series.find('.', kTaskPrefix.size()) != series.npos;
}

const Metric* findMetric(std::string_view series) {
  if (series.starts_with(kStepPrefix)) series.remove_prefix(kStepPrefix.size());
  const std::string_view leaf = series.substr(series.rfind('.') + 1);
  if (series.starts_with(kMemoryPrefix)) return named(kMemoryMetrics, leaf);
  if (series.starts_with(kSourcePrefix)) return named(kSourceMetrics, leaf);
  if (isOfTask(series)) return named(kTaskMetrics, leaf);
  if (series.starts_with(kEvalPrefix)) return named(kEvalFigures, leaf);
  if (series != leaf) return nullptr;
  const Metric* figure = named(kRowMetrics, leaf);
  return figure == nullptr ? named(kClockMetrics, leaf) : figure;
}

std::vector<NamedValue> valuesOf(const MetricsRow& row) {
  const std::string prefix = row.at.stepInBatch > 0 ? std::string(kStepPrefix) : std::string();
  std::vector<NamedValue> values;
  append(values, prefix, kRowMetrics, row);
  append(values, prefix, kClockMetrics, row.at);
  for (const DeviceMemory& device : row.devices)
    append(values, prefix + std::string(kMemoryPrefix) + device.name + ".", kMemoryMetrics, device);
  for (const SourceTokens& source : row.sources)
    append(values, prefix + std::string(kSourcePrefix) + source.name + ".", kSourceMetrics, source);
  return values;
}

std::vector<NamedValue> valuesOf(const EvalResult& result) {
  std::vector<NamedValue> values;
  append(values, std::string(kEvalPrefix), kEvalFigures, result);
  for (const EvalSetResult& set : result.sets) {
    const std::string prefix = std::string(kEvalPrefix) + set.name + ".";
    for (const EvalFigure& metric : kEvalFigures)
      if (metric.ofSet && metric.format != Count) append(values, prefix, metric, set, *metric.ofSet);
  }
  for (const TaskResult& task : result.tasks) values.push_back({std::string(kTaskPrefix) + task.name, task.value});
  return values;
}

}  // namespace batchwise
