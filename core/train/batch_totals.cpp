// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/batch_totals.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/json_number.h"
#include "core/base/return_if_error.h"
#include "core/train/exact_json.h"
#include "core/train/messages.h"

namespace batchwise {

bool StepResult::finite() const {
  return std::isfinite(gradNorm);
}

void BatchTotals::add(const StepResult& step) {
  ++parts;
  samples += step.samples;
  tokens += step.tokens;
  computedTokens += step.computedTokens;
  predicted += step.predicted;
  stepSamples = std::max(stepSamples, step.samples);
  lossSum += step.lossSum;
  gradNorm = std::isnan(step.gradNorm) || std::isnan(gradNorm) ? std::nan("") : std::max(gradNorm, step.gradNorm);
  learningRate = step.learningRate;
  seconds += step.seconds;
}

MetricsRow BatchTotals::row(const Timestamp& at) const {
  MetricsRow row;
  row.at = at;
  row.loss = lossSum / static_cast<double>(predicted);
  row.learningRate = learningRate;
  row.stepSamples = stepSamples;
  row.parts = parts;
  row.globalBatchSamples = samples;
  row.gradNorm = gradNorm;
  row.stepSec = seconds / static_cast<double>(parts);
  if (seconds > 0) {
    row.samplesPerSec = static_cast<double>(samples) / seconds;
    row.tokensPerSec = static_cast<double>(tokens) / seconds;
  }
  if (computedTokens > 0) row.fill = static_cast<double>(tokens) / static_cast<double>(computedTokens);
  return row;
}

nlohmann::json totalsToJson(const BatchTotals& window) {
  return {{"parts", window.parts},
          {"samples", window.samples},
          {"tokens", window.tokens},
          {"computed_tokens", window.computedTokens},
          {"predicted", window.predicted},
          {"step_samples", window.stepSamples},
          {"loss_sum", jsonNumber(window.lossSum)},
          {"grad_norm", jsonNumber(window.gradNorm)},
          {"sec", jsonNumber(window.seconds)}};
}

Result<BatchTotals> totalsFromJson(const nlohmann::json& object) {
  BatchTotals window;
  JsonFields fields(object, messages::runningBatchSums());
  fields.read("parts", window.parts);
  fields.read("samples", window.samples);
  fields.read("tokens", window.tokens);
  fields.read("computed_tokens", window.computedTokens);
  fields.read("predicted", window.predicted);
  fields.read("step_samples", window.stepSamples);
  fields.read("loss_sum", window.lossSum);
  fields.read("grad_norm", window.gradNorm);
  fields.read("sec", window.seconds);
  RETURN_IF_ERROR(fields.result());
  return window;
}

}  // namespace batchwise
