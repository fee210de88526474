// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/example_norms.h"

#include <torch/torch.h>

#include <algorithm>

#include "core/model/backend_check.h"
#include "core/model/device_batch.h"

namespace batchwise {

void ExampleNorms::begin(const MicroBatch& batch, c10::Device device) {
  rows_[0] = batch.tokens();
  rows_[1] = batch.predicted();
  const at::Tensor starts = stagingTensor({2, batch.sequences() + 1}, at::kLong, device);
  auto* const to = starts.mutable_data_ptr<std::int64_t>();
  const auto& predicted = batch.predictedPositions;
  auto* const toPredicted = std::ranges::copy(batch.sequenceStarts, to).out;
  std::ranges::transform(batch.sequenceStarts, toPredicted, [&](std::int32_t start) {
    return std::ranges::lower_bound(predicted, start) - predicted.begin();
  });
  starts_ = starts.to(device, /*non_blocking=*/true);
  predicted_ = starts_[1].diff().to(at::kDouble);
  normSquared_ = at::zeros_like(predicted_);
}

void ExampleNorms::add(const NormOutputGradients& gradients, const NormResult& result, bool hasBeta) {
  if (!gradients.output.defined()) return;
  const torch::NoGradGuard noGrad;
  const std::int64_t rows = result.sum.size(0), rowsAre = rows == rows_[0] ? 0 : 1;
  TORCH_CHECK(rows == rows_[rowsAre], "a norm layer has ", rows, " rows, of neither all nor predicted tokens");
  const Backend& backend = backendFor(OperationGroup::Norm, result.sum.device(), result.sum.scalar_type());
  normSquared_.add_(backend.sequenceNorms(gradients, result, starts_[rowsAre], hasBeta));
}

}  // namespace batchwise
