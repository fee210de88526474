// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/config/schema.h"

namespace batchwise {

/// Returns the configured interval, or the default: ten evaluations per run (none without evaluation data); a
/// checkpoint every 10 minutes.
std::vector<Time> evalInterval(const TrainConfig& config);
std::vector<Time> checkpointInterval(const TrainConfig& config);
/// Returns the size that a value of batch.rampup.from_schedule.cap gives, "4x" or "256"; empty if it is neither.
std::optional<std::int64_t> seesawCap(const std::string& cap, std::int64_t initial);
/// Returns the error in such a value, as the end of a sentence that begins with it; empty if there is none.
std::string checkCap(const std::string& text);
/// Returns batch.global_train_batch_size, or the cap of batch.rampup.from_schedule. Of a table of stages, the last size
/// is the global batch instead.
std::int64_t largestGlobalBatch(const BatchConfig& batch);
/// Returns the largest share of tokens that training predicts, at the begin or at the end.
double largestMlmProbability(const DataConfig& data);
/// Returns the name of the evaluation set that data.eval or the held-out share is beside eval.sets: "eval", "held_out".
std::string defaultEvalSetName(const TrainConfig& config);
/// Returns whether the configuration has evaluation data.
bool hasEvalData(const TrainConfig& config);

/// Fills fields that were left out (auto) and follow from others: warm-up and checkpoint interval. A run is launched
/// with the result and stores it, so that a changed default does not affect it. Precision, norm epsilon and micro-batch
/// depend on the device and the model: see PreparedRun.
TrainConfig withDefaults(TrainConfig config);

/// Returns "scheduler.t_warmup: 0.06dur" etc. for the fields set in `resolved` and left out in `typed`.
std::vector<std::string> filledDefaults(const TrainConfig& typed, const TrainConfig& resolved);

/// Returns the settings of the bundled demo for a new run, without its name. Relative paths start at the working
/// folder.
LoadedConfig newRunConfig();

/// Checks rules for new runs beyond checkRules(). A stored run that breaks one can still be resumed, extended and
/// forked: `stored`, the configuration of the run that this one continues (or null), excuses a field that breaks a rule
/// there too and has the same value.
std::vector<FieldProblem> checkNewRun(const TrainConfig& config, const TrainConfig* stored = nullptr);

/// Maximum N of cpu:N.
constexpr std::int64_t kMaxCpuDevices = 64;

/// Returns the error in a value of `devices.use`; empty if it is auto, cpu, cpu:N, cuda or cuda:I,J.
std::string checkDeviceNames(const std::string& text);

/// Returns the number of devices of a valid value: 1 for cpu, N for cpu:N, 2 for cuda:0,1. Empty for auto and cuda,
/// which depend on the machine.
std::optional<std::int64_t> namedDeviceCount(const std::string& text);

/// Returns the GPU indices of a valid value: 0 and 1 for cuda:0,1. Empty for the others.
std::vector<int> namedGpus(const std::string& text);

}  // namespace batchwise
