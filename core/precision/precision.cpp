// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/precision/precision.h"

#include <ATen/Context.h>

#include "core/precision/messages.h"

namespace batchwise {

Result<Precision> parsePrecision(const std::string& name) {
  if (name == "fp32") return Precision::Fp32;
  if (name == "tf32") return Precision::Tf32;
  if (name == "bf16") return Precision::Bf16;
  if (name == "fp16") return Precision::Fp16;
  return Error::config(messages::precisionUnknown(name));
}

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
