// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/config/train_config.h"
#include "core/plan/lengths.h"
#include "core/plan/microbatch_search.h"

namespace batchwise {

// Rules that resolve batch.device_train_microbatch_size: auto without a real device, shared by the run and the memory
// forecast. `devices`: all devices of the run. Units are samples, or packs under a token budget.

/// Tokens per pass at which CPUs are fastest: enough rows for the matrix products, few enough that the activations of a
/// layer stay in cache.
constexpr std::int64_t kCpuPassTokens = 4096;

/// Returns the micro-batch for a CPU without memory limit: about kCpuPassTokens tokens, at most one device's share of a
/// global batch. Returns 1 with a token budget. Requires non-empty `lengths`.
std::int64_t cpuMicrobatch(const TrainConfig& config, const Lengths& lengths, std::int64_t devices);

/// Returns the micro-batch that a run on the planned devices takes for `auto`, by cpuMicrobatch(); 0 if only a search
/// on the devices can tell: on GPUs, with a memory limit, or without `lengths`.
std::int64_t plannedMicrobatch(const TrainConfig& config, const Lengths* lengths, std::int64_t devices);

/// Returns how many sequences of the longest length a unit stands for in a forecast. The search at launch probes the
/// largest real pack instead (core/plan/microbatch_search.h).
std::int64_t sequencesPerUnit(const TrainConfig& config, const Lengths& lengths);

/// Returns the upper bound of the search: one device's share of a global batch; with batch.use_maximum_batch_size its
/// share of the data. If the batch may grow to what the devices hold: some doublings above its share, so that a launch
/// does not fill the device for batches that may never come.
std::int64_t maxUsefulUnits(const TrainConfig& config, const Lengths& lengths, std::int64_t devices);

/// Returns the search parameters for `limitBytes` per device.
MicrobatchSearch microbatchSearch(const TrainConfig& config, const Lengths& lengths, std::int64_t devices,
                                  std::int64_t limitBytes);

/// Returns the micro-batch that a step uses of the `largest` that fits: at most the device's share of a global batch.
std::int64_t usableUnits(const TrainConfig& config, std::int64_t largest, std::int64_t devices);

/// Returns whether the global batch may grow to what the devices hold.
bool growsToDevices(const TrainConfig& config);

}  // namespace batchwise
