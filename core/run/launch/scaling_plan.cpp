// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/scaling_plan.h"

#include <algorithm>
#include <cmath>

namespace batchwise {
namespace {

constexpr double kBytesPerGradient = 4;
constexpr double kBuckets = 20;  // as in core/train/gradient_sums
constexpr double kBackwardShare = 2.0 / 3.0;

/// Time of a ring sum over all devices; the slowest link decides.
double sumSec(double bytes, double buckets, std::int64_t devices, const Interconnect& between) {
  if (devices == 1) return 0;
  const auto count = static_cast<double>(devices);
  const double bandwidth = devices > between.devicesPerNode ? between.clusterBytesPerSec : between.nodeBytesPerSec;
  return 2 * (count - 1) / count * bytes / bandwidth + buckets * between.latencySec * std::ceil(std::log2(count));
}

ScalingPoint pointAt(const StepCost& cost, const Interconnect& between, std::int64_t devices) {
  ScalingPoint point;
  point.devices = devices;
  point.tokensPerDevice = cost.tokensPerStep / static_cast<double>(devices);
  point.computeSec = point.tokensPerDevice * cost.secondsPerToken;
  const double lastPass = std::min(point.tokensPerDevice, cost.microbatchTokens) * cost.secondsPerToken;
  const double overlappable =
      sumSec(kBytesPerGradient * static_cast<double>(cost.parameters - cost.embeddingParameters), kBuckets - 1, devices,
             between);
  const double last = sumSec(kBytesPerGradient * static_cast<double>(cost.embeddingParameters), 1, devices, between);
  point.communicationSec = overlappable + last;
  point.exposedSec = std::max(0.0, overlappable - kBackwardShare * lastPass) + last;
  point.stepSec = point.computeSec + point.exposedSec;
  point.efficiency = point.computeSec / point.stepSec;
  point.tokensPerSec = cost.tokensPerStep / point.stepSec;
  return point;
}

}  // namespace

std::vector<ScalingPoint> predictScaling(const StepCost& cost, const Interconnect& between,
                                         std::span<const std::int64_t> devices) {
  std::vector<ScalingPoint> points;
  for (const std::int64_t count : devices) points.push_back(pointAt(cost, between, count));
  return points;
}

}  // namespace batchwise
