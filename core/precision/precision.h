// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/ScalarType.h>

#include <string>

#include "core/base/result.h"

namespace batchwise {

/// Number format of computations. Weights, moments and accumulated gradients are always fp32. Tf32: fp32 with matrix
/// products rounded to 10 mantissa bits on GPUs; equals Fp32 elsewhere.
enum class Precision { Fp32, Tf32, Bf16, Fp16 };

/// Parses "fp32", "tf32", "bf16" or "fp16". Fails with Config for other names.
Result<Precision> parsePrecision(const std::string& name);
/// Returns the element type of activations.
at::ScalarType computeType(Precision precision);
/// Sets the precision of fp32 matrix products on all GPUs of the process; the CPU is not affected.
void setMatmulPrecision(Precision precision);

}  // namespace batchwise
