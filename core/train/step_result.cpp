// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/step_result.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/config/events/metric.h"
#include "core/model/device_batch.h"

namespace batchwise {
namespace {

// Unlike std::max: NaN if either is.
double larger(double one, double other) {
  return std::isnan(one) || std::isnan(other) ? std::nan("") : std::max(one, other);
}

/// `parts`: those of the global batch so far, with this step.
void combine(MeasuredFigures& figures, const MeasuredFigures& ofStep, double parts) {
  forEachMeasured([&](const Metric& metric, auto member) {
    const std::optional<double>& value = ofStep.*member;
    std::optional<double>& total = figures.*member;
    if (!value) return;
    switch (metric.overSteps) {
      case OverSteps::Last: total = *value; break;
      case OverSteps::Largest: total = larger(total.value_or(*value), *value); break;
      case OverSteps::Mean: total = (total.value_or(*value) * (parts - 1.0) + *value) / parts; break;
    }
  });
}

}  // namespace

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
  gradNorm = larger(gradNorm, step.gradNorm);
  gradNormSum += step.gradNorm;
  combine(measured, step.measured, static_cast<double>(parts));
  sources.resize(step.sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i)
    sources[i] = {step.sources[i].name, sources[i].tokens + step.sources[i].tokens};
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
  row.measured = measured;
  row.sources = sources;
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
  Pending pending{{known, batchEnd}, {}, {}, std::nullopt};
  std::vector<at::Tensor> scalars{figures.lossSum, figures.gradNorm.to(torch::kDouble),
                                  figures.foundInf.to(torch::kDouble)};
  for (const auto& [member, value] : figures.measured) {
    pending.measured.push_back(member);
    scalars.push_back(value.to(torch::kDouble));
  }
  if (figures.norm.defined()) scalars.insert(scalars.end(), {figures.partNorm, figures.norm});
  const at::Tensor together = torch::stack(scalars);
  pending.figures = together;
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
  const std::size_t measured = oldest.measured.size();
  for (std::size_t i = 0; i < measured; ++i) arrived.result.measured.*oldest.measured[i] = figures[3 + i];
  if (arrived.result.noise) {
    arrived.result.noise->partNormSquared = figures[3 + measured];
    arrived.result.noise->normSquared = figures[4 + measured];
  }
  if (arrived.result.skipped) arrived.result.measured.updateRatio.reset();
  pending_.pop_front();
  return arrived;
}

}  // namespace batchwise
