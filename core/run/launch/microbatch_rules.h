// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/batch/lengths.h"
#include "core/batch/max_batch_search.h"
#include "core/config/train_config.h"

namespace batchwise {

// What batch.device_train_microbatch_size: auto means, apart from the memory of a real device: the run and the forecast
// before it read the same rules. `devices` are all of the run; units are samples, or packs under a token budget.

/// Tokens per pass at which the processor is fastest: enough rows for its matrix products, few enough that activations
/// of a layer stay near it.
constexpr std::int64_t kCpuPassTokens = 4096;

/// A micro-batch for the processor, where memory is no limit: about kCpuPassTokens tokens, at most what one device gets
/// of a global batch. 1 with a token budget, whose packs are made to measure. `lengths` are not empty.
std::int64_t cpuMicrobatch(const TrainConfig& config, const Lengths& lengths, std::int64_t devices);

/// Sequences of the longest length that one unit stands for in a forecast. The search at launch knows the packs and
/// probes the largest of them (core/batch/largest_unit.h).
std::int64_t sequencesPerUnit(const TrainConfig& config, const Lengths& lengths);

/// Units up to which the search looks. No more than a global batch takes of it is of use, unless that may become as
/// large as the devices hold: then some doublings are looked at, so that a launch does not fill the whole device for
/// batches that may never come.
std::int64_t largestOfUse(const TrainConfig& config, const Lengths& lengths, std::int64_t devices);

/// The search for `limitBytes` of one device.
MicrobatchSearch microbatchSearch(const TrainConfig& config, const Lengths& lengths, std::int64_t devices,
                                  std::int64_t limitBytes);

/// Of the `largest` micro-batch that fits what a step makes use of: a global batch that the device could hold at once
/// takes no more than its share.
std::int64_t shareOf(const TrainConfig& config, std::int64_t largest, std::int64_t devices);

/// Whether the global batch may grow to what the devices hold.
bool growsToDevices(const TrainConfig& config);

}  // namespace batchwise
