// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/noise_scale.h"
#include "core/base/bounded_queue.h"
#include "core/base/result.h"
#include "core/config/events/run_event.h"
#include "core/plan/plan.h"
#include "core/text/masking.h"

namespace batchwise {

/// The samples of a run and their masking. In training, the share of predicted tokens is that of the global batch.
struct TrainingData {
  TokenDataset samples;
  MaskSpec masks;
  std::uint64_t seed = 0;
  std::int64_t packTokens = 0;            ///< tokens planned per pack; 0 without a token budget
  std::vector<std::string> sources = {};  ///< names by TokenDataset::sourceOf(); empty: nothing is counted by source
  std::shared_ptr<const TextBytes> bytes = {};  ///< under the tokens, for evaluation; null: unknown
};

/// An optimizer step of the plan with figures derived from it and the sequence lengths.
struct PlannedStep {
  std::shared_ptr<const GlobalBatch> batch;
  std::size_t index = 0;                   ///< into batch->steps
  std::int64_t microBatches = 0;           ///< of every device
  std::int64_t mostSequences = 0;          ///< in a micro-batch of any device
  std::int64_t predicted = 0;              ///< predicted tokens over all devices: the gradient is divided by them
  StepNoise ofSamples, ofMicrobatches;     ///< without the norms: with samples or micro-batches as parts
  std::int64_t computedTokens = 0;         ///< see StepResult
  std::vector<SourceTokens> sources = {};  ///< over all devices

  const OptimizerStep& counts() const { return batch->steps[index]; }
  bool endsBatch() const { return index + 1 == batch->steps.size(); }
};

/// A micro-batch of one device; empty if this device has nothing left to do in the step.
struct PlannedMicroBatch {
  std::shared_ptr<const PlannedStep> step;
  std::int64_t index = 0;  ///< in the step
  MicroBatch batch;
};

/// Produces the micro-batches of one device from a Timestamp to the end of the run, prefetched by a thread. The output
/// is a pure function of the arguments; a later start yields the remainder. Batch sizes are those of `growth`: create a
/// new stream after batch growth or a smaller micro-batch. With `passesPerPack` > 1, the sequences of each micro-batch
/// are split into that many passes with about equally many tokens, as far as there are enough sequences.
class StepStream {
 public:
  StepStream(Plan plan, TrainingData data, std::int64_t device, const Timestamp& from, const GrowthState& growth,
             std::int64_t passesPerPack = 1);

  /// Returns nullopt at the end of the run. Not thread-safe.
  Result<std::optional<PlannedMicroBatch>> next() { return prefetcher_.next(); }

 private:
  static constexpr std::size_t kAhead = 4;  // micro-batches
  Prefetcher<PlannedMicroBatch> prefetcher_;
};

}  // namespace batchwise
