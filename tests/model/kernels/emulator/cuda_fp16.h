// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/kernels/element.h"

// NOLINTBEGIN: the names are CUDA's
struct [[gnu::may_alias]] __half {
  std::uint16_t bits;
};
inline float __half2float(__half value) {
  return batchwise::toFloat(batchwise::Fp16{value.bits});
}
inline __half __float2half_rn(float value) {
  return {batchwise::fromFloat<batchwise::Fp16>(value).bits};
}
struct __half2 {
  __half x, y;
};
inline __half2 __floats2half2_rn(float first, float second) {
  return {__float2half_rn(first), __float2half_rn(second)};
}
inline float __low2float(__half2 two) {
  return __half2float(two.x);
}
inline float __high2float(__half2 two) {
  return __half2float(two.y);
}
// NOLINTEND
