// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/config/config_file.h"
#include "core/config/time/run_length.h"
#include "core/run/launch/resolved_values.h"

namespace batchwise {
namespace {

struct Planned {
  TrainConfig config;
  std::optional<RunPlan> plan;
};

/// A run over 400 samples of 10 tokens.
Planned planned(const std::string& yaml) {
  const LoadedConfig loaded = parseConfig("data: {train: [a.txt]}\nscheduler: constant\n" + yaml, "test", {});
  EXPECT_TRUE(loaded.ok()) << loaded.errorText();
  auto plan = RunPlan::resolve(loaded.config, [](const RunStage&) -> Result<RunPlan::StageInput> {
    return RunPlan::StageInput{std::make_shared<EqualLengths>(400, 10), {}};
  });
  EXPECT_TRUE(plan.ok()) << yaml << plan.error().text();
  Planned made{loaded.config, {}};
  if (plan.ok()) made.plan = *plan;
  return made;
}

/// How often the run is evaluated, as the training loop goes through it.
int evaluations(const Planned& run) {
  int count = 0;
  Timestamp now;
  for (std::size_t stage = 0; stage < run.plan->plans().size(); ++stage) {
    now = stageStart(run.plan->stages()[stage], now);
    const Plan plan = run.plan->plans()[stage].startingAt(now);
    const auto intervals = resolveIntervals(run.config, *run.plan, stage);
    EXPECT_TRUE(intervals.ok());
    const auto due =
        IntervalSet::resolve(intervals->at("eval.interval"), plan.runLength(), AtEnd::Fire, "eval.interval");
    while (!plan.finished(now)) {
      const Timestamp before = now;
      const auto batch = plan.globalBatchAt(now);
      EXPECT_TRUE(batch.ok());
      if (!batch.ok()) return -1;
      for (const OptimizerStep& step : batch->steps) now = now.afterStep({step.samples, step.tokens, 0.0}, step.units);
      now = now.afterBatch();
      if (batch->endsEpoch) now = now.afterEpoch();
      const bool ends = plan.finished(now) && stage + 1 == run.plan->plans().size();
      count += due->anyDue(before, now, ends);
    }
  }
  return count;
}

TEST(RunIntervalsTest, TenEvaluationsPerRunAreTen) {
  for (const char* length : {"3ep", "2.5ep", "5ep", "7ep", "11ba", "12ba", "15ba", "19ba", "27ba", "36ba", "81ba",
                             "150ba", "1000sp", "777sp", "9000tok", "20001tok"})
    for (const char* more : {"", "rampup: {duration: 0.3dur, initial_global_train_batch_size: 11}, ",
                             "tokens: {max_tokens: 77}, device_train_microbatch_size: 1, "}) {
      const bool packs = std::string(more).starts_with("tokens");
      const std::string yaml = "max_duration: " + std::string(length) + "\nbatch: {" + more +
                               "global_train_batch_size: " + (packs ? "4" : "35") + "}\n";
      EXPECT_EQ(evaluations(planned(yaml)), 10) << yaml;
    }
}

TEST(RunIntervalsTest, TenEvaluationsOfARunOfStagesAreTen) {
  for (const char* length : {"4ep", "40ba"}) {
    const std::string yaml = "max_duration: " + std::string(length) +
                             "\nbatch: {global_train_batch_size: 35}\nstages: [{until: 0.45dur}, {until: 1dur, batch: "
                             "{global_train_batch_size: 13}, scheduler: {name: constant}}]\n";
    EXPECT_EQ(evaluations(planned(yaml)), 10) << yaml;
  }
}

TEST(RunIntervalsTest, AShortRunIsEvaluatedAfterEachGlobalBatch) {
  EXPECT_EQ(evaluations(planned("max_duration: 7ba\nbatch: {global_train_batch_size: 35}\n")), 7);
}

TEST(RunIntervalsTest, AnIntervalThatIsGivenStaysAsItIs) {
  const Planned run = planned("max_duration: 12ba\neval: {interval: 0.1dur}\nbatch: {global_train_batch_size: 35}\n");
  EXPECT_EQ(resolveIntervals(run.config, *run.plan, 0)->at("eval.interval"), std::vector{Time::of(2, TimeUnit::Batch)});
}

}  // namespace
}  // namespace batchwise
