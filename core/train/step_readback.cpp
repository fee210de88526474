// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/step_readback.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/torch.h>

namespace batchwise {

void StepReadback::add(const StepResult& known, const std::optional<Timestamp>& batchEnd,
                       const DeviceFigures& figures) {
  const torch::NoGradGuard noGrad;
  const at::Tensor together = torch::cat(
      {torch::stack({figures.lossSum, figures.gradNorm.to(torch::kDouble), figures.foundInf.to(torch::kDouble)}),
       figures.noise});
  Pending pending{{known, batchEnd}, together, std::nullopt};
  if (!device_.is_cpu()) {
    pending.figures = torch::empty(together.sizes(), torch::TensorOptions(torch::kDouble).pinned_memory(true));
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
  if (figures[5] > 0) arrived.result.small = GradientSize{figures[3] / figures[5], figures[4] / figures[5]};
  pending_.pop_front();
  return arrived;
}

}  // namespace batchwise
