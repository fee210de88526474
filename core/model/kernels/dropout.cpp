// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/kernels/dropout.h"

#include <cmath>
#include <initializer_list>

namespace batchwise {

Dropout makeDropout(std::uint64_t seed, std::int64_t step, std::int64_t layer, DropoutSite site, double probability) {
  constexpr double kSteps = 65536.0;
  Dropout dropout;
  dropout.threshold = static_cast<std::uint32_t>(std::lround(probability * kSteps));
  if (dropout.threshold >= 65536U) dropout.threshold = 65535U;
  dropout.scale = static_cast<float>(kSteps / (kSteps - dropout.threshold));
  dropout.key = subKey(seed, 0x64726F706F7574ULL);  // "dropout": separates from other uses of the seed
  for (const std::int64_t part : {step, layer, static_cast<std::int64_t>(site)})
    dropout.key = subKey(dropout.key, static_cast<std::uint64_t>(part));
  return dropout;
}

}  // namespace batchwise
