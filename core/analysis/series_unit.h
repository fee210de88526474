// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace batchwise {

// Display units of series that are stored in another unit.

/// Returns "GiB" for memory series (stored in bytes); empty for others, which are shown as stored.
std::string seriesUnit(const std::string& series);
/// Returns the factor from the stored to the display unit.
double seriesFactor(const std::string& series);

}  // namespace batchwise
