// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define BATCHWISE_HOST_DEVICE __host__ __device__
#else
#define BATCHWISE_HOST_DEVICE
#endif

namespace batchwise {

/// Counter-based random numbers: pure functions of a key and an index, without state.
/// Finalizer of SplitMix64 (Steele, Lea and Flood 2014), a bijection on 64-bit words. Host and device.
BATCHWISE_HOST_DEVICE constexpr std::uint64_t mix64(std::uint64_t word) {
  word += 0x9E3779B97F4A7C15ULL;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ULL;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBULL;
  return word ^ (word >> 31);
}

/// Derives a key for one purpose from a parent key and a number (epoch, sample, layer, ...).
BATCHWISE_HOST_DEVICE constexpr std::uint64_t subKey(std::uint64_t key, std::uint64_t number) {
  return mix64(key ^ mix64(number ^ 0xD1B54A32D192ED03ULL));
}

/// Returns the `index`-th 64 random bits under `key`.
BATCHWISE_HOST_DEVICE constexpr std::uint64_t randomBits(std::uint64_t key, std::uint64_t index) {
  return mix64(key + mix64(index));
}

/// Maps 64 random bits to [0, bound) by multiplication (Lemire 2019) without the rejection step: the bias is below
/// bound / 2^64. Requires bound > 0.
constexpr std::uint64_t boundedRandom(std::uint64_t bits, std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(bits) * bound) >> 64);
}

/// Maps 64 random bits to a double in [0, 1) with 53 random bits.
constexpr double unitRandom(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace batchwise
