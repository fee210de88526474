// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/ScalarType.h>

#include "core/config/choices.h"

namespace batchwise {

/// Returns the element type of activations.
at::ScalarType computeType(Precision precision);
/// Sets the precision of fp32 matrix products on all GPUs of the process; the CPU is not affected.
void setMatmulPrecision(Precision precision);

}  // namespace batchwise
