// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold for every plan, tried on random configurations.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "core/plan/plan.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

struct Scenario {
  TrainConfig config;
  std::shared_ptr<const Lengths> lengths;
  DeviceShape devices;
};

/// Random numbers with names for what they decide.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool chance(int percent) { return between(1, 100) <= percent; }

 private:
  std::mt19937_64 random_;
};

Time randomEnd(Dice& dice, std::int64_t samples, std::int64_t batch) {
  switch (dice.between(0, 4)) {
    case 0: return Time::of(dice.between(1, 4), TimeUnit::Epoch);
    case 1: return Time::of(dice.between(1, 3 * samples / batch + 2), TimeUnit::Batch);
    case 2: return Time::of(dice.between(1, 3 * samples), TimeUnit::Sample);
    case 3: return Time::of(dice.between(1, 30 * samples), TimeUnit::Token);
    default: return Time::epochs(1.0 + 0.25 * static_cast<double>(dice.between(0, 8)));
  }
}

void addRamp(Dice& dice, RampupConfig& ramp, std::int64_t batch) {
  ramp.initialGlobalTrainBatchSize = dice.between(1, batch);
  if (dice.chance(30)) {
    ramp.growth = RampGrowth::Linear;
    ramp.increment = dice.between(1, batch);
  }
  switch (dice.between(0, 3)) {
    case 0: ramp.duration = Time::of(dice.between(0, 40), TimeUnit::Batch); break;
    case 1: ramp.duration = Time::of(dice.between(1, 400), TimeUnit::Sample); break;
    case 2: ramp.duration = Time::of(dice.between(1, 4000), TimeUnit::Token); break;
    default: ramp.duration = Time::duration(0.1 * static_cast<double>(dice.between(1, 12)));
  }
}

void addBudget(Dice& dice, TokenBudgetConfig& tokens) {
  tokens.maxTokens = dice.between(15, 100);
  tokens.sequencePickingOrder = dice.chance(40)   ? PickingOrder::DataLoader
                                : dice.chance(50) ? PickingOrder::Random
                                                  : PickingOrder::BySize;
  if (dice.chance(30)) tokens.maxBatchSize = dice.between(1, 6);
  if (dice.chance(30))
    tokens.packing = PackMethod::BestFit;
  else
    tokens.requiredMicrobatchesOfSameSize = dice.chance(25);
  if (dice.chance(20)) tokens.count = PackCount::Padded;
  if (dice.chance(20)) {
    tokens.minBatchSize = tokens.maxBatchSize ? 1 : 2;
    tokens.onSmallPack = SmallPacks::Discard;
  }
}

Scenario randomScenario(std::uint64_t seed) {
  Dice dice(seed);
  Scenario scenario;
  TrainConfig& config = scenario.config;
  const std::int64_t samples = dice.between(1, 300);
  std::vector<std::uint32_t> lengths;
  for (std::int64_t sample = 0; sample < samples; ++sample)
    lengths.push_back(static_cast<std::uint32_t>(dice.between(1, 20)));
  if (dice.chance(30))
    scenario.lengths = std::make_shared<EqualLengths>(samples, 10);
  else
    scenario.lengths = std::make_shared<ListedLengths>(std::move(lengths));
  config.seed = static_cast<std::int64_t>(seed);
  config.data.shuffle = dice.chance(70);
  config.scheduler.name = "constant_with_warmup";
  config.batch.globalTrainBatchSize = dice.between(1, 40);
  config.batch.deviceTrainMicrobatchSize = dice.between(1, 10);
  config.maxDuration = randomEnd(dice, samples, config.batch.globalTrainBatchSize);
  if (dice.chance(60)) addRamp(dice, config.batch.rampup, config.batch.globalTrainBatchSize);
  if (dice.chance(40)) addBudget(dice, config.batch.tokens);
  if (dice.chance(30)) {
    config.batch.growth.increaseFunction = "epoch % 2 == 0 ? current_batch_size * 2 : current_batch_size + 3";
    config.batch.growth.bound = dice.chance(50) ? GrowthBound::None : GrowthBound::DeviceMaximum;
    if (dice.chance(30)) config.batch.growth.every = Time::of(dice.between(5, 20), TimeUnit::Batch);
  }
  if (dice.chance(50)) {
    config.lrScaling.method = dice.chance(50) ? LrScalingMethod::Linear : LrScalingMethod::Sqrt;
    config.lrScaling.referenceBatchSize = dice.between(1, 64);
    if (dice.chance(50))
      config.lrScaling.appliesTo = {StepSizeCause::Tokens, StepSizeCause::Growth, StepSizeCause::Rampup,
                                    StepSizeCause::Last};
  }
  scenario.devices.devices = dice.between(1, 5);
  return scenario;
}

Result<Plan> planOf(const Scenario& scenario) {
  return Plan::resolve(scenario.config, scenario.lengths, scenario.devices);
}

/// One global batch of a walk: where it began and what it was.
struct Walked {
  Timestamp start;
  GlobalBatch batch;
  GrowthState growth;
};

Timestamp after(const Timestamp& now, const OptimizerStep& step) {
  return now.afterStep({step.samples, step.tokens, 0.0}, step.units);
}

/// Trains the plan without training.
std::vector<Walked> walk(const Plan& plan) {
  std::vector<Walked> rows;
  Timestamp now;
  GrowthState growth = plan.initialGrowth();
  while (!plan.finished(now) && rows.size() < 20'000) {
    if (plan.growthDue(now, growth)) growth = plan.grow(now, growth, {})->state;
    auto batch = plan.globalBatchAt(now, growth);
    if (!batch) {
      ADD_FAILURE() << batch.error().text();
      return rows;
    }
    rows.push_back({now, *batch, growth});
    for (const OptimizerStep& step : batch->steps) now = after(now, step);
    now = now.afterBatch();
    if (batch->endsEpoch) now = now.afterEpoch();
  }
  return rows;
}

void expectSameBatch(const GlobalBatch& left, const GlobalBatch& right) {
  EXPECT_EQ(left.batch, right.batch);
  EXPECT_EQ(left.epoch, right.epoch);
  EXPECT_EQ(left.endsEpoch, right.endsEpoch);
  EXPECT_EQ(left.scheduleFactor, right.scheduleFactor);
  ASSERT_EQ(left.steps.size(), right.steps.size());
  for (std::size_t step = 0; step < left.steps.size(); ++step) {
    EXPECT_EQ(left.steps[step].firstUnit, right.steps[step].firstUnit);
    EXPECT_EQ(left.steps[step].firstSample, right.steps[step].firstSample);
    EXPECT_EQ(left.steps[step].units, right.steps[step].units);
    EXPECT_EQ(left.steps[step].samples, right.steps[step].samples);
    EXPECT_EQ(left.steps[step].tokens, right.steps[step].tokens);
    EXPECT_EQ(left.steps[step].learningRate, right.steps[step].learningRate);
  }
}

class PlanPropertyTest : public testing::Test {
 protected:
  /// Calls `check` with plans of random configurations; those that cannot be planned are counted, not checked.
  template <typename Check>
  void forRandomPlans(Check check) {
    int planned = 0;
    const int rounds = test::repeats(300, 5000);
    for (int round = 1; round <= rounds; ++round) {
      SCOPED_TRACE("seed " + std::to_string(round));
      const Scenario scenario = randomScenario(static_cast<std::uint64_t>(round));
      const auto plan = planOf(scenario);
      if (!plan) {
        // Only lengths against budget, and a run of less than one batch, may have been drawn so that there is no plan.
        EXPECT_TRUE(plan.error().field.starts_with("batch.tokens.m") || plan.error().field == "max_duration")
            << plan.error().text();
        continue;
      }
      ++planned;
      check(scenario, *plan);
      if (HasFailure()) return;
    }
    EXPECT_GT(planned, rounds * 8 / 10);
  }
};

TEST_F(PlanPropertyTest, EverySampleComesOncePerEpoch) {
  forRandomPlans([](const Scenario& scenario, const Plan& plan) {
    std::map<std::int64_t, std::map<std::int64_t, int>> seen;
    std::map<std::int64_t, bool> whole;
    for (const Walked& row : walk(plan)) {
      std::int64_t samples = 0;
      std::int64_t tokens = 0;
      for (const OptimizerStep& step : row.batch.steps) {
        const auto units = test::checked(plan.unitsOf(row.batch.epoch, step));
        for (const auto& unit : *units)
          for (const std::int64_t sample : unit) {
            ++seen[row.batch.epoch][sample];
            ++samples;
            tokens += scenario.lengths->at(sample);
          }
        EXPECT_EQ(static_cast<std::int64_t>(units->size()), step.units);
      }
      std::int64_t planned = 0;
      std::int64_t plannedTokens = 0;
      for (const OptimizerStep& step : row.batch.steps) {
        planned += step.samples;
        plannedTokens += step.tokens;
      }
      EXPECT_EQ(samples, planned);
      EXPECT_EQ(tokens, plannedTokens);
      if (row.batch.endsEpoch) whole[row.batch.epoch] = true;
    }
    for (const auto& [epoch, counts] : seen) {
      for (const auto& [sample, count] : counts) EXPECT_EQ(count, 1) << "sample " << sample;
      if (!whole[epoch]) continue;
      const auto skipped = plan.skipped(epoch).size();
      EXPECT_EQ(static_cast<std::int64_t>(counts.size() + skipped), scenario.lengths->size()) << "epoch " << epoch;
    }
  });
}

TEST_F(PlanPropertyTest, StepsHaveTheSizeShownAndRowsPartitionTheRun) {
  forRandomPlans([](const Scenario&, const Plan& plan) {
    const auto rows = walk(plan);
    const auto& stages = plan.ranges();
    std::vector<std::int64_t> steps(stages.size(), 0);
    std::size_t stage = 0;
    Timestamp now;
    for (const Walked& row : rows) {
      EXPECT_EQ(row.start, now);
      while (stage + 1 < stages.size() && stages[stage + 1].fromBatch <= row.batch.batch) ++stage;
      const bool cut = row.batch.endsEpoch || row.batch.endsRun;
      EXPECT_TRUE(static_cast<std::int64_t>(row.batch.steps.size()) == stages[stage].steps || cut);
      for (std::size_t step = 0; step < row.batch.steps.size(); ++step) {
        const bool last = step + 1 == row.batch.steps.size();
        EXPECT_TRUE(row.batch.steps[step].units == stages[stage].stepUnits ||
                    (last && cut && row.batch.steps[step].units < stages[stage].stepUnits));
        now = after(now, row.batch.steps[step]);
      }
      steps[stage] += static_cast<std::int64_t>(row.batch.steps.size());
      now = now.afterBatch();
      if (row.batch.endsEpoch) now = now.afterEpoch();
    }
    for (std::size_t index = 0; index < stage; ++index) EXPECT_EQ(stages[index].optimizerSteps, steps[index]);
    for (std::size_t index = 0; index < stages.size(); ++index)
      EXPECT_EQ(stages[index].reached, stages[index].fromBatch < static_cast<std::int64_t>(rows.size()));
    const Plan::Totals totals = plan.totals();
    EXPECT_EQ(totals.batches, now.batch);
    EXPECT_EQ(totals.steps, now.step);
    EXPECT_EQ(totals.samples, now.sample);
    EXPECT_EQ(totals.tokens, now.token);
    EXPECT_TRUE(rows.back().batch.endsRun);
  });
}

TEST_F(PlanPropertyTest, ThePlanAtAPlaceIsThePlanWalkedToIt) {
  forRandomPlans([](const Scenario&, const Plan& plan) {
    const auto rows = walk(plan);
    for (std::size_t index = 0; index < rows.size(); index += 1 + rows.size() / 12) {
      const Walked& row = rows[index];
      const auto point = test::checked(plan.pointAt(Time::of(row.start.batch, TimeUnit::Batch)));
      EXPECT_EQ(point->at, row.start);
      EXPECT_EQ(point->learningRate, row.batch.steps.back().learningRate);
      Timestamp inside = row.start;
      for (const OptimizerStep& step : row.batch.steps) {
        const auto again = test::checked(plan.globalBatchAt(inside, row.growth));
        expectSameBatch(*again, row.batch);
        inside = after(inside, step);
      }
      for (const TimeUnit unit : {TimeUnit::Sample, TimeUnit::Token}) {
        const std::int64_t clock = unit == TimeUnit::Sample ? row.start.sample : row.start.token;
        EXPECT_EQ(plan.pointAt(Time::of(clock, unit))->at.batch, row.start.batch);
      }
    }
  });
}

TEST_F(PlanPropertyTest, DevicesMicrobatchAndResumesChangeNoStep) {
  forRandomPlans([](const Scenario& scenario, const Plan& plan) {
    if (scenario.config.batch.growth.enabled() && scenario.config.batch.growth.bound != GrowthBound::None) return;
    DeviceShape other{.devices = scenario.devices.devices % 3 + 1, .microbatchUnits = 3};
    const auto restored = test::checked(Plan::restore(scenario.config, plan.resolved(), scenario.lengths, other));
    const Plan halved = plan.withMicrobatch(1);
    const auto rows = walk(plan);
    for (std::size_t index = 0; index < rows.size(); index += 1 + rows.size() / 8) {
      for (const Plan* same : {&*restored, &halved}) {
        const auto batch = test::checked(same->globalBatchAt(rows[index].start, rows[index].growth));
        expectSameBatch(*batch, rows[index].batch);
        EXPECT_EQ(*same->unitsOf(batch->epoch, batch->steps[0]), *plan.unitsOf(batch->epoch, batch->steps[0]));
      }
    }
  });
}

TEST_F(PlanPropertyTest, MicroBatchesPartitionAStepAndFit) {
  forRandomPlans([](const Scenario&, const Plan& plan) {
    const auto batch = test::checked(plan.globalBatchAt({}, plan.initialGrowth()));
    const OptimizerStep& step = batch->steps.front();
    std::int64_t next = 0;
    std::size_t passes = 0;
    std::int64_t least = step.units;
    std::int64_t most = 0;
    for (std::int64_t device = 0; device < plan.devices(); ++device) {
      const auto ranges = plan.microBatchesOf(step, device);
      if (device == 0) passes = ranges.size();
      EXPECT_EQ(ranges.size(), passes);
      std::int64_t mine = 0;
      for (const auto& range : ranges) {
        EXPECT_EQ(range.firstUnit, next);
        EXPECT_LE(range.units, plan.microbatchUnits());
        next += range.units;
        mine += range.units;
      }
      least = std::min(least, mine);
      most = std::max(most, mine);
    }
    EXPECT_EQ(next, step.units);
    EXPECT_LE(most - least, 1);
  });
}

}  // namespace
}  // namespace batchwise
