// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace batchwise {

// Stored values whose unit is not the one that people read.

/// "GiB" for a series of memory, which is stored in bytes; empty for all others, which are shown as they are stored.
std::string seriesUnit(const std::string& series);
/// What a stored value is multiplied by to be in that unit.
double seriesFactor(const std::string& series);

}  // namespace batchwise
