// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/format.h"

// Texts that are raised in several places.

namespace batchwise {

inline std::string runDivergedAboveUnigramText(const auto& loss, const auto& unigram) {
  return formatText(
      "diverged: the loss had risen and ends at {}, above the {} of a model that knows only how frequent each token is",
      formatValue(loss), formatValue(unigram));
}

}  // namespace batchwise
