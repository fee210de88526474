// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/kernels/element.h"

// NOLINTBEGIN: the names are CUDA's
struct [[gnu::may_alias]] __nv_bfloat16 {
  std::uint16_t bits;
};
inline float __bfloat162float(__nv_bfloat16 value) {
  return batchwise::toFloat(batchwise::Bf16{value.bits});
}
inline __nv_bfloat16 __float2bfloat16_rn(float value) {
  return {batchwise::fromFloat<batchwise::Bf16>(value).bits};
}
struct __nv_bfloat162 {
  __nv_bfloat16 x, y;
};
inline __nv_bfloat162 __floats2bfloat162_rn(float first, float second) {
  return {__float2bfloat16_rn(first), __float2bfloat16_rn(second)};
}
// NOLINTEND
