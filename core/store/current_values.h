// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/store/records.h"

namespace batchwise {

/// A value that a resume resolved again.
struct ReresolvedValue {
  std::string value;         ///< empty: the value no longer exists
  std::int64_t segment = 0;  ///< first of the consecutive last segments with this value
};

/// Returns, by name, the values that replace those resolved at launch. Empty if none does.
std::map<std::string, ReresolvedValue> reresolvedValues(const RunDetail& run);

/// Returns the resolved values of the run's last segment.
std::map<std::string, std::string> currentResolvedValues(const RunDetail& run);

}  // namespace batchwise
