// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/step_result.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/model/staging_tensor.h"

namespace batchwise {
namespace {

constexpr double kSmoothing = 0.95;  // weight of the previous value: averages over about 20 steps
constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

void raise(std::optional<double>& largest, const std::optional<double>& value) {
  if (value) largest = std::max(largest.value_or(*value), *value);
}

}  // namespace

void NoiseEstimate::add(const GradientSize& small, const GradientSize& large) {
  const bool usable = small.samples > 0 && small.samples < large.samples && std::isfinite(small.normSquared) &&
                      std::isfinite(large.normSquared);
  if (!usable) return;
  const double gradientNow =
      (large.samples * large.normSquared - small.samples * small.normSquared) / (large.samples - small.samples);
  const double noiseNow = (small.normSquared - large.normSquared) / (1.0 / small.samples - 1.0 / large.samples);
  gradient = kSmoothing * gradient + (1.0 - kSmoothing) * gradientNow;
  noise = kSmoothing * noise + (1.0 - kSmoothing) * noiseNow;
}

std::optional<double> NoiseEstimate::scale() const {
  if (gradient <= 0 || noise <= 0) return std::nullopt;
  return noise / gradient;
}

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
  gradNormSum += step.gradNorm;
  raise(largestLogit, step.largestLogit);
  raise(updateRatio, step.updateRatio);
  if (step.lossScale) lossScale = step.lossScale;
  mlmProbability = step.mlmProbability;
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
  row.gradNormMean = gradNormSum / static_cast<double>(parts);
  row.attentionLogit = largestLogit;
  row.updateRatio = updateRatio;
  row.lossScale = lossScale;
  row.mlmProbability = mlmProbability;
  row.stepSec = seconds / static_cast<double>(parts);
  if (seconds > 0) {
    row.samplesPerSec = static_cast<double>(samples) / seconds;
    row.tokensPerSec = static_cast<double>(tokens) / seconds;
  }
  if (computedTokens > 0) row.fill = static_cast<double>(tokens) / static_cast<double>(computedTokens);
  return row;
}

void StepReadback::add(const StepResult& known, const std::optional<Timestamp>& batchEnd,
                       const DeviceFigures& figures) {
  const torch::NoGradGuard noGrad;
  const auto figure = [&figures](const at::Tensor& one) {
    return one.defined() ? one.to(torch::kDouble) : torch::full_like(figures.lossSum, kNotMeasured);
  };
  const at::Tensor together =
      torch::cat({torch::stack({figures.lossSum, figure(figures.gradNorm), figure(figures.foundInf),
                                figure(figures.largestLogit), figure(figures.updateRatio), figure(figures.lossScale)}),
                  figures.noise});
  Pending pending{{known, batchEnd}, together, std::nullopt};
  if (!device_.is_cpu()) {
    pending.figures = stagingTensor(together.sizes(), torch::kDouble, device_);
    pending.figures.copy_(together, /*non_blocking=*/true);
    pending.copied.emplace(device_.type());
    pending.copied->record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  }
  pending_.push_back(std::move(pending));
}

std::optional<StepReadback::Arrived> StepReadback::take(std::size_t leave) {
  if (pending_.size() <= leave) return std::nullopt;
  Pending& oldest = pending_.front();
  if (oldest.copied) oldest.copied->synchronize();
  const double* figures = oldest.figures.const_data_ptr<double>();
  Arrived arrived = oldest.step;
  arrived.result.lossSum = figures[0];
  arrived.result.gradNorm = figures[1];
  arrived.result.skipped = figures[2] != 0;
  if (!std::isnan(figures[3])) arrived.result.largestLogit = figures[3];
  if (!std::isnan(figures[4]) && !arrived.result.skipped) arrived.result.updateRatio = figures[4];
  if (!std::isnan(figures[5])) arrived.result.lossScale = figures[5];
  const double* noise = figures + 6;
  if (noise[2] > 0) arrived.result.small = GradientSize{noise[0] / noise[2], noise[1] / noise[2]};
  pending_.pop_front();
  return arrived;
}

}  // namespace batchwise
