// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/base/result.h"
#include "core/config/config_file.h"
#include "core/model/shape/training_cost.h"
#include "core/plan/lengths.h"

namespace batchwise {

/// Expected device memory of a training step, computed before anything is on a device. Counts tensors only, not the
/// memory of CUDA and of the program. A value.
struct MemoryForecast {
  /// Source of the micro-batch size. Limit: a simulated search for the largest size within devices.memory_limit.
  /// Device: the search on the GPU at launch; until then, everything that a step can use is assumed to fit, or one unit
  /// with batch.use_maximum_batch_size.
  enum class SizeSource { Config, ProcessorRule, Limit, Device };

  ModelShape shape;
  PassKind pass;
  double maskProbability = 0.15;
  std::int64_t longest = 1;           ///< tokens per sequence: all are assumed to be as long as the longest
  std::int64_t sequencesPerUnit = 1;  ///< above 1 if a unit is a pack
  bool countsPacks = false;
  std::int64_t devices = 1;
  SizeSource sizeSource = SizeSource::Config;
  bool fillsDevice = false;                ///< batch.use_maximum_batch_size: the search takes all that fits
  std::int64_t units = 1;                  ///< samples or packs per micro-batch
  std::optional<std::int64_t> limitBytes;  ///< devices.memory_limit
  double reserve = 0;                      ///< share of the limit that a search leaves free
  TrainingMemory perDevice;                ///< with micro-batches of `units`

  /// Returns the sequences of a micro-batch of `units`; at most 2^40.
  std::int64_t sequencesOf(std::int64_t units) const;
  /// Returns the memory for micro-batches of `units`.
  TrainingMemory of(std::int64_t units) const;
  /// Returns the largest size, at most `units`, that stays within `bytes`; 0: none.
  std::int64_t largestWithin(std::int64_t bytes) const;
};

/// Forecasts the memory of a configuration on `devices` devices; with `stages` that of the stage that needs most.
/// `lengths`: of the samples; null, and in a stage with other data: all of data.max_seq_len tokens. Reads the
/// vocabulary and config.json that the configuration names. Fails as plannedShape(), and with Config if there are no
/// samples.
Result<MemoryForecast> forecastMemory(const LoadedConfig& config, std::int64_t devices, const Lengths* lengths);

/// Returns `{"per_device_bytes", "weights", "gradients", "moments", "copies", "activations", "head", "work",
/// "micro_batch": {"units", "sequences", "tokens_per_sequence", "from": "config" | "processor" | "limit" | "device"},
/// "limit_bytes"}`. In bytes; the parts add up to per_device_bytes; limit_bytes is null without a limit.
nlohmann::json memoryJson(const MemoryForecast& forecast);

}  // namespace batchwise
