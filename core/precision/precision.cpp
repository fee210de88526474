// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/precision/precision.h"

#include <ATen/Context.h>

namespace batchwise {

at::ScalarType computeType(Precision precision) {
  switch (precision) {
    case Precision::Fp32:
    case Precision::Tf32: return at::kFloat;
    case Precision::Bf16: return at::kBFloat16;
    case Precision::Fp16: break;
  }
  return at::kHalf;
}

void setMatmulPrecision(Precision precision) {
  at::globalContext().setAllowTF32CuBLAS(precision == Precision::Tf32);
}

}  // namespace batchwise
