// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/run_cost.h"

#include <algorithm>

#include "core/base/launched_rank.h"
#include "core/config/run_stages.h"
#include "core/model/shape/training_cost.h"
#include "core/run/launch/launch_check.h"

namespace batchwise {
namespace {

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
