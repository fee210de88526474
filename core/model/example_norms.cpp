// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/example_norms.h"

#include <torch/torch.h>

#include <algorithm>
#include <span>
#include <vector>

#include "core/model/device_batch.h"
#include "core/model/kernel_calls.h"
#include "core/model/kernels/cpu_kernels.h"

namespace batchwise {
namespace {

/// Adds to `normSquared` what the rows from starts[i] to starts[i + 1] give for each i.
void addOnHost(const NormOutputGradients& gradients, const NormResult& result, bool hasBeta,
               const std::vector<std::int64_t>& starts, double* normSquared) {
  withElement(result.sum.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    AddNormGradient<Element> rows;
    rows.outputGradient = pointer<Element>(gradients.output);
    rows.secondGradient = pointer<Element>(gradients.second);
    rows.sum = pointer<Element>(result.sum);
    rows.mean = pointer<float>(result.mean);
    rows.rstd = pointer<float>(result.rstd);
    rows.width = result.sum.size(1);
    parallelFor(std::ssize(starts) - 1, 1, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> columns(static_cast<std::size_t>(2 * rows.width));
      const std::span used = std::span(columns).first(static_cast<std::size_t>((hasBeta ? 2 : 1) * rows.width));
      AddNormGradient<Element> own = rows;
      own.columns = columns.data();
      for (std::int64_t i = begin; i < end; ++i) {
        const auto place = static_cast<std::size_t>(i);
        cpuKernels<Element>().normColumns(own, starts[place], starts[place + 1]);
        for (const float value : used) normSquared[i] += double{value} * double{value};
      }
    });
  });
}

}  // namespace

void ExampleNorms::begin(const MicroBatch& batch, c10::Device device) {
  const std::int64_t sequences = batch.sequences();
  starts_[0].assign(batch.sequenceStarts.begin(), batch.sequenceStarts.end());
  starts_[1].clear();
  for (const std::int32_t start : batch.sequenceStarts)
    starts_[1].push_back(std::ranges::lower_bound(batch.predictedPositions, start) - batch.predictedPositions.begin());
  const at::Tensor lengths = stagingTensor({2, sequences}, at::kLong, device);
  auto* to = lengths.mutable_data_ptr<std::int64_t>();
  for (const auto& starts : starts_)
    for (std::size_t i = 1; i < starts.size(); ++i) *to++ = starts[i] - starts[i - 1];
  lengths_ = lengths.to(device, /*non_blocking=*/true);
  predicted_ = lengths_[1].to(at::kDouble);
  normSquared_ = at::zeros_like(predicted_);
}

void ExampleNorms::add(const NormOutputGradients& gradients, const NormResult& result, bool hasBeta) {
  if (!gradients.output.defined()) return;
  const torch::NoGradGuard noGrad;
  const std::int64_t rows = result.sum.size(0);
  const std::size_t rowsAre = rows == starts_[0].back() ? 0 : 1;
  TORCH_CHECK(rows == starts_[rowsAre].back(), "a norm layer has ", rows, " rows, of neither all nor predicted tokens");
  if (result.sum.is_cpu())
    addOnHost(gradients, result, hasBeta, starts_[rowsAre], normSquared_.mutable_data_ptr<double>());
  else
    normSquared_.add_(exampleNormsOf(gradients, result, hasBeta, lengths_[static_cast<std::int64_t>(rowsAre)]));
}

at::Tensor exampleNormsOf(const NormOutputGradients& gradients, const NormResult& result, bool hasBeta,
                          const at::Tensor& lengths) {
  const auto bySequence = [&](const at::Tensor& ofRows) {
    return at::segment_reduce(ofRows, "sum", lengths, {}, {}, 0, /*unsafe=*/true, 0.0)
        .square()
        .sum(1, false, at::kDouble);
  };
  at::Tensor outer = gradients.output;  // products with `unit` are in fp32 anyway
  if (hasBeta || gradients.second.defined()) outer = outer.to(at::kFloat);
  if (gradients.second.defined()) outer = outer + gradients.second;
  const at::Tensor unit = (result.sum - result.mean.view({-1, 1})).mul_(result.rstd.view({-1, 1}));
  const at::Tensor squared = bySequence(outer * unit);
  return hasBeta ? squared + bySequence(outer) : squared;
}

}  // namespace batchwise
