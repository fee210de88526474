// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks other than 0.
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "core/base/result.h"
#include "core/run/launch/launch_data.h"
#include "core/run/ranks/rank_group.h"
#include "core/run/ranks/rank_messages.h"
#include "core/run/ranks/run_ranks.h"
#include "core/run/session/launch_model.h"
#include "core/run/session/microbatch.h"
#include "core/run/session/run_preparation.h"
#include "core/run/session/run_session.h"
#include "core/train/caught_error.h"
#include "core/train/guards.h"
#include "core/train/train_loop.h"

namespace batchwise {
namespace {

class Follower {
 public:
  Follower(RankGroup& rankGroup, const Clock& clock) : rankGroup_(rankGroup), clock_(clock) {}

  Result<RunFinished> run();

 private:
  Result<void> receive();
  Result<void> openDevice();
  Result<void> prepareData();
  Result<void> restorePlan();
  Result<void> train(const LoopState& state);
  const TrainConfig& config() const { return received_.config.config; }

  RankGroup& rankGroup_;
  const Clock& clock_;
  RankRunMessage received_;
  DeviceChoice devices_;
  std::optional<PreparedData> data_;
  std::vector<PreparedStage> stages_;
  std::vector<Replica> replicas_;
  ModelShape shape_;
  std::optional<RunPlan> runPlan_;
};

/// Fails with Config if the data is other than that of rank 0. `index`: in dataIdentities.
Result<void> checkIdentity(const RankRunMessage& received, std::size_t index, const PreparedData& data) {
  if (index < received.dataIdentities.size() && data.train.identity().hex() == received.dataIdentities[index])
    return {};
  const Error differs = Error::config(
      "this rank sees other training data than rank 0: data.train and the workspace must lie where every machine of "
      "the run finds the same files");
  return index == 0 ? differs : differs.about(runStages(received.config.config)[index - 1].field);
}

Result<RunFinished> Follower::run() {
  using Step = Result<void> (Follower::*)();
  for (const Step step : {&Follower::openDevice, &Follower::prepareData, &Follower::restorePlan}) {
    RETURN_IF_ERROR(receive());
    RETURN_IF_ERROR((this->*step)());
  }
  for (;;) {
    ASSIGN_OR_RETURN(const auto text, rankGroup_.broadcastFromFirst({}));
    ASSIGN_OR_RETURN(auto segment, parseSegmentMessage(text));
    if (!segment.state) return segment.finished;
    RETURN_IF_ERROR(train(*segment.state));
  }
}

Result<void> Follower::receive() {
  ASSIGN_OR_RETURN(const auto text, rankGroup_.broadcastFromFirst({}));
  ASSIGN_OR_RETURN(received_, parseRunMessage(text));
  return {};
}

Result<void> Follower::openDevice() {
  if (config().guard.hang.action == GuardAction::Stop)
    rankGroup_.line().setSilenceLimit(2 * config().guard.hang.minimumSec);
  ASSIGN_OR_RETURN(const auto share, rankGroup_.share());
  ASSIGN_OR_RETURN(devices_, useDevices(config().devices, share));
  return rankGroup_.open(devices_.devices.front());
}

Result<void> Follower::prepareData() {
  NullSink discardedEvents;
  CommandMailbox noCommands;
  ASSIGN_OR_RETURN(data_, prepareLaunchData(received_.config, received_.cacheFolder, discardedEvents, noCommands));
  RETURN_IF_ERROR(checkIdentity(received_, 0, *data_));
  ASSIGN_OR_RETURN(auto ofStages,
                   prepareStageData(received_.config, *data_, received_.cacheFolder, discardedEvents, noCommands));
  for (PreparedData& data : ofStages) {
    RETURN_IF_ERROR(checkIdentity(received_, stages_.size() + 1, data));
    const auto lengths = std::make_shared<DatasetLengths>(data.train);
    stages_.push_back({std::move(data), lengths, {}});
  }
  ASSIGN_OR_RETURN(shape_, parseStoredConfig(received_.modelConfig));
  ASSIGN_OR_RETURN(replicas_, makeReplicas(LaunchModel{shape_, std::nullopt}, config(), devices_));
  if (received_.keepsMicrobatch) return {};
  std::size_t index = 0;
  for (const RunStage& stage : runStages(config()))  // rank 0 sends the outcome with the plan
    RETURN_IF_ERROR(resolveMicrobatch(stage.config, stages_[index++].lengths, devices_, replicas_.front(),
                                      discardedEvents, &rankGroup_));
  return {};
}

Result<void> Follower::restorePlan() {
  const auto input = [&, index = std::size_t{0}](const RunStage&) mutable -> Result<RunPlan::StageInput> {
    if (index >= received_.microbatches.size()) return Error::internal("the rank did not run");
    RunPlan::StageInput made{stages_[index].lengths, {}};
    made.devices.devices = devices_.count();
    made.devices.microbatchUnits = received_.microbatches[index++];
    return made;
  };
  ASSIGN_OR_RETURN(runPlan_, RunPlan::restore(config(), received_.resolved, input));
  for (std::size_t index = 0; index < stages_.size(); ++index) {
    const ResolvedValues values = valuesOfStage(received_.resolved, runPlan_->stages()[index].field);
    ASSIGN_OR_RETURN(stages_[index].intervals, keepIntervals(config(), *runPlan_, index, config(), values));
  }
  return {};
}

Result<void> Follower::train(const LoopState& state) {
  RETURN_IF_ERROR(rankGroup_.ranks().broadcastTensors(replicaTensors(replicas_.front())));
  replicas_.front().model.parametersChanged();
  ASSIGN_OR_RETURN(const auto plan, planOf(*runPlan_, state));
  const TrainConfig& stage = runPlan_->stages()[static_cast<std::size_t>(state.stage)].config;
  const PreparedStage& prepared = stages_[static_cast<std::size_t>(state.stage)];
  enterStage(runPlan_->stages()[static_cast<std::size_t>(state.stage)], received_.resolved, shape_, replicas_);
  NullSink discardedEvents;
  CommandMailbox noCommands;
  RanksSetup setup{.config = config(),
                   .replicas = replicas_,
                   .plan = plan,
                   .data = trainingData(stage, prepared.data),
                   .runData = *data_,
                   .intervals = prepared.intervals,
                   .state = state,
                   .events = discardedEvents,
                   .commands = noCommands,
                   .clock = clock_,
                   .memory = [this] { return memoryOfAll(rankGroup_, devices_); },
                   .lastStage = state.stage + 1 == std::ssize(stages_),
                   .ranks = &rankGroup_.ranks()};
  const RanksResult end = runRanks(std::move(setup));
  return end.end.ok() ? Result<void>() : end.end.error();
}

}  // namespace

Result<RunFinished> followRun(RankGroup& rankGroup, const Clock& clock) {
  Result<RunFinished> end = Error::internal("the rank did not run");
  try {
    end = Follower(rankGroup, clock).run();
  } catch (const std::exception&) {
    end = caughtError({});
  }
  if (!end.ok()) rankGroup.line().abandon(end.error());
  return end;
}

using MemoryFields = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

std::vector<DeviceMemory> memoryOfAll(RankGroup& rankGroup, const DeviceChoice& devices) {
  nlohmann::json own = nlohmann::json::array();
  for (const DeviceMemory& one : deviceMemory(devices))
    own.push_back({one.name, one.allocated, one.reserved, one.peak, one.total, one.driverUsed});
  const Result<std::vector<std::string>> all = rankGroup.line().exchange(own.dump());
  if (!all.ok()) return {};  // the next step fails with the same error
  std::vector<DeviceMemory> memories;
  for (const std::string& text : *all)
    for (const nlohmann::json& one : nlohmann::json::parse(text)) {
      const auto [name, allocated, reserved, peak, total, driverUsed] = one.get<MemoryFields>();
      memories.push_back({name, allocated, reserved, peak, total, driverUsed});
    }
  return memories;
}

std::vector<at::Tensor> replicaTensors(const Replica& replica) {
  std::vector<at::Tensor> all;
  for (const NamedTensor& named : replica.model.parameters()) all.push_back(named.tensor.detach());
  for (const NamedTensor& named : replica.optimizer.stateTensors()) all.push_back(named.tensor);
  return all;
}

}  // namespace batchwise
