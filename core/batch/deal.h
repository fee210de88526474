// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace batchwise {

/// What a sequence of `tokens` tokens costs, in tokens: matrix products grow with the length, attention with its
/// square. The share of the second is that of a width of 768 (Devlin et al. 2019, base): 6 x 768 tokens make the two
/// equal.
double sequenceCost(std::int64_t tokens);

/// How units are dealt to devices: as evenly as possible in number, the first devices getting one more, and within that
/// so that every device has about the same cost (longest first to the least loaded: Graham 1969). Returns the units in
/// dealt order: those of device 0, then of device 1, and so on, each device's in ascending order. Pure.
std::vector<std::int64_t> dealEvenly(std::span<const double> costs, std::int64_t devices);

/// The same for units that are lists of samples.
std::vector<std::int64_t> dealUnits(const std::vector<std::vector<std::int64_t>>& units, std::int64_t devices,
                                    const std::function<std::int64_t(std::int64_t sample)>& tokensOf);

}  // namespace batchwise
