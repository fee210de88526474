// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/format.h"

// Texts that are raised in several places.

namespace batchwise {

inline constexpr const char* kSequenceExceedsDeviceMemory =
    "a single sequence does not fit into the memory of the device; use a smaller model or lower data.max_seq_len";
inline std::string stopWithoutSavingRemedyText(const auto& run) {
  return formatText(
      "a stop without saving (Ctrl-C once more, Stop without saving in the window, or 'batchwise runs send {} abort')",
      run);
}

}  // namespace batchwise
