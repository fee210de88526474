// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/precision/precision.h"

namespace batchwise {

Result<Precision> parsePrecision(const std::string& name) {
  if (name == "fp32") return Precision::Fp32;
  if (name == "bf16") return Precision::Bf16;
  if (name == "fp16") return Error::config("precision fp16 is not offered: use bf16, which needs no loss scaling");
  return Error::config("precision \"" + name + "\" is unknown: use fp32 or bf16");
}

std::string precisionName(Precision precision) {
  return precision == Precision::Fp32 ? "fp32" : "bf16";
}

at::ScalarType computeType(Precision precision) {
  return precision == Precision::Fp32 ? at::kFloat : at::kBFloat16;
}

}  // namespace batchwise
