// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace batchwise {

enum class LrScalingMethod { None, Linear, Sqrt };

/// Parses "none" (also "None"), "linear" or "sqrt". Fails with Config for any other name.
Result<LrScalingMethod> lrScalingMethod(std::string_view name);

/// Scales `rate`, chosen for size `reference`, to a step of `batchSize`, both in samples or in tokens: rate x size /
/// reference (Goyal et al. 2017), or rate x sqrt(size / reference) (Krizhevsky 2014). Requires reference > 0.
double scaledRate(double rate, double batchSize, double reference, LrScalingMethod method);

}  // namespace batchwise
