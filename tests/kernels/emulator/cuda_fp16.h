// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/element.h"

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
// NOLINTEND
