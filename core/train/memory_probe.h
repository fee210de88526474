// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/batch/max_batch_search.h"
#include "core/train/step_stream.h"
#include "core/train/train_loop.h"

namespace batchwise {

/// Measures the memory of a step by running one: forward, backward and optimizer on synthetic sequences, with a
/// non-finite gradient so that weights and moments stay unchanged. Uses no random numbers of a run. Not thread-safe;
/// nothing else may use the device meanwhile.
class StepProbe {
 public:
  /// On the CPU, `replica` must be on the device that this thread allocates for (host_memory.h).
  StepProbe(Replica& replica, double maskProbability) : replica_(replica), maskProbability_(maskProbability) {}

  /// Runs a step with `units` times sequences of these lengths. Returns bytes of tensors, including weights, gradients
  /// and moments. Fails with Device.
  Result<ProbeOutcome> measure(std::int64_t units, const std::vector<std::int64_t>& lengths);

 private:
  Replica& replica_;
  const double maskProbability_;
};

/// Returns the bytes that a device may use: `memoryLimit` if given; else on a GPU what is free or already ours; 0
/// (unlimited) on the CPU.
std::int64_t deviceLimitBytes(c10::Device device, std::optional<std::int64_t> memoryLimit);

/// Returns the bytes of tensors that a GPU can hold in total, minus a reserve for fragmentation; 0 on the CPU.
std::int64_t usableDeviceBytes(c10::Device device);

/// Returns the peak bytes of tensors since useDevices() or the last probe. On the CPU, of the device that this thread
/// allocates for.
std::int64_t peakDeviceBytes(c10::Device device);

}  // namespace batchwise
