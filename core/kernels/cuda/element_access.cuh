// SPDX-License-Identifier: GPL-3.0-or-later
// Loads and stores of elements in device code, one by one or in packs; arithmetic is fp32.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "core/kernels/element.h"

#if defined(__CUDACC__)
#define BATCHWISE_UNROLL _Pragma("unroll")  // keeps arrays of a thread in registers
#else
#define BATCHWISE_UNROLL
#endif

namespace batchwise {

__device__ inline float load(const float* p, std::int64_t i) {
  return p[i];
}
__device__ inline float load(const Bf16* p, std::int64_t i) {
  return __bfloat162float(reinterpret_cast<const __nv_bfloat16*>(p)[i]);
}
__device__ inline float load(const Fp16* p, std::int64_t i) {
  return __half2float(reinterpret_cast<const __half*>(p)[i]);
}
__device__ inline void store(float* p, std::int64_t i, float value) {
  p[i] = value;
}
__device__ inline void store(Bf16* p, std::int64_t i, float value) {
  reinterpret_cast<__nv_bfloat16*>(p)[i] = __float2bfloat16_rn(value);
}
__device__ inline void store(Fp16* p, std::int64_t i, float value) {
  reinterpret_cast<__half*>(p)[i] = __float2half_rn(value);
}

/// A type of this size that one instruction moves.
template <int kBytes>
struct Word;
template <>
struct Word<2> {
  using Type = unsigned short;
};
template <>
struct Word<4> {
  using Type = unsigned;
};
template <>
struct Word<8> {
  using Type = uint2;
};
template <>
struct Word<16> {
  using Type = uint4;
};
template <typename Element, int kLanes>
using PackWord = typename Word<kLanes* static_cast<int>(sizeof(Element))>::Type;

/// Elements in 16 bytes, the most that one instruction moves.
template <typename Element>
constexpr int kPackLanes = 16 / static_cast<int>(sizeof(Element));

/// Reads p[i] to p[i + kLanes - 1] in one access. Requires p + i to be aligned to it.
template <int kLanes, typename Element>
__device__ inline void readPack(const Element* p, std::int64_t i, float* values) {
  if constexpr (kLanes == 1) {
    values[0] = load(p, i);
  } else {
    const PackWord<Element, kLanes> word = *reinterpret_cast<const PackWord<Element, kLanes>*>(p + i);
    Element items[kLanes];
    std::memcpy(items, &word, sizeof word);
    BATCHWISE_UNROLL
    for (int lane = 0; lane < kLanes; ++lane) values[lane] = load(items, lane);
  }
}
/// Writes `values` as readPack() reads them, and rounds them to what is stored.
template <int kLanes, typename Element>
__device__ inline void writePack(Element* p, std::int64_t i, float* values) {
  Element items[kLanes];
  BATCHWISE_UNROLL
  for (int lane = 0; lane < kLanes; ++lane) {
    store(items, lane, values[lane]);
    values[lane] = load(items, lane);
  }
  if constexpr (kLanes == 1) {
    p[i] = items[0];
  } else {
    PackWord<Element, kLanes> word;
    std::memcpy(&word, items, sizeof word);
    __stwb(reinterpret_cast<PackWord<Element, kLanes>*>(p + i), word);  // an assignment may become stores of 4 bytes
  }
}

/// Returns whether packs of `lanes` of 16 bytes or less are aligned in rows of `stride` elements at these addresses.
template <typename... Pointers>
bool alignedToPacks(int lanes, std::int64_t stride, Pointers... matrices) {
  const auto aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  return stride % lanes == 0 && (aligned(matrices) && ...);
}

}  // namespace batchwise
