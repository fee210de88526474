// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/run_ranks.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/config/default_values.h"
#include "core/config/run_stages.h"
#include "core/dist/nccl_communicator.h"
#include "core/dist/thread_group.h"
#include "core/train/device_memory.h"
#include "core/train/guard_actions.h"

namespace batchwise {
namespace {

// Single tokens are masked; sequences that join documents have their separators.
MaskSpec masksFor(const TrainConfig& config, const PreparedData& data, double probability) {
  const Vocabulary& vocabulary = data.tokenizer.vocabulary();
  MaskSpec masks = MaskSpec::of(vocabulary, probability);
  if (config.data.joinDocuments && config.data.documentSeparator)
    masks.joined =
        JoinedDocuments{vocabulary.special().cls, vocabulary.special().sep, config.data.attentionAcrossDocuments};
  return masks;
}

TrainingData evaluationDataOf(const TrainConfig& config, const PreparedData& data, const TokenDataset& samples) {
  TrainingData eval{samples, masksFor(config, data, config.eval.mlmProbability),
                    static_cast<std::uint64_t>(config.eval.seed)};
  eval.bytes = std::make_shared<const TextBytes>(data.tokenizer, samples);
  return eval;
}

// How the gradient noise scale is measured: also where only a batch growth function or a guard needs it.
NoiseScaleMode noiseModeOf(const TrainConfig& config) {
  const std::string function = growthExpression(config.batch.growth, 1);
  const auto mentions = [&](const char* name) { return function.find(name) != std::string::npos; };
  const LimitGuardConfig& guard = config.guard.gradNorm;
  const bool needed =
      mentions("noise_") || mentions("gradient_sq") || (guard.scaleWithBatch && guard.action != GuardAction::Off);
  return config.log.noiseScale == NoiseScaleMode::Off && needed ? NoiseScaleMode::Auto : config.log.noiseScale;
}

using TaskProbes = std::vector<std::unique_ptr<TaskProbe>>;
TaskProbes probesOf(const RanksSetup& setup) {
  const std::int64_t longest =
      std::min(longestSequence(setup.config), setup.replicas.front().model.shape().maxPositions);
  TaskProbes probes;
  for (const auto& task : setup.tasks)
    probes.push_back(std::make_unique<TaskProbe>(task, setup.runData.tokenizer, longest));
  return probes;
}

using Callbacks = std::vector<std::unique_ptr<Callback>>;

// Creates the callbacks of a rank, in order; the same on every rank, because some of them use collectives. `first`: of
// this process.
Result<Callbacks> rankCallbacks(RanksSetup& setup, bool first) {
  const TrainConfig& config = setup.config;
  const auto every = [&](const char* field) {
    return IntervalSet::resolve(setup.intervals.at(field), setup.plan.runLength(), AtEnd::Fire, field);
  };
  ASSIGN_OR_RETURN(const auto log, every("log.interval"));
  ASSIGN_OR_RETURN(const auto eval, every("eval.interval"));
  ASSIGN_OR_RETURN(const auto checkpoint, every("checkpoint.interval"));
  Callbacks all;
  all.push_back(std::make_unique<MetricsLog>(
      log, config.log.everyStep ? MetricsLog::Steps::PerStep : MetricsLog::Steps::PerBatch, setup.state.batchStart,
      first ? setup.memory : [](const Timestamp&) { return std::vector<DeviceMemory>(); },
      first ? setup.alerts : nullptr));
  if (first && setup.firstLoss) all.push_back(std::move(setup.firstLoss));
  all.push_back(std::make_unique<NanGuard>(config.guard, config.precision == Precision::Fp16));
  all.push_back(std::make_unique<Guards>(config.guard));
  if (setup.runData.hasEvaluation())
    all.push_back(std::make_unique<EvaluateEvery>(eval, evaluationSets(config, setup.runData), config,
                                                  first ? probesOf(setup) : TaskProbes()));
  all.push_back(std::make_unique<CheckpointEvery>(checkpoint, first ? setup.saver : nullptr, setup.origin));
  return all;
}

Result<IntervalSet> stopOf(const RanksSetup& setup) {
  const auto& at = setup.config.launch.stopAt;
  return at ? IntervalSet::resolve({*at}, setup.plan.runLength(), AtEnd::Silent, "launch.stop_at") : IntervalSet();
}

RanksResult runRank(RanksSetup& setup, Communicator& ranks, Replica& replica, Callbacks callbacks) {
  NullSink discardedEvents;
  const bool first = ranks.rank() == 0;
  TrainLoop loop(setup.plan, setup.data, setup.state,
                 {.replica = replica,
                  .ranks = ranks,
                  .events = first ? setup.events : discardedEvents,
                  .commands = first ? &setup.commands : nullptr,
                  .clock = setup.clock,
                  .callbacks = std::move(callbacks),
                  .noise = noiseModeOf(setup.config),
                  .noiseHalfLife = setup.config.log.noiseHalfLife ? setup.config.log.noiseHalfLife->number() : 0,
                  .blockedReason = first ? setup.blockedReason : nullptr,
                  .measureLogits = setup.config.guard.attentionLogit.action != GuardAction::Off,
                  .measureUpdates = setup.config.guard.updateRatio.action != GuardAction::Off,
                  .monitor = first ? setup.monitor : nullptr,
                  .timeReserve = first ? setup.timeReserve : nullptr,
                  .lastStage = setup.lastStage,
                  .stopAt = setup.stopAt});
  Result<LoopEnd> end = loop.run();
  return {std::move(end), loop.state()};
}

Result<std::unique_ptr<Communicator>> communicatorOf(ThreadGroup& group, std::int64_t rank, c10::Device device) {
  if (device.is_cpu()) return group.communicator(rank);
  auto made = makeNcclCommunicator(device, group.line(rank), group.store());
  if (!made.ok()) group.line(rank)->abandon(made.error());
  return made;
}

// Runs one thread per further rank.
RanksResult runInThreads(RanksSetup& setup, std::vector<Callbacks>& callbacks) {
  ThreadGroup group(std::ssize(setup.replicas));
  const auto train = [&](std::int64_t rank) -> RanksResult {
    const auto index = static_cast<std::size_t>(rank);
    const c10::Device device = setup.replicas[index].model.device();
    const Result<std::unique_ptr<Communicator>> ranks = communicatorOf(group, rank, device);
    if (!ranks.ok()) return {ranks.error(), setup.state};
    const ChargeAllocationsTo charged(device.is_cpu() ? rank : 0);
    return runRank(setup, **ranks, setup.replicas[index], std::move(callbacks[index]));
  };
  std::vector<std::jthread> others;
  for (std::int64_t rank = 1; rank < std::ssize(setup.replicas); ++rank)
    others.emplace_back(
        [&train, rank] { train(rank); });  // an error was reported to the group and becomes rank 0's too
  return train(0);
}

}  // namespace

TrainingData trainingData(const TrainConfig& config, const PreparedData& data) {
  MaskSpec masks = masksFor(config, data, config.data.mlmProbability);
  if (config.data.maskUnit == MaskUnit::WholeWords)
    masks.words = std::make_shared<const WordTable>(WordTable::of(data.tokenizer.vocabulary()));
  std::vector<std::string> sources;
  for (const SourceShare& source : data.sources) sources.push_back(source.name);
  return {data.train, std::move(masks), static_cast<std::uint64_t>(config.seed),
          config.batch.tokens.maxTokens.value_or(0), std::move(sources)};
}

std::vector<EvaluationSet> evaluationSets(const TrainConfig& config, const PreparedData& data) {
  std::vector<EvaluationSet> sets;
  const bool named = !data.evalSets.empty();
  if (data.eval)
    sets.push_back({named ? defaultEvalSetName(config) : "", 1.0, evaluationDataOf(config, data, *data.eval)});
  for (const NamedDataset& set : data.evalSets) {
    const auto given = std::ranges::find(config.eval.sets, set.name, &EvalSetConfig::name);
    const double weight = given == config.eval.sets.end() ? 1.0 : given->weight;
    sets.push_back({set.name, weight, evaluationDataOf(config, data, set.samples)});
  }
  return sets;
}

RanksResult runRanks(RanksSetup setup) {
  std::vector<Callbacks> callbacks;
  while (callbacks.size() < setup.replicas.size()) {
    Result<Callbacks> made = rankCallbacks(setup, callbacks.empty());
    if (!made.ok()) return {made.error(), setup.state};
    callbacks.push_back(std::move(*made));
  }
  const auto stopAt = stopOf(setup);
  if (!stopAt.ok()) return {stopAt.error(), setup.state};
  setup.stopAt = *stopAt;
  if (callbacks.size() > 1) return runInThreads(setup, callbacks);
  SingleCommunicator alone;
  Communicator& ranks = setup.ranks != nullptr ? *setup.ranks : alone;
  return runRank(setup, ranks, setup.replicas.front(), std::move(callbacks.front()));
}

}  // namespace batchwise
