// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace batchwise {

/// Returns the cost of a sequence, in tokens: matrix products grow linearly with the length, attention quadratically.
/// The quadratic share is that of width 768 (Devlin et al. 2019, base), where both are equal at 6 x 768 tokens.
double sequenceCost(std::int64_t tokens);

/// Distributes units to devices: counts differ by at most one, with the larger ones first, and within that the cost per
/// device is balanced (longest processing time first: Graham 1969). Returns the units of device 0, then of device 1,
/// and so on, in ascending order within each device. Pure.
std::vector<std::int64_t> balanceAcrossDevices(std::span<const double> costs, std::int64_t devices);

/// Same for units that are lists of samples.
std::vector<std::int64_t> balanceUnits(const std::vector<std::vector<std::int64_t>>& units, std::int64_t devices,
                                       const std::function<std::int64_t(std::int64_t sample)>& tokensOf);

}  // namespace batchwise
