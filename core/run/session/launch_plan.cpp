// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/launch_plan.h"

#include <algorithm>

#include "core/base/format.h"

namespace batchwise {

Result<void> checkEnoughSamples(const TrainConfig& config, const Lengths& lengths) {
  const std::int64_t samples = lengths.size();
  if (samples == 0) return Error::config("the training text gave no sample; name more text in data.train");
  const std::int64_t global = config.batch.globalTrainBatchSize;
  if (config.batch.tokens.enabled() || samples >= global) return {};
  return Error::config("the training text gives " + formatInteger(samples) +
                       " samples, fewer than one global batch of " + formatInteger(global) +
                       "; set batch.global_train_batch_size to at most " + std::to_string(samples) +
                       ", lower data.max_seq_len, or name more text in data.train");
}

}  // namespace batchwise
