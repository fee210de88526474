// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/config/train_config.h"

namespace batchwise {

/// What a changed configuration means for a resume.
struct ResumeChanges {
  std::vector<std::string> notes;    ///< harmless, but said: "eval.interval: 100ba -> 50ba"
  std::vector<std::string> refused;  ///< possible as a fork only, or with --stretch: each names its field and the way
};
enum class ResumePlan { Keep, Stretch };
ResumeChanges judgeChanges(const TrainConfig& before, const TrainConfig& now, ResumePlan plan);

}  // namespace batchwise
