// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstring>

namespace batchwise {

/// The bits of a bfloat16 number: the upper half of an fp32 number. Layout-compatible with LibTorch's type.
struct Bf16 {
  std::uint16_t bits;
};

inline float toFloat(float value) {
  return value;
}
inline float toFloat(Bf16 value) {
  const std::uint32_t wide = static_cast<std::uint32_t>(value.bits) << 16;
  float result;
  std::memcpy(&result, &wide, sizeof result);
  return result;
}

/// Rounds to nearest, ties to even; NaN stays NaN.
template <typename Element>
Element fromFloat(float value);
template <>
inline float fromFloat<float>(float value) {
  return value;
}
template <>
inline Bf16 fromFloat<Bf16>(float value) {
  std::uint32_t wide;
  std::memcpy(&wide, &value, sizeof wide);
  const std::uint32_t rounded = wide + 0x7FFFU + ((wide >> 16) & 1U);
  const bool isNan = (wide & 0x7FFFFFFFU) > 0x7F800000U;
  return Bf16{static_cast<std::uint16_t>(isNan ? 0x7FC0U : rounded >> 16)};
}

}  // namespace batchwise
