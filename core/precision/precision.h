// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/ScalarType.h>

#include <string>

#include "core/base/result.h"

namespace batchwise {

/// Numbers of the computation. Weights, moments and accumulated gradients are fp32 in every case. Tf32: fp32 whose
/// matrix products a GPU computes with factors of 10 bits after the point; elsewhere the same as fp32.
enum class Precision { Fp32, Tf32, Bf16, Fp16 };

/// "fp32", "tf32", "bf16", "fp16". Fails with Config for another name.
Result<Precision> parsePrecision(const std::string& name);
/// What tensors of activations hold.
at::ScalarType computeType(Precision precision);
/// Has the matrix products in fp32 of all GPUs of the process computed as `precision` asks. The processor's stay exact.
void useMatrixPrecision(Precision precision);

}  // namespace batchwise
