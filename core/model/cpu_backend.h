// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/kernels/element.h"
#include "core/model/backend.h"
#include "core/model/parallel.h"

namespace batchwise::cpu {

/// Rows per kernel call. Constant, so that sums over rows do not depend on the number of threads.
constexpr std::int64_t kRowBlock = 64;

inline std::int64_t blocksOf(std::int64_t rows) {
  return (rows + kRowBlock - 1) / kRowBlock;
}

/// Calls work(block, firstRow, endRow) for every block of rows, on LibTorch's threads.
template <typename Work>
void forRowBlocks(std::int64_t rows, const Work& work) {
  parallelFor(blocksOf(rows), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block)
      work(block, block * kRowBlock, std::min(rows, (block + 1) * kRowBlock));
  });
}

/// Calls work(element) with a value of the kernel type for `type`: float, Bf16 or Fp16.
template <typename Work>
auto withElement(at::ScalarType type, const Work& work) {
  if (type == at::kFloat) return work(float{});
  if (type == at::kBFloat16) return work(Bf16{});
  TORCH_CHECK(type == at::kHalf, "the CPU computes in fp32, bf16 or fp16, not in ", type);
  return work(Fp16{});
}

template <typename Element>
Element* pointer(const at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  if constexpr (std::is_same_v<Element, Bf16>) {
    return reinterpret_cast<Bf16*>(tensor.mutable_data_ptr<at::BFloat16>());
  } else if constexpr (std::is_same_v<Element, Fp16>) {
    return reinterpret_cast<Fp16*>(tensor.mutable_data_ptr<at::Half>());
  } else {
    return tensor.mutable_data_ptr<Element>();
  }
}

AttentionResult attention(const AttentionInput& input, const AttentionPlan& plan, bool training);
AttentionGradient attentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                    const AttentionInput& input, const AttentionResult& saved,
                                    const AttentionPlan& plan);

}  // namespace batchwise::cpu
