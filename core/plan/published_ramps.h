// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/config/train_config.h"

namespace batchwise {

/// A published schedule of the batch size.
struct PublishedRamp {
  struct Level {
    double from = 0;  ///< billions of tokens
    double size = 0;  ///< of a step, in the unit of the source
  };
  const char* name;    ///< "deepseek-v3"
  const char* label;   ///< "DeepSeek-V3"
  const char* source;  ///< with the number at arXiv
  const char* text;    ///< what was done
  double tokens;       ///< of the whole run, in billions
  /// The sizes, the last being the full one; with an increment the first size and where the full one is reached.
  std::vector<Level> levels;
  double increment = 0;
  RampSpacing spacing = RampSpacing::Samples;
  bool scalesRate = false;  ///< with the square root of the step size
};

/// Returns the published ramps by year. Shares of runs and sizes: see the source of each.
const std::vector<PublishedRamp>& publishedRamps();
/// Returns the one of this name; null if there is none.
const PublishedRamp* findPublishedRamp(const std::string& name);

/// Sets batch.rampup (and lr_scaling if it belongs to the recipe) to the ramp, rescaled: its full size to the global
/// batch of the configuration, its tokens to shares of the run. Sizes are rounded, and at least 1.
void applyPublishedRamp(const PublishedRamp& ramp, TrainConfig& config);

}  // namespace batchwise
