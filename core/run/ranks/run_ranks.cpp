// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/run_ranks.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/config/default_values.h"
#include "core/dist/nccl_communicator.h"
#include "core/dist/thread_group.h"
#include "core/train/device_memory.h"
#include "core/train/guards.h"

namespace batchwise {
namespace {

RanksResult runRank(const RanksSetup& setup, Communicator& ranks, Replica& replica) {
  NullSink discardedEvents;
  const bool first = ranks.rank() == 0;
  EventSink& events = first ? setup.events : static_cast<EventSink&>(discardedEvents);
  TrainLoop loop(setup.plan, setup.data, setup.state,
                 {.replica = replica,
                  .ranks = ranks,
                  .events = events,
                  .commands = first ? &setup.commands : nullptr,
                  .clock = setup.clock,
                  .callbacks = setup.callbacks(ranks.rank()),
                  .measureNoise = setup.measureNoise,
                  .blockedReason = first ? setup.blockedReason : nullptr,
                  .measureLogits = setup.measureLogits,
                  .measureUpdates = setup.measureUpdates,
                  .monitor = first ? setup.monitor : nullptr,
                  .timeReserve = first ? setup.timeReserve : nullptr,
                  .lastStage = setup.lastStage});
  Result<LoopEnd> end = loop.run();
  return {std::move(end), loop.state()};
}

Result<std::unique_ptr<Communicator>> communicatorOf(ThreadGroup& group, std::int64_t rank, c10::Device device) {
  if (device.is_cpu()) return group.communicator(rank);
  auto made = makeNcclCommunicator(device, group.line(rank));
  if (!made.ok()) group.line(rank)->abandon(made.error());
  return made;
}

// Runs one thread per further rank.
RanksResult runInThreads(const RanksSetup& setup) {
  ThreadGroup group(std::ssize(setup.replicas));
  const auto train = [&](std::int64_t rank) -> RanksResult {
    Replica& replica = setup.replicas[static_cast<std::size_t>(rank)];
    const c10::Device device = replica.model.device();
    const Result<std::unique_ptr<Communicator>> ranks = communicatorOf(group, rank, device);
    if (!ranks.ok()) return {ranks.error(), setup.state};
    const HostDeviceScope charged(device.is_cpu() ? rank : 0);
    return runRank(setup, **ranks, replica);
  };
  std::vector<std::jthread> others;
  for (std::int64_t rank = 1; rank < std::ssize(setup.replicas); ++rank)
    others.emplace_back(
        [&train, rank] { train(rank); });  // an error was reported to the group and becomes rank 0's too
  return train(0);
}

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
  return {samples, masksFor(config, data, config.eval.mlmProbability), static_cast<std::uint64_t>(config.eval.seed), 0};
}

}  // namespace

Result<std::vector<std::unique_ptr<Callback>>> rankCallbacks(CallbackDependencies sources) {
  const TrainConfig& config = sources.config;
  const auto every = [&sources](const char* field) {
    return IntervalSet::resolve(sources.intervals.at(field), sources.plan.runLength(), AtEnd::Fire, field);
  };
  const auto log = every("log.interval");
  const auto eval = every("eval.interval");
  const auto checkpoint = every("checkpoint.interval");
  for (const auto* interval : {&log, &eval, &checkpoint})
    if (!interval->ok()) return interval->error();
  std::vector<std::unique_ptr<Callback>> all;
  all.push_back(std::make_unique<MetricsLog>(
      *log, config.log.everyStep ? MetricsLog::Steps::PerStep : MetricsLog::Steps::PerBatch, sources.batchStart,
      std::move(sources.memory)));
  if (sources.firstLoss) all.push_back(std::move(sources.firstLoss));
  all.push_back(std::make_unique<NanGuard>(config.guard, config.precision == Precision::Fp16));
  all.push_back(std::make_unique<Guards>(config.guard));
  if (sources.data.hasEvaluation())
    all.push_back(std::make_unique<EvaluateEvery>(*eval, evaluationSets(config, sources.data), config));
  all.push_back(std::make_unique<CheckpointEvery>(*checkpoint, sources.saver, std::move(sources.origin)));
  return all;
}

TrainingData trainingData(const TrainConfig& config, const PreparedData& data) {
  MaskSpec masks = masksFor(config, data, config.data.mlmProbability);
  if (config.data.maskUnit == MaskUnit::WholeWords)
    masks.words = std::make_shared<const WordTable>(WordTable::of(data.tokenizer.vocabulary()));
  return {data.train, std::move(masks), static_cast<std::uint64_t>(config.seed),
          config.batch.tokens.maxTokens.value_or(0)};
}

TrainingData evaluationData(const TrainConfig& config, const PreparedData& data) {
  return evaluationDataOf(config, data, data.eval.value());
}

std::vector<EvaluationSet> evaluationSets(const TrainConfig& config, const PreparedData& data) {
  std::vector<EvaluationSet> sets;
  const bool named = !data.evalSets.empty();
  if (data.eval) sets.push_back({named ? defaultEvalSetName(config) : "", 1.0, evaluationData(config, data)});
  for (const NamedDataset& set : data.evalSets) {
    const auto given = std::ranges::find(config.eval.sets, set.name, &EvalSetConfig::name);
    const double weight = given == config.eval.sets.end() ? 1.0 : given->weight;
    sets.push_back({set.name, weight, evaluationDataOf(config, data, set.samples)});
  }
  return sets;
}

bool measuresNoise(const TrainConfig& config) {
  const auto mentions = [](const std::string& function) { return function.find("noise_scale") != std::string::npos; };
  return config.log.noiseScale || mentions(config.batch.growth.increaseFunction) ||
         mentions(config.batch.growth.batchIncreaseFunction);
}

RanksResult runRanks(const RanksSetup& setup) {
  if (setup.ranks != nullptr) return runRank(setup, *setup.ranks, setup.replicas.front());
  if (setup.replicas.size() > 1) return runInThreads(setup);
  SingleCommunicator alone;
  return runRank(setup, alone, setup.replicas.front());
}

}  // namespace batchwise
