// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/metrics/metric_values.h"

namespace batchwise {
namespace {

void addClocks(std::vector<NamedValue>& values, const std::string& prefix, const Timestamp& at) {
  values.push_back({prefix + "ep", static_cast<double>(at.epoch)});
  values.push_back({prefix + "steps", static_cast<double>(at.step)});
  values.push_back({prefix + "sp", static_cast<double>(at.sample)});
  values.push_back({prefix + "tok", static_cast<double>(at.token)});
  values.push_back({prefix + "sec", at.seconds});
}

}  // namespace

RowKind kindOfSeries(std::string_view name) {
  if (name.starts_with("eval.")) return RowKind::Eval;
  return name.starts_with("step.") ? RowKind::Step : RowKind::Batch;
}

RowKind kindOf(const MetricsRow& row) {
  return row.at.partInBatch > 0 ? RowKind::Step : RowKind::Batch;
}

std::int64_t positionOf(const MetricsRow& row) {
  return kindOf(row) == RowKind::Step ? row.at.step : row.at.batch;
}

std::vector<NamedValue> valuesOf(const MetricsRow& row) {
  const std::string prefix = kindOf(row) == RowKind::Step ? "step." : "";
  std::vector<NamedValue> values{
      {prefix + "loss", row.loss},
      {prefix + "lr", row.learningRate},
      {prefix + "step_samples", static_cast<double>(row.stepSamples)},
      {prefix + "global_batch_samples", static_cast<double>(row.globalBatchSamples)},
      {prefix + "parts", static_cast<double>(row.parts)},
      {prefix + "grad_norm", row.gradNorm},
      {prefix + "samples_per_sec", row.samplesPerSec},
      {prefix + "tokens_per_sec", row.tokensPerSec},
      {prefix + "step_sec", row.stepSec},
      {prefix + "fill", row.fill},
  };
  if (row.noiseScale) values.push_back({prefix + "noise_scale", *row.noiseScale});
  addClocks(values, prefix, row.at);
  for (const DeviceMemory& device : row.devices) {
    const std::string memory = prefix + "memory." + device.name + ".";
    values.push_back({memory + "allocated", static_cast<double>(device.allocated)});
    values.push_back({memory + "reserved", static_cast<double>(device.reserved)});
    values.push_back({memory + "peak", static_cast<double>(device.peak)});
    values.push_back({memory + "total", static_cast<double>(device.total)});
    if (device.driverUsed > 0) values.push_back({memory + "driver_used", static_cast<double>(device.driverUsed)});
  }
  return values;
}

std::vector<NamedValue> valuesOf(const EvalResult& result) {
  return {{"eval.loss", result.loss},
          {"eval.perplexity", result.perplexity},
          {"eval.accuracy", result.accuracy},
          {"eval.samples", static_cast<double>(result.samples)},
          {"eval.tokens", static_cast<double>(result.tokens)},
          {"eval.seconds", result.seconds}};
}

}  // namespace batchwise
