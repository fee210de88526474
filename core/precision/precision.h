// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/ScalarType.h>

#include <string>

#include "core/base/result.h"

namespace batchwise {

/// Numbers of the computation. Weights, moments and accumulated gradients are fp32 in every case.
enum class Precision { Fp32, Bf16, Fp16 };

/// "fp32", "bf16", "fp16". Fails with Config for another name.
Result<Precision> parsePrecision(const std::string& name);
at::ScalarType computeType(Precision precision);

}  // namespace batchwise
