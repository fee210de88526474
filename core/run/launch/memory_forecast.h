// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/base/result.h"
#include "core/batch/lengths.h"
#include "core/config/config_file.h"
#include "core/exchange/training_memory.h"

namespace batchwise {

/// What a training step is expected to take of a device's memory, before anything is on a device: of tensors, CUDA's
/// own memory and the program's are not among them. A value.
struct MemoryForecast {
  /// Who says how large a micro-batch is. Limit: the search for the largest that fits into devices.memory_limit, as it
  /// is expected to end. Device: the search on a GPU, whose memory only the launch sees; until then all that a step
  /// makes use of is taken to fit, or with batch.use_maximum_batch_size a single unit.
  enum class SizeFrom { Config, ProcessorRule, Limit, Device };

  ModelShape shape;
  PassKind pass;
  double maskProbability = 0.15;
  std::int64_t longest = 1;           ///< tokens of a sequence: all are taken to be as long as the longest
  std::int64_t sequencesPerUnit = 1;  ///< above 1 where a unit is a pack
  bool countsPacks = false;
  std::int64_t devices = 1;
  SizeFrom sizeFrom = SizeFrom::Config;
  bool fillsDevice = false;                ///< batch.use_maximum_batch_size: the search takes all that fits
  std::int64_t units = 1;                  ///< of a micro-batch: samples, or packs
  std::optional<std::int64_t> limitBytes;  ///< devices.memory_limit
  double reserve = 0;                      ///< share of it that a search leaves free
  TrainingMemory perDevice;                ///< with micro-batches of `units`

  /// Sequences of a micro-batch of `units`; at most 2^40.
  std::int64_t sequencesOf(std::int64_t units) const;
  /// With micro-batches of another size.
  TrainingMemory of(std::int64_t units) const;
  /// The largest size, at most `units`, that stays within `bytes`; 0: none.
  std::int64_t largestWithin(std::int64_t bytes) const;
};

/// For a configuration that trains on so many devices. `lengths`: of the samples; null: all of
/// data.max_seq_len tokens. Reads the vocabulary and the config.json that the configuration names. Fails as
/// plannedShape(), and with Config if there are no samples.
Result<MemoryForecast> forecastMemory(const LoadedConfig& config, std::int64_t devices, const Lengths* lengths);

/// `{"per_device_bytes", "weights", "gradients", "moments", "copies", "activations", "head", "work", "micro_batch":
/// {"units", "sequences", "tokens_per_sequence", "from": "config" | "processor" | "limit" | "device"}, "limit_bytes"}`:
/// bytes, which add up; limit_bytes null without a limit.
nlohmann::json memoryJson(const MemoryForecast& forecast);

}  // namespace batchwise
