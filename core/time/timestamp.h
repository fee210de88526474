// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchwise {

/// Counts of one optimizer step.
struct StepCounts {
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  double seconds = 0.0;  ///< training time, without evaluation, checkpoints and pauses
};

/// Progress since the start of the run: the single clock of schedules, logs, intervals and checkpoints. An immutable
/// value.
struct Timestamp {
  std::int64_t epoch = 0;         ///< completed epochs
  std::int64_t batch = 0;         ///< completed global batches
  std::int64_t step = 0;          ///< optimizer steps
  std::int64_t sample = 0;        ///< sequences
  std::int64_t token = 0;         ///< real tokens
  double seconds = 0.0;           ///< training seconds
  std::int64_t batchInEpoch = 0;  ///< global batches completed in the current epoch
  std::int64_t unitInEpoch = 0;   ///< samples, or packs under a token budget, completed in the current epoch
  std::int64_t sampleInEpoch = 0;
  std::int64_t tokenInEpoch = 0;
  std::int64_t partInBatch = 0;  ///< optimizer steps completed in the current global batch; 0 at its start

  bool operator==(const Timestamp&) const = default;

  /// After one more step of `units` units (samples or packs) inside a global batch; batch and epoch clocks stay.
  Timestamp afterStep(const StepCounts& done, std::int64_t units) const;
  /// After the last step of a global batch.
  Timestamp afterBatch() const;
  /// After the last global batch of an epoch: resets the clocks within the epoch.
  Timestamp afterEpoch() const;
};

}  // namespace batchwise
