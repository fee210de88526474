// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/batch/lengths.h"
#include "core/batch/max_batch_search.h"
#include "core/run/trainer.h"
#include "core/train/devices.h"
#include "core/train/train_loop.h"

namespace batchwise {

/// The micro-batch of a run, resolved.
struct ResolvedMicrobatch {
  std::int64_t units = 1;
  std::int64_t largest = 0;  ///< that the device holds, as far as growth may ask for it; 0: not looked for
  std::optional<MicrobatchAnswer> search;  ///< if it was searched for
  std::string note;                        ///< how `auto` was answered; empty if the configuration named it
};

/// What `batch.device_train_microbatch_size` means: the number it names; of `auto`, the largest that fits into the
/// memory of the device (or devices.memory_limit), found by probing on `replica`, whose weights stay as they are; on a
/// processor without a limit a size at which it is fast. `events` hears of each probe. Fails with OutOfMemory if not
/// even 1 fits.
Result<ResolvedMicrobatch> resolveMicrobatch(const TrainConfig& config, const std::shared_ptr<const Lengths>& lengths,
                                             const DeviceChoice& devices, Replica& replica, EventSink& events);

/// See Trainer::findBatch.
Result<FoundBatch> findMicrobatch(const LoadedConfig& config, const std::filesystem::path& workspace, EventSink& events,
                                  const Clock& clock);

}  // namespace batchwise
