// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/rank_follower.h"

#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "core/base/result.h"
#include "core/run/launch/launch_data.h"
#include "core/run/messages.h"
#include "core/run/ranks/rank_messages.h"
#include "core/run/ranks/run_ranks.h"
#include "core/run/session/launch_model.h"
#include "core/run/session/microbatch.h"
#include "core/train/caught_error.h"
#include "core/train/guards.h"

namespace batchwise {
namespace {

class Follower {
 public:
  Follower(RankGroup& rankGroup, const Clock& clock) : rankGroup_(rankGroup), clock_(clock) {}

  Result<RunFinished> run();

 private:
  Result<void> receiveSetup();
  Result<void> receiveData();
  Result<void> receivePlan();
  Result<void> train(LoopState state);
  const TrainConfig& config() const { return config_.config; }

  RankGroup& rankGroup_;
  const Clock& clock_;
  LoadedConfig config_;
  std::filesystem::path cacheFolder_;
  DeviceChoice devices_;
  std::optional<PreparedData> data_;
  std::shared_ptr<const Lengths> lengths_;
  std::vector<Replica> replicas_;
  std::optional<Plan> plan_;
  RunIntervals intervals_;
};

Result<RunFinished> Follower::run() {
  using Step = Result<void> (Follower::*)();
  for (const Step step : {&Follower::receiveSetup, &Follower::receiveData, &Follower::receivePlan})
    RETURN_IF_ERROR((this->*step)());
  for (;;) {
    ASSIGN_OR_RETURN(const auto text, rankGroup_.broadcastFromFirst({}));
    ASSIGN_OR_RETURN(auto segment, parseSegmentMessage(text));
    if (!segment.state) return segment.finished;
    RETURN_IF_ERROR(train(std::move(*segment.state)));
  }
}

Result<void> Follower::receiveSetup() {
  ASSIGN_OR_RETURN(const auto text, rankGroup_.broadcastFromFirst({}));
  ASSIGN_OR_RETURN(auto start, parseSetupMessage(text));
  config_ = std::move(start.config);
  cacheFolder_ = std::move(start.cacheFolder);
  if (config().guard.hang.action == GuardAction::Stop)
    rankGroup_.channel().setSilenceLimit(2 * config().guard.hang.minimumSec);
  ASSIGN_OR_RETURN(const auto share, rankGroup_.share());
  ASSIGN_OR_RETURN(devices_, useDevices(config().devices, share));
  return rankGroup_.open(devices_.devices.front());
}

Result<void> Follower::receiveData() {
  ASSIGN_OR_RETURN(const auto text, rankGroup_.broadcastFromFirst({}));
  ASSIGN_OR_RETURN(const auto received, parseDataMessage(text));
  config_.config = received.config;
  NullSink discardedEvents;
  CommandMailbox noCommands;
  ASSIGN_OR_RETURN(data_, prepareLaunchData(config_, cacheFolder_, discardedEvents, noCommands));
  if (data_->train.identity().hex() != received.trainIdentity)
    return Error::config(messages::rankTrainingDataDiffers());
  lengths_ = std::make_shared<DatasetLengths>(data_->train);
  ASSIGN_OR_RETURN(const auto shape, parseHuggingFaceConfig(received.modelConfig));
  ASSIGN_OR_RETURN(replicas_, makeReplicas(LaunchModel{shape, std::nullopt}, config(), devices_));
  if (received.keptMicrobatch > 0) return {};
  ASSIGN_OR_RETURN(const auto micro,
                   resolveMicrobatch(config(), lengths_, devices_, replicas_.front(), discardedEvents));
  for (const std::int64_t own : {micro.units, micro.largest}) RETURN_IF_ERROR(rankGroup_.smallest(own));
  return {};
}

Result<void> Follower::receivePlan() {
  ASSIGN_OR_RETURN(const auto text, rankGroup_.broadcastFromFirst({}));
  ASSIGN_OR_RETURN(const auto received, parsePlanMessage(text));
  config_.config = received.config;
  DeviceShape shape;
  shape.devices = devices_.count();
  shape.microbatchUnits = received.microbatch;
  ASSIGN_OR_RETURN(plan_, Plan::restore(config(), received.resolved, lengths_, shape));
  ASSIGN_OR_RETURN(intervals_, keepIntervals(config(), plan_->runLength(), config(), received.resolved));
  return {};
}

Result<void> Follower::train(LoopState state) {
  RETURN_IF_ERROR(rankGroup_.ranks().broadcastTensors(replicaTensors(replicas_.front())));
  replicas_.front().model.parametersChanged();
  if (state.microbatchUnits != plan_->microbatchUnits()) plan_ = plan_->withMicrobatch(state.microbatchUnits);
  auto callbacks = rankCallbacks({.config = config(),
                                  .plan = *plan_,
                                  .intervals = intervals_,
                                  .data = *data_,
                                  .batchStart = state.batchStart,
                                  .memory = [this] { return memoryOfAll(rankGroup_, devices_); },
                                  .firstLoss = nullptr,
                                  .saver = nullptr,
                                  .origin = {}});
  if (!callbacks.ok()) return callbacks.error();
  NullSink discardedEvents;
  CommandMailbox noCommands;
  const RanksSetup setup{.replicas = replicas_,
                         .plan = *plan_,
                         .data = trainingData(config(), *data_),
                         .state = std::move(state),
                         .callbacks = [&](std::int64_t) { return std::move(*callbacks); },
                         .events = discardedEvents,
                         .commands = noCommands,
                         .clock = clock_,
                         .measureNoise = measuresNoise(config()),
                         .measureLogits = measuresLogits(config().guard),
                         .measureUpdates = measuresUpdates(config().guard),
                         .ranks = &rankGroup_.ranks()};
  const RanksResult end = runRanks(setup);
  return end.end.ok() ? Result<void>() : end.end.error();
}

}  // namespace

Result<RunFinished> followRun(RankGroup& rankGroup, const Clock& clock) {
  Result<RunFinished> end = Error::internal(messages::rankDidNotRun());
  try {
    end = Follower(rankGroup, clock).run();
  } catch (const std::exception&) {
    end = caughtError({});
  }
  if (!end.ok()) rankGroup.channel().abandon(end.error());
  return end;
}

using MemoryFields = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

std::vector<DeviceMemory> memoryOfAll(RankGroup& rankGroup, const DeviceChoice& devices) {
  nlohmann::json own = nlohmann::json::array();
  for (const DeviceMemory& one : deviceMemory(devices))
    own.push_back({one.name, one.allocated, one.reserved, one.peak, one.total, one.driverUsed});
  const Result<std::vector<std::string>> all = rankGroup.channel().exchange(own.dump());
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
