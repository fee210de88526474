// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace batchwise {

enum class LrScalingMethod { None, Linear, Sqrt };

/// "none" (also "None"), "linear", "sqrt". Fails with Config for any other word.
Result<LrScalingMethod> lrScalingMethod(std::string_view name);

/// The rate for a step of `batchSize` where `rate` belongs to `reference`, both in samples or both in tokens: rate x
/// size / reference (Goyal et al. 2017), or rate x sqrt(size / reference) (Krizhevsky 2014). reference > 0.
double scaledRate(double rate, double batchSize, double reference, LrScalingMethod method);

}  // namespace batchwise
