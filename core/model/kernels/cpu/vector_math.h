// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstring>

// Branch-free elementary functions that vectorize in loops. For row_kernels.cpp only, which is compiled once per
// instruction set: everything here has internal linkage, because the linker would otherwise keep a single copy,
// possibly one with unsupported instructions.

namespace batchwise {
namespace {

/// exp(x) with relative error below 3e-7; 0 below -87.3, exp(88.7) above 88.7, NaN for NaN. Uses x = n ln 2 + r, |r| <=
/// ln 2 / 2, and the Taylor polynomial of degree 7 for exp(r).
[[gnu::always_inline]] inline float expOf(float x) {
  constexpr float kLog2E = 1.44269504088896F;
  constexpr float kLn2High = 0.693359375F;  // 9 bits: n * kLn2High is exact
  constexpr float kLn2Low = -2.12194440054690583e-4F;
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  const bool tiny = x < -87.3F;
  x = x > 88.7F ? 88.7F : x;
  x = x < -87.3F ? -87.3F : x;
  const float shifted = x * kLog2E + kRound;
  const float n = shifted - kRound;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float p = 1.0F / 5040.0F;
  p = p * r + 1.0F / 720.0F;
  p = p * r + 1.0F / 120.0F;
  p = p * r + 1.0F / 24.0F;
  p = p * r + 1.0F / 6.0F;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  std::int32_t bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  const std::int32_t power = static_cast<std::int32_t>((static_cast<std::uint32_t>(bits) + 127U) << 23);
  float factor;
  std::memcpy(&factor, &power, sizeof factor);
  return tiny ? 0.0F : p * factor;
}

struct ValueAndSlope {
  float value;
  float slope;
};

/// x * Phi(x) and its derivative Phi(x) + x * phi(x). Tail Phi(-|x|) = exp(-x^2/2) * t * P(t) with t = 1 / (1 + 0.375
/// u), u = |x| / sqrt 2 (form of Abramowitz and Stegun 7.1.26); P fitted by weighted least squares for u in [0, 10],
/// relative error 1.3e-8.
[[gnu::always_inline]] inline ValueAndSlope geluOf(float x) {
  const float a = x < 0.0F ? -x : x;
  const float t = 1.0F / (1.0F + 0.375F * 0.70710678118654752F * a);
  const float gauss = expOf(-0.5F * x * x);
  float p = 0.03078528307378292F;
  p = p * t - 0.14373543858528137F;
  p = p * t + 0.21633049845695496F;
  p = p * t - 0.11484160274267197F;
  p = p * t + 0.1369459480047226F;
  p = p * t + 0.060720570385456085F;
  p = p * t + 0.10266406089067459F;
  p = p * t + 0.1053239032626152F;
  p = p * t + 0.10580679029226303F;
  const float tail = gauss * t * p;
  const float cdf = x < 0.0F ? tail : 1.0F - tail;
  return {x * cdf, cdf + x * gauss * 0.398942280401432678F};
}

/// 0.5 x (1 + tanh(s)), s = sqrt(2/pi) (x + 0.044715 x^3), and its derivative; (1 + tanh s) / 2 = 1 / (1 + exp(-2 s)).
[[gnu::always_inline]] inline ValueAndSlope geluTanhOf(float x) {
  constexpr float kRoot = 0.79788456080286536F;
  constexpr float kCubic = 0.044715F;
  const float s = kRoot * (x + kCubic * x * x * x);
  const float cdf = 1.0F / (1.0F + expOf(-2.0F * s));
  const float inner = kRoot * (1.0F + 3.0F * kCubic * x * x);
  return {x * cdf, cdf + x * 2.0F * cdf * (1.0F - cdf) * inner};
}

/// x / (1 + exp(-x)) and its derivative.
[[gnu::always_inline]] inline ValueAndSlope siluOf(float x) {
  const float share = 1.0F / (1.0F + expOf(-x));
  return {x * share, share * (1.0F + x * (1.0F - share))};
}

[[gnu::always_inline]] inline ValueAndSlope reluOf(float x) {
  const bool positive = x > 0.0F;
  return {x < 0.0F ? 0.0F : x, positive ? 1.0F : 0.0F};
}

}  // namespace
}  // namespace batchwise
