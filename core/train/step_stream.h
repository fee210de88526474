// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/batch/plan.h"
#include "core/data/micro_batch.h"
#include "core/data/prefetch.h"

namespace batchwise {

/// What the samples of a run are taken from and how they are hidden.
struct TrainingData {
  TokenDataset samples;
  MaskSpec masks;
  std::uint64_t seed = 0;
  std::int64_t packTokens = 0;  ///< tokens that a pack is planned for; 0 without a token budget
};

/// One optimiser step of the plan with the figures that follow from it and the lengths alone.
struct PlannedStep {
  std::shared_ptr<const GlobalBatch> batch;
  std::size_t part = 0;             ///< index into batch->parts
  std::int64_t microBatches = 0;    ///< of every device
  std::int64_t mostSequences = 0;   ///< in a micro-batch of any device
  std::int64_t predicted = 0;       ///< predicted tokens over all devices: what the gradient is divided by
  std::int64_t computedTokens = 0;  ///< see StepResult

  const Part& counts() const { return batch->parts[part]; }
  bool endsBatch() const { return part + 1 == batch->parts.size(); }
};

/// A micro-batch of one device; without tokens if this device has nothing left to do in the step.
struct PlannedMicroBatch {
  std::shared_ptr<const PlannedStep> step;
  std::int64_t index = 0;  ///< in the step
  MicroBatch batch;
};

/// The micro-batches of one device from a Timestamp to the end of the run, made ahead on a thread. What it gives is a
/// pure function of its arguments; one that starts later gives the rest. Batch sizes are those of `growth`: after
/// growth or a smaller micro-batch, start a new one. With `passesPerPack` above 1 the sequences of each micro-batch are
/// cut into so many passes with about the same number of tokens, as far as it has sequences.
class StepStream {
 public:
  StepStream(Plan plan, TrainingData data, std::int64_t device, const Timestamp& from, const GrowthState& growth,
             std::int64_t passesPerPack = 1);

  /// Nothing at the end of the run. One thread.
  Result<std::optional<PlannedMicroBatch>> next() { return prefetcher_.next(); }

 private:
  static constexpr std::size_t kAhead = 4;  // micro-batches
  Prefetcher<PlannedMicroBatch> prefetcher_;
};

}  // namespace batchwise
