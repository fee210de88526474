// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/default_values.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/scaling_plan.h"

namespace batchwise::cli {
namespace {

constexpr double kGiga = 1e9;

struct ScaleArguments {
  ConfigArguments config;
  std::vector<std::int64_t> devices;
  std::string like;
  double tokensPerSec = 0;     ///< of one device; 0: taken from a run
  double tokensPerSample = 0;  ///< 0: taken from the run, or data.max_seq_len
  std::int64_t devicesPerNode = 8;
  double nodeGigabytes = 360, clusterGigabytes = 45, latencyMicrosec = 20;
};

/// Speed of one device that the prediction starts from, and its source.
struct Basis {
  MeasuredSpeed speed;
  std::string source;
  std::string kind;  ///< "measured" on one device, "derived" from several or from a similar model, or "given"
};

Result<Basis> basisOf(const ScaleArguments& arguments, const LoadedConfig& config, const Globals& globals) {
  if (arguments.tokensPerSec > 0)
    return Basis{
        {"", arguments.tokensPerSec, 0, 1}, formatCount(arguments.tokensPerSec) + " tokens/s, as given", "given"};
  const auto workspace = openExisting(globals);
  const bool isThere = workspace.ok() || workspace.error().code != ErrorCode::NotFound;
  if (!workspace.ok() && (isThere || !arguments.like.empty())) return workspace.error();
  std::optional<MeasuredSpeed> speed;
  if (arguments.like.empty()) {
    if (workspace.ok()) speed = MeasuredSpeeds(**workspace).of(config, MeasuredSpeeds::Units::Any);
    if (!speed)
      return Error::notFound(
          formatText("no finished run of this workspace has the model '{}', so there is no measured speed; train one "
                     "for a minute, or give --like RUN or --tokens-per-sec",
                     choiceName(config.config.model.preset)));
  } else {
    ASSIGN_OR_RETURN(const auto run, (*workspace)->findRun(arguments.like));
    ASSIGN_OR_RETURN(const auto measured, speedOf(run));
    speed = measured;
  }
  std::string source = formatCount(speed->tokensPerSec) + " tokens/s" +
                       (speed->similar ? ", derived from a similar model:" : " of") + " run '" + speed->run + "'";
  if (speed->units && !speed->units->gpus) source += " on processors";
  if (speed->devices > 1) source += " on " + std::to_string(speed->devices) + " devices, taken as equal shares";
  const bool ofOne = speed->devices == 1 && !speed->similar;
  speed->tokensPerSec /= static_cast<double>(speed->devices);
  return Basis{*speed, source, ofOne ? "measured" : "derived"};
}

Result<StepCost> costOf(const ScaleArguments& arguments, const LoadedConfig& loaded, const MeasuredSpeed& speed) {
  const TrainConfig& config = loaded.config;
  ASSIGN_OR_RETURN(const auto shape, plannedShape(loaded));
  double perUnit = arguments.tokensPerSample > 0 ? arguments.tokensPerSample
                   : speed.tokensPerSample > 0   ? speed.tokensPerSample
                                                 : static_cast<double>(config.data.maxSeqLen);
  if (config.batch.useMaximumBatchSize)
    return Error::config(
        "batch.use_maximum_batch_size",
        "the size is not known before the run starts; give a batch.global_train_batch_size to plan for");
  if (config.batch.tokens.enabled()) perUnit = static_cast<double>(*config.batch.tokens.maxTokens);
  StepCost cost;
  const auto& stages = config.batch.rampup.stages;
  const std::int64_t units = stages.empty() ? largestGlobalBatch(config.batch) : stages.back().globalTrainBatchSize;
  cost.unitsPerStep = units;
  cost.tokensPerStep = perUnit * static_cast<double>(units);
  cost.secondsPerToken = 1 / speed.tokensPerSec;
  cost.microbatchTokens = config.batch.deviceTrainMicrobatchSize
                              ? perUnit * static_cast<double>(*config.batch.deviceTrainMicrobatchSize)
                              : cost.tokensPerStep;
  cost.parameters = shape.parameterCount();
  cost.embeddingParameters = shape.vocabSize * shape.hiddenSize;
  return cost;
}

Json pointJson(const ScalingPoint& point, const std::string& ofOne) {
  return {{"devices", point.devices},
          {"samples_per_device", point.unitsPerDevice},
          {"idle_devices", point.idleDevices},
          {"tokens_per_device", point.tokensPerDevice},
          {"step_sec", point.stepSec},
          {"compute_sec", point.computeSec},
          {"communication_sec", point.communicationSec},
          {"exposed_sec", point.exposedSec},
          {"efficiency", point.efficiency},
          {"tokens_per_sec", point.tokensPerSec},
          {"from", point.devices == 1 ? ofOne : "predicted"}};
}

std::string milliseconds(double seconds) {
  return formatValue(seconds * 1e3);
}

/// "3", of the busiest device, or "1 (43 idle)".
std::string dealt(const ScalingPoint& point) {
  const std::string idle = point.idleDevices > 0 ? " (" + formatInteger(point.idleDevices) + " idle)" : "";
  return formatInteger(point.unitsPerDevice) + idle;
}

void show(const std::vector<ScalingPoint>& points, const StepCost& cost, const Basis& basis, bool packs) {
  using Align = Table::Align;
  Table table({{"devices", Align::Right},
               {packs ? "packs/device" : "samples/device", Align::Right},
               {"tokens/device", Align::Right},
               {"step ms", Align::Right},
               {"sums ms", Align::Right},
               {"not hidden ms", Align::Right},
               {"efficiency %", Align::Right},
               {"tokens/s", Align::Right},
               {"", Align::Left}});
  for (const ScalingPoint& point : points)
    table.add({std::to_string(point.devices), dealt(point), formatCount(point.tokensPerDevice),
               milliseconds(point.stepSec), milliseconds(point.communicationSec), milliseconds(point.exposedSec),
               formatValue(100 * point.efficiency), formatCount(point.tokensPerSec),
               point.devices == 1 ? basis.kind : "predicted"});
  table.print(std::cout);
  std::cout << "One device: " << basis.source << ". The global batch has " << formatCount(cost.tokensPerStep)
            << " tokens in " << countText(cost.unitsPerStep, packs ? "pack" : "sample")
            << " whatever the number of devices, and the device with the most of them decides; "
            << formatCount(static_cast<double>(cost.parameters))
            << " gradients of 4 bytes are summed in each step.\nRows of more than one device are predictions: ring "
               "sums at the given bandwidths, overlapped with the backward pass of the last micro-batch except for the "
               "word embeddings; samples of equal cost, no other waiting.\n";
}

Result<int> planScale(const ScaleArguments& arguments, const Globals& globals) {
  const LoadedConfig config = loadConfig(arguments.config.config, arguments.config.assignments);
  if (!config.ok()) return fail(config, globals.json);
  ASSIGN_OR_RETURN(const auto basis, basisOf(arguments, config, globals));
  ASSIGN_OR_RETURN(const auto cost, costOf(arguments, config, basis.speed));
  const Interconnect between{arguments.devicesPerNode, arguments.nodeGigabytes * kGiga,
                             arguments.clusterGigabytes * kGiga, arguments.latencyMicrosec * 1e-6};
  const auto points = predictScaling(cost, between, arguments.devices);
  showNotes(config);
  const BatchConfig& batch = config.config.batch;
  if (batch.rampup.enabled() || batch.growth.enabled() || !config.config.stages.empty())
    showNotes({formatText("the steps of this run change their size; all rows are for {}",
                          countText(cost.unitsPerStep, batch.tokens.enabled() ? "pack" : "sample"))});
  if (!globals.json) {
    show(points, cost, basis, config.config.batch.tokens.enabled());
    return kDone;
  }
  const Json list = jsonList(points, [&](const ScalingPoint& point) -> Json { return pointJson(point, basis.kind); });
  return printJson({{"schema", "batchwise.plan_scale/1"},
                    {"one_device", basis.source},
                    {"tokens_per_step", cost.tokensPerStep},
                    {"parameters", cost.parameters},
                    {"points", list}});
}

}  // namespace

void addScaleCommand(Commands& commands) {
  const auto given = std::make_shared<ScaleArguments>();
  CLI::App* scale =
      commands.add(nullptr, "plan-scale",
                   "How fast a run would be on more devices: step time, what sums of gradients add to it, "
                   "efficiency. From the measured speed of one device, by a formula",
                   "batchwise plan-scale run.yaml --gpus 1,8,64,1024",
                   [&commands, given] { return planScale(*given, commands.globals()); });
  addConfigArguments(*scale, given->config);
  scale->add_option("--gpus", given->devices, "Numbers of devices, such as 1,8,64")
      ->delimiter(',')
      ->required()
      ->check(atLeast(1));
  CLI::Option* like = scale
                          ->add_option("--like", given->like,
                                       "Run whose speed is used (default: the newest finished one with this model)")
                          ->check(nonEmptyName("a run"));
  scale->add_option("--tokens-per-sec", given->tokensPerSec, "Speed of one device, instead of that of a run")
      ->check(positiveNumber())
      ->excludes(like);
  scale
      ->add_option("--tokens-per-sample", given->tokensPerSample,
                   "Mean length in tokens (default: that of the run, or data.max_seq_len)")
      ->check(positiveNumber());
  scale->add_option("--gpus-per-node", given->devicesPerNode, "Devices of one machine")
      ->check(atLeast(1))
      ->capture_default_str();
  scale
      ->add_option("--node-bandwidth", given->nodeGigabytes,
                   "Bandwidth of a device to the others of its machine, in GB/s")
      ->check(positiveNumber())
      ->capture_default_str();
  scale->add_option("--network-bandwidth", given->clusterGigabytes, "Bandwidth of a device to other machines, in GB/s")
      ->check(positiveNumber())
      ->capture_default_str();
  scale->add_option("--latency", given->latencyMicrosec, "Latency of one exchange between two devices, in microseconds")
      ->check(nonNegativeNumber())
      ->capture_default_str();
}

}  // namespace batchwise::cli
