// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/memory_probe.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <torch/torch.h>

#include <algorithm>
#include <limits>
#include <new>

#include "core/train/host_memory.h"
#include "core/train/messages.h"

namespace batchwise {
namespace {

constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);

struct DeviceBytes {
  std::int64_t inUse = 0;
  std::int64_t peak = 0;
};

DeviceBytes bytesOf(c10::Device device) {
  if (device.is_cpu()) return {hostTensorBytes().inUse, hostTensorBytes().peak};
  const auto stats = c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
  return {stats.allocated_bytes[kAll].current, stats.allocated_bytes[kAll].peak};
}

void resetPeak(c10::Device device) {
  if (device.is_cpu()) return resetHostTensorPeak();
  c10::getDeviceAllocator(device.type())->resetPeakStats(device.index());
}

void addSequence(MicroBatch& batch, std::int64_t tokens, double maskProbability) {
  const auto start = static_cast<std::int32_t>(batch.tokenIds.size());
  const auto sequence = static_cast<std::int32_t>(batch.sampleIds.size());
  batch.tokenIds.resize(batch.tokenIds.size() + static_cast<std::size_t>(tokens));
  batch.sequenceStarts.push_back(start + static_cast<std::int32_t>(tokens));
  batch.sampleIds.push_back(sequence);
  batch.indicesInStep.push_back(sequence);
  const auto predicted = static_cast<std::int32_t>(predictedTokens(tokens, maskProbability));
  for (std::int32_t place = 1; place <= predicted; ++place) batch.predictedPositions.push_back(start + place);
  batch.longest = std::max(batch.longest, static_cast<std::int32_t>(tokens));
}

// Each sequence has as many predicted tokens as masking would choose.
MicroBatch syntheticBatch(std::int64_t units, const std::vector<std::int64_t>& lengths, double maskProbability) {
  MicroBatch batch;
  batch.sequenceStarts.push_back(0);
  for (std::int64_t unit = 0; unit < units; ++unit)
    for (const std::int64_t tokens : lengths) addSequence(batch, tokens, maskProbability);
  batch.labels.assign(batch.predictedPositions.size(), 0);
  return batch;
}

void oneStep(Replica& replica, const MicroBatch& batch) {
  replica.optimizer.zeroGradients();
  {
    const LossSums sums = replica.model.forward(toDevice(batch, replica.model.device()), {0, 0, /*training=*/true});
    replica.model.backward(sums, 1.0 / static_cast<double>(sums.predicted), replica.optimizer.lossScale());
  }
  const torch::NoGradGuard noGrad;
  replica.model.parameters().front().tensor.grad().fill_(std::numeric_limits<float>::quiet_NaN());
  const OptimizerStep done = replica.optimizer.step(0.0);
  TORCH_CHECK(done.foundInf.item<float>() != 0, "a probe changed the weights");
}

}  // namespace

Result<ProbeOutcome> StepProbe::measure(std::int64_t units, const std::vector<std::int64_t>& lengths) {
  const c10::Device device = replica_.model.device();
  resetPeak(device);
  ProbeOutcome outcome;
  std::optional<Error> failed;
  try {
    oneStep(replica_, syntheticBatch(units, lengths, maskProbability_));
  } catch (const c10::OutOfMemoryError&) {
    outcome.fits = false;
  } catch (const std::bad_alloc&) {
    outcome.fits = false;
  } catch (const c10::Error& e) {
    failed = Error{ErrorCode::Device, e.what_without_backtrace(), messages::stepMemoryMeasurement()};
  }
  const DeviceBytes after = bytesOf(device);
  replica_.optimizer.zeroGradients();
  resetPeak(device);  // the probe must not count as a peak of training
  if (failed) return *failed;
  outcome.peakBytes = after.peak;
  outcome.residentBytes = after.inUse;
  return outcome;
}

std::int64_t deviceLimitBytes(c10::Device device, std::optional<std::int64_t> memoryLimit) {
  if (memoryLimit) return *memoryLimit;
  if (device.is_cpu()) return 0;
  c10::DeviceAllocator* allocator = c10::getDeviceAllocator(device.type());
  const auto reserved = allocator->getDeviceStats(device.index()).reserved_bytes[kAll].current;
  return static_cast<std::int64_t>(allocator->getMemoryInfo(device.index()).first) + reserved;
}

std::int64_t usableDeviceBytes(c10::Device device) {
  if (device.is_cpu()) return 0;
  constexpr double kUsable = 0.95;
  const auto total = static_cast<double>(c10::getDeviceAllocator(device.type())->getMemoryInfo(device.index()).second);
  const double allowed = total * c10::cuda::CUDACachingAllocator::getMemoryFraction(device.index());
  const double limit = std::min(allowed, static_cast<double>(deviceLimitBytes(device, std::nullopt)));
  return static_cast<std::int64_t>(kUsable * limit);
}

std::int64_t peakDeviceBytes(c10::Device device) {
  return bytesOf(device).peak;
}

}  // namespace batchwise
