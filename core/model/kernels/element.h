// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstring>

namespace batchwise {

/// Bits of a bfloat16, the upper half of an fp32 number. Layout-compatible with LibTorch's type.
struct Bf16 {
  std::uint16_t bits;
};

/// Bits of an IEEE 754 binary16 number. Layout-compatible with LibTorch's type.
struct Fp16 {
  std::uint16_t bits;
};

// Conversions are always inlined, and without branches: the kernels are compiled once per instruction set and
// vectorize.

[[gnu::always_inline]] inline float toFloat(float value) {
  return value;
}
[[gnu::always_inline]] inline float toFloat(Bf16 value) {
  const std::uint32_t wide = static_cast<std::uint32_t>(value.bits) << 16;
  float result;
  std::memcpy(&result, &wide, sizeof result);
  return result;
}
[[gnu::always_inline]] inline float toFloat(Fp16 value) {
  // As upper bits of a float, a half has an exponent that is 112 too small; the product corrects that, including
  // subnormals. Infinities and NaN get the largest exponent.
  const std::uint32_t magnitude = (value.bits & 0x7FFFU) << 13;
  const std::uint32_t scaleBits = (127U + 112U) << 23;
  float number, scale;
  std::memcpy(&number, &magnitude, sizeof number);
  std::memcpy(&scale, &scaleBits, sizeof scale);
  number *= scale;
  std::uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  bits |= magnitude >= 0x0F800000U ? 0x7F800000U : 0U;
  bits |= (value.bits & 0x8000U) << 16;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

/// Rounds to nearest, ties to even; preserves NaN.
template <typename Element>
Element fromFloat(float value);
template <>
[[gnu::always_inline]] inline float fromFloat<float>(float value) {
  return value;
}
template <>
[[gnu::always_inline]] inline Bf16 fromFloat<Bf16>(float value) {
  std::uint32_t wide;
  std::memcpy(&wide, &value, sizeof wide);
  const std::uint32_t rounded = (wide + 0x7FFFU + ((wide >> 16) & 1U)) >> 16;
  return Bf16{static_cast<std::uint16_t>((wide & 0x7FFFFFFFU) > 0x7F800000U ? 0x7FC0U : rounded)};
}
template <>
[[gnu::always_inline]] inline Fp16 fromFloat<Fp16>(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  bits &= 0x7FFFFFFFU;
  // Subnormal result: adding 0.5 leaves the multiple of 2^-24, rounded to even, in the lowest bits.
  float small;
  std::memcpy(&small, &bits, sizeof small);
  small += 0.5F;
  std::uint32_t smallBits;
  std::memcpy(&smallBits, &small, sizeof smallBits);
  std::uint32_t half = (bits + 0xFFFU + ((bits >> 13) & 1U) - 0x38000000U) >> 13;
  half = bits < 0x38800000U ? smallBits - 0x3F000000U : half;
  half = bits >= 0x477FF000U ? 0x7C00U : half;  // from 65520 on
  half = bits > 0x7F800000U ? 0x7E00U : half;
  return Fp16{static_cast<std::uint16_t>(sign | half)};
}

}  // namespace batchwise
