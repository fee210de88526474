// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/plan/lengths.h"
#include "core/plan/microbatch_search.h"
#include "core/run/trainer.h"
#include "core/train/devices.h"
#include "core/train/train_loop.h"

namespace batchwise {

class RankGroup;

/// The resolved micro-batch of a run.
struct ResolvedMicrobatch {
  std::int64_t units = 1;
  std::int64_t largest = 0;  ///< largest that the device holds, as far as growth may use it; 0: unknown
  std::string note;          ///< how `auto` was resolved; empty if the configuration gives a number
};

/// Resolves `batch.device_train_microbatch_size`: the configured number, or for `auto` the largest that fits into
/// device memory (or devices.memory_limit), found by probing on `replica`, whose weights stay unchanged; on a CPU
/// without a limit, a fast size. Publishes each probe to `events`. With `rankGroup`, all its ranks call it, and what
/// fits on all of them counts. Fails with OutOfMemory if not even 1 fits.
Result<ResolvedMicrobatch> resolveMicrobatch(const TrainConfig& config, const std::shared_ptr<const Lengths>& lengths,
                                             const DeviceChoice& devices, Replica& replica, EventSink& events,
                                             RankGroup* rankGroup);

/// See Trainer::findBatch.
Result<BatchSearchResult> findMicrobatch(const LoadedConfig& config, const std::filesystem::path& workspace,
                                         EventSink& events, const Clock& clock);

}  // namespace batchwise
