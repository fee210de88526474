// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/base/result.h"
#include "core/config/config_file.h"
#include "core/config/train_config.h"
#include "core/model/shape/training_cost.h"
#include "core/plan/lengths.h"
#include "core/plan/microbatch_search.h"

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

// Rules that resolve batch.device_train_microbatch_size: auto without a real device, shared by the run and the memory
// forecast. `devices`: all devices of the run. Units are samples, or packs under a token budget.

/// Tokens per pass at which CPUs are fastest: enough rows for the matrix products, few enough that the activations of a
/// layer stay in cache.
constexpr std::int64_t kCpuPassTokens = 4096;

/// Returns the micro-batch for a CPU without memory limit: about kCpuPassTokens tokens, at most one device's share of a
/// global batch. Returns 1 with a token budget. Requires non-empty `lengths`.
std::int64_t cpuMicrobatch(const TrainConfig& config, const Lengths& lengths, std::int64_t devices);

/// Returns the micro-batch that a run on the planned devices takes for `auto`, by cpuMicrobatch(); 0 if only a search
/// on the devices can tell: on GPUs, with a memory limit, or without `lengths`.
std::int64_t plannedMicrobatch(const TrainConfig& config, const Lengths* lengths, std::int64_t devices);

/// Returns how many sequences of the longest length a unit stands for in a forecast. The search at launch probes the
/// largest real pack instead (core/plan/microbatch_search.h).
std::int64_t sequencesPerUnit(const TrainConfig& config, const Lengths& lengths);

/// Returns the upper bound of the search: one device's share of a global batch; with batch.use_maximum_batch_size its
/// share of the data. If the batch may grow to what the devices hold: some doublings above its share, so that a launch
/// does not fill the device for batches that may never come.
std::int64_t maxUsefulUnits(const TrainConfig& config, const Lengths& lengths, std::int64_t devices);

/// Returns the search parameters for `limitBytes` per device.
MicrobatchSearch microbatchSearch(const TrainConfig& config, const Lengths& lengths, std::int64_t devices,
                                  std::int64_t limitBytes);

/// Returns the micro-batch that a step uses of the `largest` that fits: at most the device's share of a global batch.
std::int64_t usableUnits(const TrainConfig& config, std::int64_t largest, std::int64_t devices);

/// Returns whether the global batch may grow to what the devices hold.
bool growsToDevices(const TrainConfig& config);

}  // namespace batchwise
