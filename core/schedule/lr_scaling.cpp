// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/lr_scaling.h"

#include <cmath>

namespace batchwise {

Result<LrScalingMethod> lrScalingMethod(std::string_view name) {
  if (name == "none" || name == "None" || name.empty()) return LrScalingMethod::None;
  if (name == "linear") return LrScalingMethod::Linear;
  if (name == "sqrt") return LrScalingMethod::Sqrt;
  return Error::config("lr_scaling.method: '" + std::string{name} + "' is not known; use none, linear or sqrt");
}

double scaledRate(double rate, double batchSize, double reference, LrScalingMethod method) {
  switch (method) {
    case LrScalingMethod::Linear: return rate * batchSize / reference;
    case LrScalingMethod::Sqrt: return rate * std::sqrt(batchSize / reference);
    case LrScalingMethod::None: break;
  }
  return rate;
}

}  // namespace batchwise
