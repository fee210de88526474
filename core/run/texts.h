// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/format.h"

// Texts that are raised in several places.

namespace batchwise {

inline constexpr const char* kProcessAlreadyTraining =
    "this process is already training a run; wait for it or stop it, or start another process for a second run";
inline std::string stretchNeedsBatchBoundaryText(const auto& checkpoint) {
  return formatText(
      "checkpoint {} was taken inside a global batch, which a schedule resolved again (--stretch) would split "
      "differently; resume from one that was taken between two, or keep the schedule",
      checkpoint);
}

}  // namespace batchwise
