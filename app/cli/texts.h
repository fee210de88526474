// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/format.h"

// Texts that are raised in several places.

namespace batchwise {

inline std::string stdoutHoldsJsonText(const auto& file) {
  return formatText(
      "with --json, stdout holds the JSON, and {} writes to the same place; write to another file, or leave out --json",
      file);
}

}  // namespace batchwise
