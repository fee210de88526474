// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/lr_scaling.h"

#include <cmath>

#include "core/schedule/messages.h"

namespace batchwise {

Result<LrScalingMethod> lrScalingMethod(std::string_view name) {
  if (name == "none" || name == "None" || name.empty()) return LrScalingMethod::None;
  if (name == "linear") return LrScalingMethod::Linear;
  if (name == "sqrt") return LrScalingMethod::Sqrt;
  return Error::config(messages::lrScalingMethodUnknown(name));
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
