// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace batchwise {

/// What one optimiser step costs on one device, and what has to be summed after it.
struct StepCost {
  double tokensPerStep = 0;     ///< real tokens, over all devices
  double secondsPerToken = 0;   ///< of one device, measured: forward, backward and update
  double microbatchTokens = 0;  ///< of one pass of one device
  std::int64_t parameters = 0;
  std::int64_t lastParameters =
      0;  ///< of the word embeddings: their gradient is complete only when the backward pass ends
};

/// What joins the devices.
struct Interconnect {
  std::int64_t devicesPerNode = 8;
  double nodeBytesPerSec = 360e9;    ///< of one device to the others of its node
  double clusterBytesPerSec = 45e9;  ///< of one device to other nodes: 400 Gb/s
  double latencySec = 20e-6;         ///< of one sum between two devices
};

/// A prediction for some number of devices at the same global batch.
struct ScalingPoint {
  std::int64_t devices = 1;
  double tokensPerDevice = 0;  ///< of a step
  double computeSec = 0;
  double communicationSec = 0;  ///< of all sums
  double exposedSec = 0;        ///< of those, what the backward pass does not hide
  double stepSec = 0;
  double efficiency = 1;  ///< of the speed of one device times their number
  double tokensPerSec = 0;
};

/// T(N) = T_compute / N + exposed. Gradients are 4 bytes a parameter, summed by rings: 2 (N-1)/N bytes / bandwidth, and
/// for each bucket a latency that grows with log2 N. All but the word embeddings' may hide behind the backward pass of
/// the last micro-batch of a step, two thirds of its time (a backward pass has twice the products of a forward pass).
/// Taken for granted: work dealt evenly, nothing else waits. Fewer tokens than devices: the rest has none. Pure.
std::vector<ScalingPoint> predictScaling(const StepCost& cost, const Interconnect& between,
                                         std::span<const std::int64_t> devices);

}  // namespace batchwise
