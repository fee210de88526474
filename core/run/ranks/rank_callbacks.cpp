// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/rank_callbacks.h"

#include <utility>

#include "core/train/evaluate_every.h"
#include "core/train/guards.h"
#include "core/train/nan_guard.h"

namespace batchwise {

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
  all.push_back(std::make_unique<NanGuard>(config.guard, config.precision == "fp16"));
  all.push_back(std::make_unique<Guards>(config.guard));
  if (sources.data.eval)
    all.push_back(
        std::make_unique<EvaluateEvery>(*eval, trainingData(config, sources.data, *sources.data.eval), config));
  all.push_back(std::make_unique<CheckpointEvery>(*checkpoint, sources.saver, std::move(sources.origin)));
  return all;
}

TrainingData trainingData(const TrainConfig& config, const PreparedData& data, const TokenDataset& samples) {
  return {samples, MaskSpec::of(data.tokenizer.vocabulary(), config.data.mlmProbability),
          static_cast<std::uint64_t>(config.seed), config.batch.tokens.maxTokens.value_or(0)};
}

bool measuresNoise(const TrainConfig& config) {
  const auto mentions = [](const std::string& function) { return function.find("noise_scale") != std::string::npos; };
  return config.log.noiseScale || mentions(config.batch.growth.increaseFunction) ||
         mentions(config.batch.growth.batchIncreaseFunction);
}

}  // namespace batchwise
