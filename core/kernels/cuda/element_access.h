// SPDX-License-Identifier: GPL-3.0-or-later
// Element access for code that runs on the device and, in tests, on the host. C++17.
#pragma once

#include <cstdint>

#include "core/base/random.h"
#include "core/kernels/element.h"
#if defined(__CUDACC__)
#include "core/kernels/cuda/device_element.cuh"
// Keeps per-thread arrays in registers.
#define BATCHWISE_UNROLL _Pragma("unroll")
#else
#define BATCHWISE_UNROLL
#endif

namespace batchwise {

template <typename Element>
BATCHWISE_HOST_DEVICE inline float elementAt(const Element* p, std::int64_t i) {
#if defined(__CUDA_ARCH__)
  return load(p, i);
#else
  return toFloat(p[i]);
#endif
}
template <typename Element>
BATCHWISE_HOST_DEVICE inline void setElement(Element* p, std::int64_t i, float value) {
#if defined(__CUDA_ARCH__)
  store(p, i, value);
#else
  p[i] = fromFloat<Element>(value);
#endif
}

/// Adjacent elements, read or written in one memory access.
template <typename Element, int kLanes>
struct alignas(kLanes * sizeof(Element)) ElementPack {
  Element items[kLanes];
};

/// Reads p[i] to p[i + kLanes - 1]. Requires p + i to be aligned to a pack.
template <int kLanes, typename Element>
BATCHWISE_HOST_DEVICE inline void readPack(const Element* p, std::int64_t i, float* values) {
  const auto pack = *reinterpret_cast<const ElementPack<Element, kLanes>*>(p + i);
  BATCHWISE_UNROLL
  for (int lane = 0; lane < kLanes; ++lane) values[lane] = elementAt(pack.items, lane);
}
/// Writes `values`, and rounds them to what is stored.
template <int kLanes, typename Element>
BATCHWISE_HOST_DEVICE inline void writePack(Element* p, std::int64_t i, float* values) {
  ElementPack<Element, kLanes> pack{};
  BATCHWISE_UNROLL
  for (int lane = 0; lane < kLanes; ++lane) {
    setElement(pack.items, lane, values[lane]);
    values[lane] = elementAt(pack.items, lane);
  }
  *reinterpret_cast<ElementPack<Element, kLanes>*>(p + i) = pack;
}

}  // namespace batchwise
