// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/launch_check.h"

#include <algorithm>
#include <optional>

#include "core/base/format.h"
#include "core/base/launched_rank.h"
#include "core/base/machine.h"
#include "core/base/return_if_error.h"
#include "core/config/device_names.h"
#include "core/config/new_run.h"
#include "core/config/schema.h"
#include "core/run/launch/file_check.h"
#include "core/run/launch/run_intervals.h"
#include "core/run/messages.h"

namespace batchwise {
namespace {

// Synthetic data: global batches per epoch, and sample length as a share of the longest allowed.
struct SyntheticData {
  std::int64_t batchesPerEpoch;
  double lengthShare;
};
constexpr SyntheticData kSyntheticData[] = {{1'000, 1.0}, {1, 0.5},   {1'000'000, 1.0},
                                            {10, 0.25},   {100, 0.5}, {30'000, 0.1}};
// Limited because packs are planned one by one.
constexpr std::int64_t kMostPackedSamples = 200'000;

std::shared_ptr<const Lengths> syntheticLengths(const TrainConfig& config, const SyntheticData& data) {
  std::int64_t tokens = config.data.maxSeqLen;
  std::int64_t perUnit = 1;
  if (config.batch.tokens.enabled()) {
    // A pack of min_batch_size sequences must stay within the budget.
    tokens =
        std::min(tokens, *config.batch.tokens.maxTokens / std::max<std::int64_t>(1, config.batch.tokens.minBatchSize));
    perUnit = *config.batch.tokens.maxTokens / std::max<std::int64_t>(1, tokens);
  }
  tokens = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(tokens) * data.lengthShare));
  std::int64_t batch = config.batch.globalTrainBatchSize;
  for (const RampStageConfig& stage : config.batch.rampup.stages) batch = std::max(batch, stage.globalTrainBatchSize);
  constexpr double kMost = 1e15;
  const double wanted =
      static_cast<double>(batch) * static_cast<double>(perUnit) * static_cast<double>(data.batchesPerEpoch);
  std::int64_t samples = static_cast<std::int64_t>(std::min(wanted, kMost));
  if (config.batch.tokens.enabled()) samples = std::min(samples, kMostPackedSamples);
  return std::make_shared<EqualLengths>(samples, static_cast<std::uint32_t>(tokens));
}

std::optional<Error> problemWith(const TrainConfig& config, const SyntheticData& data, const DeviceShape& devices) {
  ASSIGN_OR_RETURN(const auto plan, Plan::resolve(config, syntheticLengths(config, data), devices));
  RETURN_IF_ERROR(resolveIntervals(config, plan.runLength()));
  return std::nullopt;
}

// Returns the error that occurs with all synthetic data, if there is one.
std::optional<Error> dataIndependentError(const TrainConfig& config, const DeviceShape& devices) {
  std::optional<Error> first;
  for (const SyntheticData& data : kSyntheticData) {
    const auto problem = problemWith(config, data, devices);
    if (!problem || problem->code != ErrorCode::Config) return std::nullopt;
    if (first && first->message != problem->message) return std::nullopt;
    first = problem;
  }
  return first;
}

std::string groupOf(const std::string& field) {
  return field.substr(0, field.find('.'));
}

// Replaces the settings that `field` belongs to by neutral ones, so that the rest can be validated. Returns false if
// that would change the meaning of the rest.
bool neutralize(const std::string& field, TrainConfig& config) {
  if (field.starts_with("scheduler")) {
    config.scheduler = SchedulerConfig();
    config.scheduler.name = "constant";
    return true;
  }
  if (field == "batch.growth.increase_function" || field == "batch.growth.batch_increase_function") {
    config.batch.growth.batchIncreaseFunction.clear();
    config.batch.growth.increaseFunction = "current_batch_size";
    return true;
  }
  return false;
}

}  // namespace

bool plansGpus(const TrainConfig& config) {
  return config.devices.use == "auto" ? machineInfo().gpus > 0 : config.devices.use.starts_with("cuda");
}

DeviceShape plannedDevices(const TrainConfig& config) {
  DeviceShape shape;
  if (const auto launched = launchedRank()) {
    shape.devices = launched->size;
    return shape;
  }
  shape.devices = namedDeviceCount(config.devices.use).value_or(std::max<std::int64_t>(1, machineInfo().gpus));
  return shape;
}

Result<void> checkEnoughSamples(const TrainConfig& config, const Lengths& lengths) {
  const std::int64_t samples = lengths.size();
  if (samples == 0) return Error::config(messages::trainingTextHasNoSamples());
  const std::int64_t global = config.batch.globalTrainBatchSize;
  if (config.batch.tokens.enabled() || samples >= global) return {};
  return Error::config(messages::trainingSamplesBelowGlobalBatch(samples, global));
}

std::string fieldOfMessage(const Message& message) {
  const std::string head = message.text().substr(0, message.text().find(": "));
  const std::string path = head.substr(0, head.find('['));
  return findField(path) != nullptr || isFieldGroup(path) ? head : "";
}

Message withoutField(const Message& message, const std::string& field) {
  if (field.empty()) return message;
  return Message(message.id(), message.arguments(), message.text().substr(field.size() + 2));
}

std::vector<ConfigIssue> checkPlan(const LoadedConfig& loaded, const DeviceShape& devices, const TrainConfig* stored) {
  std::vector<ConfigIssue> issues;
  if (!loaded.ok()) return issues;
  for (FieldProblem& problem : checkNewRun(loaded.config, stored))
    issues.push_back(loaded.issueAt(problem.field, std::move(problem.message)));
  TrainConfig config = loaded.config;
  std::vector<std::string> seen;
  while (const auto problem = dataIndependentError(config, devices)) {
    const std::string field = fieldOfMessage(problem->message);
    // The largest batch is only known on the device, so a ramp cannot be validated here.
    if (config.batch.useMaximumBatchSize && field.starts_with("batch.rampup")) break;
    issues.push_back(loaded.issueAt(field, withoutField(problem->message, field)));
    const bool again = std::find(seen.begin(), seen.end(), field) != seen.end();
    seen.push_back(field);
    if (again || !neutralize(field, config)) break;
  }
  return issues;
}

LoadedConfig checkedForLaunch(LoadedConfig loaded, const CheckScope& scope) {
  // Skips fields whose group, or whose whole configuration, has parse errors.
  const auto hasParseErrors = [errors = loaded.errors](const std::string& field) {
    return std::any_of(errors.begin(), errors.end(), [&](const ConfigIssue& error) {
      return error.field.empty() || groupOf(error.field) == groupOf(field);
    });
  };
  DeviceShape devices = plannedDevices(loaded.config);
  if (scope.devices > 0) devices.devices = scope.devices;
  std::vector<ConfigIssue> issues = checkPlan(loaded, devices, scope.stored);
  const auto add = [&](const std::string& field, const Message& message) {
    if (!hasParseErrors(field)) issues.push_back(loaded.issueAt(field, message));
  };
  if (scope.files == CheckScope::Files::Checked) {
    if (const Message why = missingTextMessage(loaded.config); !why.empty() && scope.text == CheckScope::Text::Required)
      add("data.train", why);
    else if (!why.empty() && loaded.ok())
      loaded.notes.push_back(loaded.issueAt("data.train", messages::trainWillRefuse(why)));
    for (const PreflightFinding& finding : checkFiles(loaded)) add(finding.field, finding.text());
  }
  for (ConfigIssue& issue : issues) loaded.errors.push_back(std::move(issue));
  return loaded;
}

}  // namespace batchwise
