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

/// Measures what a step takes, by doing one: forward, backward and optimiser on made-up sequences, with a gradient that
/// is not finite, so that the optimiser runs but weights and moments stay as they are. Draws no random numbers that a
/// run uses. One thread; nothing else may use the device meanwhile.
class StepProbe {
 public:
  /// On the CPU, `replica` is that of the device which this thread allocates for (host_memory.h).
  StepProbe(Replica& replica, double maskProbability) : replica_(replica), maskProbability_(maskProbability) {}

  /// A step of `units` times the sequences of these lengths: bytes of tensors, weights, gradients and moments included.
  /// Fails with Device.
  Result<ProbeOutcome> measure(std::int64_t units, const std::vector<std::int64_t>& lengths);

 private:
  Replica& replica_;
  const double maskProbability_;
};

/// Bytes that one device may use: `memoryLimit` if given; else of a GPU what is free or ours already; else (the
/// processor without a limit) 0.
std::int64_t deviceLimitBytes(c10::Device device, std::optional<std::int64_t> memoryLimit);

/// Bytes of tensors that a GPU holds all in all, less a reserve for holes between them; 0 of the processor.
std::int64_t usableDeviceBytes(c10::Device device);

/// Most bytes of tensors in use at a time since useDevices() or the last probe. On the CPU, of the device that this
/// thread allocates for.
std::int64_t peakDeviceBytes(c10::Device device);

}  // namespace batchwise
