// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/schedule/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/message_texts.h"

namespace batchwise {
namespace {

Timestamp batch(std::int64_t count) {
  Timestamp now;
  now.batch = count;
  now.sample = count * 32;
  now.token = count * 320;
  return now;
}

ScheduleRun runOf(const char* maxDuration) {
  ScheduleRun run;
  run.length = {Time::parse(maxDuration).value(), 640, 20};
  run.samplesPerBatch = 32;
  run.tokensPerBatch = 320;
  return run;
}

struct Made {
  Result<Schedule> schedule;
  std::vector<std::string> notes;
};

Made make(const SchedulerConfig& config, const ScheduleRun& run) {
  std::vector<FieldProblem> notes;
  const auto resolved = resolveSchedule(config, run, notes);
  if (!resolved) return {resolved.error(), test::textsOf(notes)};
  return {Schedule::make(*resolved, {1.0, run.samplesPerBatch, run.tokensPerBatch}), test::textsOf(notes)};
}

std::string refusal(const SchedulerConfig& config, const char* maxDuration) {
  const auto made = make(config, runOf(maxDuration));
  return made.schedule ? "" : made.schedule.error().text();
}

TEST(ScheduleTest, WarmupFromOneWastesNoBatch) {
  SchedulerConfig config;
  config.warmupFrom = WarmupStart::One;
  for (const char* warmup : {"4ba", "128sp", "1280tok"}) {
    config.tWarmup = Time::parse(warmup).value();
    config.tMax = Time::of(100 * config.tWarmup->count(), config.tWarmup->unit());
    const auto made = make(config, runOf("100ba"));
    ASSERT_TRUE(made.schedule.ok()) << made.schedule.error().text();
    EXPECT_DOUBLE_EQ(made.schedule->factor(batch(0)), 0.25) << warmup;
    EXPECT_DOUBLE_EQ(made.schedule->factor(batch(3)), 1.0) << warmup;
  }
}

TEST(ScheduleTest, AChainStartsEveryPartAtZero) {
  SchedulerConfig chain;
  chain.name = "chain";
  chain.parts.resize(3);
  chain.parts[0].name = "constant_with_warmup";
  chain.parts[0].tWarmup = Time::duration(0.5);
  chain.parts[0].length = Time::of(10, TimeUnit::Batch);
  chain.parts[1].name = "constant";
  chain.parts[1].rest = true;
  chain.parts[2].name = "linear";
  chain.parts[2].length = Time::duration(0.2);
  const auto made = make(chain, runOf("100ba"));
  ASSERT_TRUE(made.schedule.ok()) << made.schedule.error().text();
  EXPECT_DOUBLE_EQ(made.schedule->factor(batch(1)), 0.2);
  EXPECT_DOUBLE_EQ(made.schedule->factor(batch(5)), 1.0);
  EXPECT_DOUBLE_EQ(made.schedule->factor(batch(79)), 1.0);
  EXPECT_DOUBLE_EQ(made.schedule->factor(batch(80)), 1.0);
  EXPECT_DOUBLE_EQ(made.schedule->factor(batch(90)), 0.5);
  EXPECT_DOUBLE_EQ(made.schedule->factor(batch(120)), 0.0);
}

TEST(ScheduleTest, AChainSaysWhatIsWrongWithItsParts) {
  SchedulerConfig chain;
  chain.name = "chain";
  EXPECT_NE(refusal(chain, "100ba").find("scheduler.parts"), std::string::npos);
  chain.parts.resize(2);
  chain.parts[0].name = chain.parts[1].name = "constant";
  EXPECT_NE(refusal(chain, "100ba").find("exactly one part can be the rest"), std::string::npos);
  chain.parts[0].length = Time::of(100, TimeUnit::Batch);
  EXPECT_NE(refusal(chain, "100ba").find("nothing is left"), std::string::npos);
  chain.parts[0].length = Time::of(320, TimeUnit::Sample);
  EXPECT_NE(refusal(chain, "100ba").find("give them in ba"), std::string::npos);
}

TEST(ScheduleTest, AChainNamesThePartAsTheFileDoes) {
  SchedulerConfig chain;
  chain.name = "chain";
  chain.parts.resize(2);
  chain.parts[0].name = "constant";
  chain.parts[0].length = Time::of(0, TimeUnit::Batch);
  chain.parts[1].name = "constant";
  chain.parts[1].rest = true;
  EXPECT_NE(refusal(chain, "100ba").find("scheduler.parts[0].duration: 0ba"), std::string::npos);
  chain.parts[0].length = Time::of(5, TimeUnit::Sample);
  EXPECT_NE(refusal(chain, "100ba").find("scheduler.parts[1].duration: "), std::string::npos);
  chain.parts[0].length = Time::of(5, TimeUnit::Batch);
  EXPECT_EQ(refusal(chain, "100ba"), "");
}

TEST(ScheduleTest, AnExpressionReadsClocksAndTheFractionDone) {
  SchedulerConfig config;
  config.name = "expression";
  config.expression = "ba < 10 ? ba / 10 : 1 - frac";
  const auto made = make(config, runOf("5ep"));
  ASSERT_TRUE(made.schedule.ok()) << made.schedule.error().text();
  EXPECT_DOUBLE_EQ(made.schedule->factor(batch(5)), 0.5);
  EXPECT_DOUBLE_EQ(made.schedule->factor(batch(75)), 0.25);
}

TEST(ScheduleTest, AChainInARunOfSecondsIsRefusedWithWhatWasGiven) {
  SchedulerConfig chain, warm, last;
  chain.name = "chain";
  warm.name = last.name = "constant";
  warm.length = Time::of(5, TimeUnit::Batch);
  last.rest = true;
  chain.parts = {warm, last};
  EXPECT_EQ(refusal(chain, "100ba"), "");
  EXPECT_EQ(refusal(chain, "90sec"),
            "scheduler.name: chain needs to know how long its part 'rest' is, and max_duration is 90sec; give "
            "max_duration in ba, sp, tok or ep, or use another schedule");
}

TEST(ScheduleTest, WarmupStableDecayFallsInTheShapeAsked) {
  SchedulerConfig config;
  config.name = "warmup_stable_decay";
  config.tWarmup = Time::of(10, TimeUnit::Batch);
  config.tDecay = Time::duration(0.2);
  config.alphaF = 0.1;
  struct Expected {
    DecayShape shape;
    double early, half;  // after 5 and 10 of the 20 global batches of the decay
  };
  for (const auto& [shape, early, half] :
       {Expected{DecayShape::Linear, 0.775, 0.55},
        Expected{DecayShape::Cosine, 0.1 + 0.45 * (1.0 + std::sqrt(0.5)), 0.55},
        Expected{DecayShape::OneMinusSqrt, 0.1 + 0.9 * 0.5, 0.1 + 0.9 * (1.0 - std::sqrt(0.5))}}) {
    config.decaySchedule = shape;
    const auto made = make(config, runOf("100ba"));
    ASSERT_TRUE(made.schedule.ok()) << made.schedule.error().text();
    EXPECT_EQ(made.notes, std::vector<std::string>());
    EXPECT_NEAR(made.schedule->factor(batch(5)), 0.5, 1e-9);
    EXPECT_DOUBLE_EQ(made.schedule->factor(batch(80)), 1.0);
    EXPECT_NEAR(made.schedule->factor(batch(85)), early, 1e-12) << choiceName(shape);
    EXPECT_NEAR(made.schedule->factor(batch(90)), half, 1e-12) << choiceName(shape);
    EXPECT_NEAR(made.schedule->factor(batch(100)), 0.1, 1e-12) << choiceName(shape);
  }
}

TEST(ScheduleTest, AWarmupThatRoundingTakesIsSaidInWords) {
  SchedulerConfig config;
  config.name = "linear_with_warmup";
  config.tWarmup = Time::duration(0.01);
  const auto made = make(config, runOf("97ba"));
  ASSERT_TRUE(made.schedule.ok());
  ASSERT_EQ(made.notes.size(), 1U);
  EXPECT_EQ(made.notes[0], "scheduler.t_warmup: 1 % of 97 batches is less than one batch: there is no warm-up");
}

TEST(ScheduleTest, ADecayShapeIsNotedWhereItHasNoEffect) {
  SchedulerConfig config;
  config.name = "linear";
  config.decaySchedule = DecayShape::OneMinusSqrt;
  const auto made = make(config, runOf("100ba"));
  ASSERT_TRUE(made.schedule.ok());
  ASSERT_EQ(made.notes.size(), 1U);
  EXPECT_NE(made.notes[0].find("scheduler.decay_schedule: not used"), std::string::npos);
}

TEST(ScheduleTest, RefusesWhatHasNoMeaning) {
  SchedulerConfig config;
  config.tWarmup = Time::of(10, TimeUnit::Second);
  EXPECT_NE(refusal(config, "100ba").find("scheduler.t_warmup"), std::string::npos);
  config.tWarmup = Time::of(10, TimeUnit::Sample);
  EXPECT_NE(refusal(config, "100ba").find("different units"), std::string::npos);
  config.tWarmup = Time::of(10, TimeUnit::Batch);
  EXPECT_NE(refusal(config, "100sec").find("scheduler.t_max"), std::string::npos);
  config.tMax = Time::of(1000, TimeUnit::Batch);
  EXPECT_EQ(refusal(config, "100sec"), "");
  config.name = "linear_with_warmpu";
  EXPECT_NE(refusal(config, "100ba").find("did you mean linear_with_warmup"), std::string::npos);
}

TEST(ScheduleTest, NotesWhatLooksLikeASlip) {
  SchedulerConfig config;
  config.tWarmup = Time::of(200, TimeUnit::Batch);
  config.gamma = 0.5;
  const auto made = make(config, runOf("100ba"));
  ASSERT_TRUE(made.schedule.ok());
  ASSERT_EQ(made.notes.size(), 2U);
  EXPECT_NE(made.notes[0].find("scheduler.gamma: not used"), std::string::npos);
  EXPECT_EQ(made.notes[1],
            "scheduler.t_warmup: 200ba is longer than the run (100ba), so the rate never reaches its peak");
}

TEST(ScheduleTest, ANoteOnAWarmupThatTakesAllOfTMaxSaysWhatFollows) {
  for (const char* name : {"linear_with_warmup", "cosine_annealing_with_warmup", "polynomial_with_warmup"}) {
    SchedulerConfig config;
    config.name = name;
    config.tWarmup = Time::of(50, TimeUnit::Batch);
    config.tMax = Time::of(20, TimeUnit::Batch);
    const auto made = make(config, runOf("100ba"));
    ASSERT_TRUE(made.schedule.ok());
    ASSERT_EQ(made.notes.size(), 1U) << made.notes[1];
    EXPECT_EQ(made.notes[0],
              "scheduler.t_warmup: 50ba takes all of t_max (20ba), so nothing is left for the decay: the "
              "rate stays where the warm-up ends");
    Timestamp now;
    now.batch = 90;
    EXPECT_EQ(made.schedule->factor(now), 1.0) << name;
  }
}

TEST(ScheduleTest, ACooldownFallsFromTheValueInUseWhereverItBegins) {
  const auto batch = [](std::int64_t value) { return Time::of(value, TimeUnit::Batch); };
  const std::pair<std::int64_t, std::int64_t> lengths[] = {{700, 200}, {700, 400}, {0, 1000}, {100, 100}, {0, 2000}};
  for (const auto& [warmup, cooldown] : lengths) {
    SCOPED_TRACE(std::to_string(warmup) + " " + std::to_string(cooldown));
    SchedulerConfig config;
    config.name = "cosine_inverse_sqrt";
    config.tWarmup = batch(warmup);
    config.tCooldown = batch(cooldown);
    const auto made = make(config, runOf("1000ba"));
    ASSERT_TRUE(made.schedule.ok()) << made.schedule.error().text();
    EXPECT_EQ(made.notes.size(), warmup + cooldown > 1000 ? 1U : 0U);
    Timestamp now;
    double before = made.schedule->factor(now);
    for (now.batch = 1; now.batch <= 1200; ++now.batch) {
      const double factor = made.schedule->factor(now);
      ASSERT_LT(std::abs(factor - before), 0.02) << now.batch;  // false for NaN
      before = factor;
    }
    EXPECT_EQ(before, 0.0);
  }
}

TEST(ScheduleTest, ADecayLongerThanItsRoomIsNoted) {
  SchedulerConfig config;
  config.name = "warmup_stable_decay";
  config.tWarmup = Time::of(50, TimeUnit::Batch);
  config.tDecay = Time::of(60, TimeUnit::Batch);
  const auto jumps = make(config, runOf("100ba"));
  ASSERT_EQ(jumps.notes.size(), 1U);
  EXPECT_EQ(jumps.notes[0],
            "scheduler.t_decay: 60ba is longer than what t_max (100ba) leaves after t_warmup (50ba), so "
            "the rate drops at once when the warm-up ends");
  config.tDecay = Time::of(50, TimeUnit::Batch);
  EXPECT_TRUE(make(config, runOf("100ba")).notes.empty());
  config = {};
  config.name = "one_minus_sqrt";
  config.tDecay = Time::of(101, TimeUnit::Batch);
  const auto low = make(config, runOf("100ba"));
  ASSERT_EQ(low.notes.size(), 1U);
  EXPECT_EQ(low.notes[0],
            "scheduler.t_decay: 101ba is longer than what t_max (100ba) leaves, so the rate starts inside "
            "the decay, below its peak");
}

TEST(ScheduleTest, TheDefaultDecayPeriodHoldsInAChainCountedInSamples) {
  SchedulerConfig chain;
  chain.name = "chain";
  chain.parts.resize(2);
  chain.parts[0].name = "constant";
  chain.parts[0].length = Time::of(100, TimeUnit::Sample);
  chain.parts[1].name = "exponential";
  chain.parts[1].gamma = 0.5;
  chain.parts[1].rest = true;
  RunLength length = runOf("1000sp").length;
  length.samplesPerEpoch = 300;
  length.batchesPerEpoch = 30;
  ScheduleRun run;
  run.length = length;
  std::vector<FieldProblem> notes;
  const auto resolved = resolveSchedule(chain, run, notes);
  ASSERT_TRUE(resolved.ok()) << resolved.error().text();
  EXPECT_EQ(resolved->parts[1].decayPeriod->text(), "300sp");
  chain.parts[0].length = Time::of(100, TimeUnit::Token);
  run.length.maxDuration = Time::of(1000, TimeUnit::Token);
  const auto refused = resolveSchedule(chain, run, notes);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().text().find("scheduler.parts[1].decay_period"), std::string::npos);
  EXPECT_NE(refused.error().text().find("counted in tok only this unit or dur can be used; give decay_period, for "
                                        "example, as 0.5dur"),
            std::string::npos)
      << refused.error().text();
}

TEST(ScheduleTest, ResolvedTimesReadBackEqual) {
  SchedulerConfig chain;
  chain.name = "chain";
  chain.parts.resize(2);
  chain.parts[0].name = "multistep";
  chain.parts[0].milestones = {Time::duration(0.5), Time::of(2, TimeUnit::Batch)};
  chain.parts[0].length = Time::duration(0.3);
  chain.parts[1].name = "cosine_annealing_with_warmup";
  chain.parts[1].tWarmup = Time::duration(0.1);
  chain.parts[1].rest = true;
  std::vector<FieldProblem> notes;
  const auto resolved = resolveSchedule(chain, runOf("5ep"), notes);
  ASSERT_TRUE(resolved.ok()) << resolved.error().text();
  const auto again = withScheduleTimes(chain, scheduleTimes(*resolved));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *resolved);
}

}  // namespace
}  // namespace batchwise
