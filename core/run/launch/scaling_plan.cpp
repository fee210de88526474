// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/scaling_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/analysis/run_comparison.h"
#include "core/base/format.h"
#include "core/base/integer_math.h"
#include "core/base/json.h"
#include "core/base/process_setup.h"
#include "core/base/text.h"
#include "core/config/config_file.h"
#include "core/config/path_fields.h"
#include "core/config/run_stages.h"
#include "core/model/shape/model_shape.h"
#include "core/model/shape/training_cost.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/resolved_values.h"

namespace batchwise {
namespace {

constexpr std::size_t kMostRunsRead = 20;
constexpr double kSimilar = 1.5;  // ratio of operations per token

// Makes paths absolute, so that those of configurations from different folders can be compared.
LoadedConfig anchored(LoadedConfig loaded) {
  std::vector<SweepAxis> none;
  makePathsAbsolute(loaded.config, none, loaded.baseFolder);
  return loaded;
}

// Compares resolved sizes; models from folders and vocabulary files are equal if their absolute paths are.
bool sameModel(const TrainConfig& a, const TrainConfig& b) {
  if (a.model.initFrom != b.model.initFrom || a.tokenizer != b.tokenizer) return false;
  const std::int64_t positions = std::max(a.data.maxSeqLen, b.data.maxSeqLen);
  const auto left = resolveModelShape(a.model, a.tokenizer.trainVocabSize, positions);
  const auto right = resolveModelShape(b.model, b.tokenizer.trainVocabSize, positions);
  return left.ok() && right.ok() && *left == *right;
}

// Reads what the run was trained on from the environment of a segment.
std::optional<ComputeUnits> unitsOf(const RunSegment& segment) try {
  const nlohmann::json environment = parseJsonOrDiscarded(segment.environment);
  if (!environment.is_object()) return std::nullopt;
  const bool gpus = environment.at("device_kind") == "cuda";
  const auto devices = static_cast<std::int64_t>(environment.at("devices").size());
  const std::int64_t each = gpus ? 1 : environment.at("threads_per_device").get<std::int64_t>();
  return devices < 1 || each < 1 ? std::nullopt : std::optional(ComputeUnits{gpus, devices * each});
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
}

std::optional<ComputeUnits> unitsOf(const RunDetail& run) {
  if (run.segments.empty()) return std::nullopt;
  const auto units = unitsOf(run.segments.front());
  for (const RunSegment& segment : run.segments)
    if (unitsOf(segment) != units) return std::nullopt;
  return units;
}

/// Returns the clocks of a run without those before a fork: that part another run trained, maybe on other devices.
Timestamp trainedItself(const RunDetail& run) {
  Timestamp own = run.summary.at;
  if (run.segments.empty() || run.segments.front().number > 0) return own;  // a restored run may lack its first ones
  const Timestamp& from = run.segments.front().from;
  own.token -= from.token;
  own.sample -= from.sample;
  own.seconds -= from.seconds;
  return own;
}

bool isOn(const MeasuredSpeed& speed, MeasuredSpeeds::Units units, const TrainConfig& config) {
  return units == MeasuredSpeeds::Units::Any || (speed.units && speed.units->gpus == plansGpus(config));
}

// What decides the time of a token beside the model. What the trained run had resolved, such as its precision, is not
// compared with what is left to be resolved.
bool sameSettings(const TrainConfig& trained, const TrainConfig& wanted) {
  BatchConfig batch = trained.batch;
  if (!wanted.batch.deviceTrainMicrobatchSize) batch.deviceTrainMicrobatchSize.reset();
  DataConfig data = trained.data;
  if (!wanted.data.holdout) data.holdout.reset();  // the automatic share is resolved at launch
  const bool samePrecision = !wanted.precision || trained.precision == wanted.precision;
  return batch == wanted.batch && samePrecision && data == wanted.data && trained.devices == wanted.devices &&
         trained.stages == wanted.stages;
}

constexpr double kBytesPerGradient = 4;
constexpr double kBuckets = 20;  // as in core/train/gradient_reducer.cpp
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
  double share = 1.0 / static_cast<double>(devices);
  if (cost.unitsPerStep > 0) {
    point.unitsPerDevice = ceilDiv(cost.unitsPerStep, devices);
    point.idleDevices = std::max<std::int64_t>(0, devices - cost.unitsPerStep);
    share = static_cast<double>(point.unitsPerDevice) / static_cast<double>(cost.unitsPerStep);
  }
  point.tokensPerDevice = cost.tokensPerStep * share;
  point.computeSec = point.tokensPerDevice * cost.secondsPerToken;
  const double lastPass = std::min(point.tokensPerDevice, cost.microbatchTokens) * cost.secondsPerToken;
  const double overlappable =
      sumSec(kBytesPerGradient * static_cast<double>(cost.parameters - cost.embeddingParameters), kBuckets - 1, devices,
             between);
  const double last = sumSec(kBytesPerGradient * static_cast<double>(cost.embeddingParameters), 1, devices, between);
  point.communicationSec = overlappable + last;
  point.exposedSec = std::max(0.0, overlappable - kBackwardShare * lastPass) + last;
  point.stepSec = point.computeSec + point.exposedSec;
  const double ideal = cost.tokensPerStep * cost.secondsPerToken / static_cast<double>(devices);
  point.efficiency = ideal / point.stepSec;
  point.tokensPerSec = cost.tokensPerStep / point.stepSec;
  return point;
}

/// Returns the cost of the steps of a run, without tokens; units are 1 where samples are not split, else 0.
Result<StepCost> measuredCost(const RunDetail& run) {
  ASSIGN_OR_RETURN(const auto speed, speedOf(run));
  LoadedConfig trained = parseConfig(run.resolvedYaml, runContextText(run.summary.name), {});
  if (!trained.ok() || isExternal(run.summary))
    return Error::config(
        formatText("the model of {} is not known, so its time on other devices cannot be predicted", run.summary.name));
  if (const auto folder = run.resolvedValues.find(resolved_names::kBaseFolder); folder != run.resolvedValues.end())
    trained.baseFolder = folder->second;
  ASSIGN_OR_RETURN(const auto shape, plannedShape(trained));
  StepCost cost;
  cost.secondsPerToken = static_cast<double>(speed.devices) / speed.tokensPerSec;
  if (const auto samples = trained.config.batch.deviceTrainMicrobatchSize)
    cost.microbatchTokens = speed.tokensPerSample * static_cast<double>(*samples);
  cost.unitsPerStep = trained.config.batch.tokens.enabled() ? 0 : 1;
  cost.parameters = shape.parameterCount();
  cost.embeddingParameters = shape.vocabSize * shape.hiddenSize;
  return cost;
}

/// Returns the operations of a stage; nothing if its model or its length is not known.
std::optional<double> operationsOf(const RunStage& stage, const Plan::Totals& totals, const LoadedConfig& run) {
  if (!totals.tokens || !totals.samples) return std::nullopt;
  LoadedConfig own;
  own.config = stage.config;
  own.baseFolder = run.baseFolder;
  const auto shape = plannedShape(own);
  if (!shape.ok()) return std::nullopt;
  return trainingCost(*shape, stage.config.data.mlmProbability)
      .operations(static_cast<double>(*totals.tokens), static_cast<double>(*totals.samples));
}

/// Returns how many times the devices of the measured run are planned.
double unitsRatio(const MeasuredSpeed& speed, const LoadedConfig& config, const MachineInfo& machine) {
  if (!speed.units) return 1;
  return static_cast<double>(plannedUnits(config.config, machine).count) / static_cast<double>(speed.units->count);
}

}  // namespace

Result<MeasuredSpeed> speedOf(const RunDetail& run) {
  const Timestamp at = trainedItself(run);
  if (at.token <= 0 || at.sample <= 0 || at.seconds <= 0)
    return Error::notFound(formatText("run '{}' has trained nothing yet, so its speed is unknown", run.summary.name));
  MeasuredSpeed speed{run.summary.name, static_cast<double>(at.token) / at.seconds,
                      static_cast<double>(at.token) / static_cast<double>(at.sample), 1, 0};
  speed.operationsPerSec =
      storedTrainingCost(run.resolvedValues).operations(static_cast<double>(at.token), static_cast<double>(at.sample)) /
      at.seconds;
  speed.devices =
      std::max<std::int64_t>(1, numberNamed<std::int64_t>(run.resolvedValues, resolved_names::kDevices).value_or(1));
  speed.units = unitsOf(run);
  return speed;
}

MeasuredSpeeds::MeasuredSpeeds(const Workspace& workspace) : workspace_(workspace) {
  const auto runs = workspace.listRuns();
  if (!runs.ok()) return;  // the window reports an unreadable store elsewhere
  for (const RunSummary& run : *runs)
    if ((run.status == RunStatus::Finished || run.status == RunStatus::Running) && unread_.size() < kMostRunsRead)
      unread_.push_back(run.id);
  std::reverse(unread_.begin(), unread_.end());
}

/// Reads the runs up to that place; false past the last one.
bool MeasuredSpeeds::isRead(std::size_t index) {
  while (index >= read_.size() && !unread_.empty()) readNext();
  return index < read_.size();
}

std::optional<MeasuredSpeed> MeasuredSpeeds::of(const LoadedConfig& given, Units units) {
  const LoadedConfig loaded = anchored(given);
  const TrainConfig& config = loaded.config;
  const Trained* run = ofSameModel(config, units);
  if (run == nullptr) return ofSimilar(loaded, units);
  MeasuredSpeed speed = run->speed;
  if (run->config.data.maxSeqLen != config.data.maxSeqLen) speed.tokensPerSample = 0;
  return speed;
}

// Prefers a run with the same settings, then the newest. Null: there is none.
const MeasuredSpeeds::Trained* MeasuredSpeeds::ofSameModel(const TrainConfig& config, Units units) {
  std::optional<std::size_t> newest;
  for (std::size_t i = 0; isRead(i); ++i) {
    if (!isOn(read_[i].speed, units, config) || !sameModel(read_[i].config, config)) continue;
    if (sameSettings(read_[i].config, config)) return &read_[i];
    if (!newest) newest = i;
  }
  return newest ? &read_[*newest] : nullptr;
}

std::optional<MeasuredSpeed> MeasuredSpeeds::ofSimilar(const LoadedConfig& loaded, Units units) {
  if (read_.empty()) return std::nullopt;
  const TrainConfig& config = loaded.config;
  const auto shape = plannedShape(loaded);
  if (!shape.ok()) return std::nullopt;
  const double operations = trainingCost(*shape, config.data.mlmProbability).perTokenWithHead();
  for (const Trained& run : read_) {
    const double ratio = run.operationsPerToken / operations;
    if (!isOn(run.speed, units, config) || ratio * kSimilar < 1 || ratio > kSimilar) continue;
    MeasuredSpeed speed = run.speed;
    speed.tokensPerSec *= ratio;
    speed.tokensPerSample = 0;
    speed.similar = true;
    return speed;
  }
  return std::nullopt;
}

void MeasuredSpeeds::readNext() {
  const auto detail = workspace_.findRun(unread_.back());
  unread_.pop_back();
  if (!detail.ok() || isExternal(detail->summary)) return;
  LoadedConfig trained = parseConfig(detail->resolvedYaml, detail->summary.name, {});
  if (!trained.ok()) return;
  const auto folder = detail->resolvedValues.find(resolved_names::kBaseFolder);
  if (folder != detail->resolvedValues.end() && !folder->second.empty()) {
    trained.baseFolder = folder->second;
    trained = anchored(std::move(trained));
  }
  constexpr double kLeastSec = 2;  // of a run that has just begun
  const bool training = detail->summary.status == RunStatus::Running;
  if (training && trainedItself(*detail).seconds < kLeastSec) return;
  if (auto speed = speedOf(*detail); speed.ok()) {
    speed->training = training;
    read_.push_back({trained.config, *speed, storedTrainingCost(detail->resolvedValues).perTokenWithHead()});
  }
}

std::vector<ScalingPoint> predictScaling(const StepCost& cost, const Interconnect& between,
                                         std::span<const std::int64_t> devices) {
  std::vector<ScalingPoint> points;
  for (const std::int64_t count : devices) points.push_back(pointAt(cost, between, count));
  return points;
}

Result<DeviceClocks> predictedClocks(const Workspace& workspace, const std::vector<std::string>& runs,
                                     std::int64_t devices) {
  DeviceClocks clocks;
  clocks.devices = devices;
  for (const std::string& name : runs) {
    ASSIGN_OR_RETURN(const auto run, workspace.findRun(name));
    ASSIGN_OR_RETURN(StepCost cost, measuredCost(run));
    ASSIGN_OR_RETURN(const auto steps, workspace.series(run.summary.id, "steps"));
    ASSIGN_OR_RETURN(const auto tokens, workspace.series(run.summary.id, "tok"));
    ASSIGN_OR_RETURN(const auto samples, workspace.series(run.summary.id, "sp"));
    const double ofMicrobatch = cost.microbatchTokens;
    const std::int64_t units = cost.unitsPerStep;
    double stepsBefore = 0, tokensBefore = 0, samplesBefore = 0, sec = 0;
    std::vector<SeriesPoint>& clock = clocks.sec[run.summary.id];
    for (std::size_t i = 0; i < std::min({steps.size(), tokens.size(), samples.size()}); ++i) {
      const double count = std::max(1.0, steps[i].value - stepsBefore);
      cost.tokensPerStep = (tokens[i].value - tokensBefore) / count;
      cost.unitsPerStep = units * std::llround((samples[i].value - samplesBefore) / count);
      cost.microbatchTokens = ofMicrobatch > 0 ? ofMicrobatch : cost.tokensPerStep;
      sec += count * pointAt(cost, {}, devices).stepSec;
      clock.push_back({steps[i].batch, sec});
      stepsBefore = steps[i].value, tokensBefore = tokens[i].value, samplesBefore = samples[i].value;
    }
  }
  return clocks;
}

std::optional<RunCost> runCost(const LoadedConfig& config, const std::vector<Plan::Totals>& stages,
                               std::optional<MeasuredSpeed> speed, const MachineInfo& machine) {
  const std::vector<RunStage> all = runStages(config.config);
  if (all.size() != stages.size()) return std::nullopt;
  RunCost cost;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto operations = operationsOf(all[i], stages[i], config);
    if (!operations) return std::nullopt;
    cost.operations += *operations;
    cost.tokens += static_cast<double>(*stages[i].tokens);
  }
  if (speed && speed->tokensPerSec > 0) cost.speed = std::move(speed);
  if (!cost.speed)
    cost.seconds = cost.operations / roughOperationsPerSec(config.config, machine);
  else if (cost.speed->operationsPerSec > 0)
    cost.seconds = cost.operations / (cost.speed->operationsPerSec * unitsRatio(*cost.speed, config, machine));
  else
    cost.seconds = cost.tokens / (cost.speed->tokensPerSec * unitsRatio(*cost.speed, config, machine));
  return cost;
}

std::vector<Plan::Totals> totalsOfStages(const RunPlan& plan) {
  std::vector<Plan::Totals> totals;
  for (const Plan& stage : plan.plans()) totals.push_back(stage.totals());
  return totals;
}

ComputeUnits plannedUnits(const TrainConfig& config, const MachineInfo& machine) {
  const std::int64_t devices = plannedDevices(config, machine).devices;
  if (plansGpus(config, machine)) return {true, devices};
  if (config.devices.threads) return {false, devices * *config.devices.threads};
  // Devices of one process share its cores; ranks may have been launched on several hosts.
  return {false, std::max({std::int64_t{1}, machine.cores, launchedRank() ? devices : 1})};
}

double roughOperationsPerSec(const TrainConfig& config, const MachineInfo& machine) {
  constexpr double kPerCore = 15e9, kPerGpu = 40e12;
  const ComputeUnits units = plannedUnits(config, machine);
  return (units.gpus ? kPerGpu : kPerCore) * static_cast<double>(units.count);
}

}  // namespace batchwise
