// SPDX-License-Identifier: GPL-3.0-or-later
// Elements read and written by code that runs on the device and, in tests, on the host. C++17.
#pragma once

#include <cstdint>

#include "core/base/random.h"
#include "core/kernels/element.h"
#if defined(__CUDACC__)
#include "core/kernels/cuda/device_element.cuh"
// So that the arrays of a thread are registers.
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

/// Elements that stand together: one access of memory.
template <typename Element, int kLanes>
struct alignas(kLanes * sizeof(Element)) ElementPack {
  Element items[kLanes];
};

/// p[i] to p[i + kLanes - 1]; p + i is a whole number of packs from a boundary of memory.
template <int kLanes, typename Element>
BATCHWISE_HOST_DEVICE inline void readPack(const Element* p, std::int64_t i, float* values) {
  const auto pack = *reinterpret_cast<const ElementPack<Element, kLanes>*>(p + i);
  BATCHWISE_UNROLL
  for (int lane = 0; lane < kLanes; ++lane) values[lane] = elementAt(pack.items, lane);
}
/// `values` become what is stored.
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
