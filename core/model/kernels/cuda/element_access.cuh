// SPDX-License-Identifier: GPL-3.0-or-later
// Loads and stores of elements in device code, one by one or in packs; arithmetic is fp32.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "core/model/kernels/element.h"

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

// What a word of 32 bits holds: a float, or two elements of 16 bits, the first in its lower half. Two are converted at
// once where an instruction does that.
__device__ inline void unpackWord(const float*, unsigned word, float* values) {
  values[0] = __uint_as_float(word);
}
__device__ inline void unpackWord(const Bf16*, unsigned word, float* values) {
  values[0] = __uint_as_float(word << 16);
  values[1] = __uint_as_float(word & 0xFFFF0000U);
}
__device__ inline void unpackWord(const Fp16*, unsigned word, float* values) {
  __half2 two;
  std::memcpy(&two, &word, sizeof word);
  values[0] = __low2float(two);
  values[1] = __high2float(two);
}
__device__ inline unsigned packWord(const float*, const float* values) {
  return __float_as_uint(values[0]);
}
__device__ inline unsigned packWord(const Bf16*, const float* values) {
  const __nv_bfloat162 two = __floats2bfloat162_rn(values[0], values[1]);
  unsigned word;
  std::memcpy(&word, &two, sizeof word);
  return word;
}
__device__ inline unsigned packWord(const Fp16*, const float* values) {
  const __half2 two = __floats2half2_rn(values[0], values[1]);
  unsigned word;
  std::memcpy(&word, &two, sizeof word);
  return word;
}

// A store to global memory in one instruction: the compiler splits an assignment into stores of 4 bytes, and no load
// may pass __stwb(), not even one of another row. So what a thread has stored, it does not read again.
__device__ inline void storeOnce(unsigned* to, unsigned word) {
  *to = word;
}
#if defined(__CUDACC__)
__device__ inline void storeOnce(uint2* to, uint2 words) {
  asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)), "r"(words.x), "r"(words.y));
}
__device__ inline void storeOnce(uint4* to, uint4 words) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(words.x),
               "r"(words.y), "r"(words.z), "r"(words.w));
}
#else
template <typename Words>
void storeOnce(Words* to, Words words) {
  *to = words;
}
#endif

/// Begins to bring to the L2 cache what a later load reads.
__device__ inline void prefetch([[maybe_unused]] const void* p) {
#if defined(__CUDACC__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(p)));
#endif
}

/// Elements in 16 bytes, the most that one instruction moves.
template <typename Element>
constexpr int kPackLanes = 16 / static_cast<int>(sizeof(Element));

/// Adjacent elements as they are stored, in 4 to 16 bytes.
template <typename Element, int kLanes>
struct Pack {
  static constexpr int kInWord = 4 / static_cast<int>(sizeof(Element));
  static constexpr int kWords = kLanes / kInWord;
  using Access = typename Word<4 * kWords>::Type;

  unsigned words[kWords] = {};

  __device__ void set(Access all) { std::memcpy(words, &all, sizeof all); }
  __device__ Access get() const {
    Access all;
    std::memcpy(&all, words, sizeof all);
    return all;
  }
  /// Reads p[i] to p[i + kLanes - 1] in one access. Requires p + i to be aligned to it.
  __device__ void read(const Element* p, std::int64_t i) { set(*reinterpret_cast<const Access*>(p + i)); }
  /// As read(), of what the kernel does not write: the load may go before any store.
  __device__ void readConstant(const Element* p, std::int64_t i) { set(__ldg(reinterpret_cast<const Access*>(p + i))); }
  __device__ void write(Element* p, std::int64_t i) const { storeOnce(reinterpret_cast<Access*>(p + i), get()); }
  __device__ void unpack(float* values) const {
    BATCHWISE_UNROLL
    for (int word = 0; word < kWords; ++word)
      unpackWord(static_cast<const Element*>(nullptr), words[word], values + word * kInWord);
  }
  /// Holds `values` from here on, and rounds them to that.
  __device__ void pack(float* values) {
    BATCHWISE_UNROLL
    for (int word = 0; word < kWords; ++word)
      words[word] = packWord(static_cast<const Element*>(nullptr), values + word * kInWord);
    unpack(values);
  }
};

/// Reads p[i] to p[i + kLanes - 1] in one access. Requires p + i to be aligned to it.
template <int kLanes, typename Element>
__device__ inline void readPack(const Element* p, std::int64_t i, float* values) {
  if constexpr (kLanes == 1) {
    values[0] = load(p, i);
  } else {
    Pack<Element, kLanes> pack;
    pack.read(p, i);
    pack.unpack(values);
  }
}
/// Writes `values` as readPack() reads them, and rounds them to what is stored.
template <int kLanes, typename Element>
__device__ inline void writePack(Element* p, std::int64_t i, float* values) {
  if constexpr (kLanes == 1) {
    Element item;
    store(&item, 0, values[0]);
    values[0] = load(&item, 0);
    p[i] = item;
  } else {
    Pack<Element, kLanes> pack;
    pack.pack(values);
    pack.write(p, i);
  }
}

/// Returns whether packs of `lanes` of 16 bytes or less are aligned in rows of `stride` elements at these addresses.
template <typename... Pointers>
bool alignedToPacks(int lanes, std::int64_t stride, Pointers... matrices) {
  const auto aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  return stride % lanes == 0 && (aligned(matrices) && ...);
}

}  // namespace batchwise
