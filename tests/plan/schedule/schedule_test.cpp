// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/schedule/schedule.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <tuple>

#include "core/config/schedule_parameters.h"
#include "core/config/schema.h"
#include "core/plan/schedule/expression.h"
#include "tests/support/checked.h"
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
  double factor(std::int64_t batches) const { return schedule->factor(batch(batches)); }
  bool said(const char* text) const {
    return std::ranges::any_of(notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
  }
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

// lr_shrink of the cosine schedules of XLM and fairseq: the largest and the least rate of period i times lr_shrink^i.
TEST(ScheduleTest, PeriodsShrinkByTheirFactor) {
  SchedulerConfig config;
  config.name = "cosine_annealing_warm_restarts";
  config.t0 = Time::of(10, TimeUnit::Batch);
  config.tMult = 2;
  config.alphaF = 0.1;
  const auto plain = make(config, runOf("100ba"));
  config.lrShrink = 0.75;
  const auto shrinks = make(config, runOf("100ba"));
  for (const std::int64_t at : {0, 3, 9, 10, 15, 29, 30, 50, 69, 70, 99}) {
    const int period = at < 10 ? 0 : at < 30 ? 1 : at < 70 ? 2 : 3;
    EXPECT_DOUBLE_EQ(shrinks.factor(at), plain.factor(at) * std::pow(0.75, period)) << at;
  }
  config.tMult = 1;
  EXPECT_DOUBLE_EQ(make(config, runOf("100ba")).factor(45), std::pow(0.75, 4) * (0.1 + 0.9 / 2));
  config.name = "linear";
  config.t0.reset();
  config.tMult.reset();
  EXPECT_THAT(make(config, runOf("100ba")).notes, testing::Contains("scheduler.lr_shrink: not used by linear"));
}

TEST(ScheduleTest, WarmupFromOneWastesNoBatch) {
  SchedulerConfig config;
  config.warmupFrom = WarmupStart::One;
  for (const char* warmup : {"4ba", "128sp", "1280tok"}) {
    config.tWarmup = Time::parse(warmup).value();
    config.tMax = Time::of(100 * config.tWarmup->count(), config.tWarmup->unit());
    const auto made = make(config, runOf("100ba"));
    ASSERT_TRUE(made.schedule.ok()) << made.schedule.error().text();
    EXPECT_DOUBLE_EQ(made.factor(0), 0.25) << warmup;
    EXPECT_DOUBLE_EQ(made.factor(3), 1.0) << warmup;
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
  EXPECT_DOUBLE_EQ(made.factor(1), 0.2);
  EXPECT_DOUBLE_EQ(made.factor(5), 1.0);
  EXPECT_DOUBLE_EQ(made.factor(79), 1.0);
  EXPECT_DOUBLE_EQ(made.factor(80), 1.0);
  EXPECT_DOUBLE_EQ(made.factor(90), 0.5);
  EXPECT_DOUBLE_EQ(made.factor(120), 0.0);
}

TEST(ScheduleTest, AChainSaysWhatIsWrongWithItsParts) {
  SchedulerConfig chain;
  chain.name = "chain";
  EXPECT_THAT(refusal(chain, "100ba"), testing::HasSubstr("scheduler.parts"));
  chain.parts.resize(2);
  chain.parts[0].name = chain.parts[1].name = "constant";
  EXPECT_THAT(refusal(chain, "100ba"), testing::HasSubstr("exactly one part can be the rest"));
  chain.parts[1].rest = true;
  const std::tuple<const char*, const char*, const char*> cases[] = {
      // of the first part, of the run, what is said
      {"100ba", "100ba", "nothing is left"},
      {"320sp", "100ba", "give them in ba"},
      {"0ba", "100ba", "scheduler.parts[0].duration: 0ba"},
      {"5sp", "100ba", "scheduler.parts[1].duration: "},
      {"5ba", "90sec",
       "scheduler.name: chain needs to know how long its part 'rest' is, and max_duration is 90sec; give "
       "max_duration in ba, sp, tok or ep, or use another schedule"}};
  for (const auto& [length, maxDuration, message] : cases) {
    chain.parts[0].length = Time::parse(length).value();
    EXPECT_THAT(refusal(chain, maxDuration), testing::HasSubstr(message)) << length;
  }
  EXPECT_EQ(refusal(chain, "100ba"), "") << "five global batches and the rest";
}

TEST(ScheduleTest, AnExpressionReadsClocksAndTheFractionDone) {
  SchedulerConfig config;
  config.name = "expression";
  config.expression = "ba < 10 ? ba / 10 : 1 - frac";
  const auto made = make(config, runOf("5ep"));
  ASSERT_TRUE(made.schedule.ok()) << made.schedule.error().text();
  EXPECT_DOUBLE_EQ(made.factor(5), 0.5);
  EXPECT_DOUBLE_EQ(made.factor(75), 0.25);
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
    EXPECT_NEAR(made.factor(5), 0.5, 1e-9);
    EXPECT_DOUBLE_EQ(made.factor(80), 1.0);
    EXPECT_NEAR(made.factor(85), early, 1e-12) << choiceName(shape);
    EXPECT_NEAR(made.factor(90), half, 1e-12) << choiceName(shape);
    EXPECT_NEAR(made.factor(100), 0.1, 1e-12) << choiceName(shape);
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
  EXPECT_THAT(made.notes[0], testing::HasSubstr("scheduler.decay_schedule: not used"));
}

TEST(ScheduleTest, RefusesWhatHasNoMeaning) {
  SchedulerConfig config;
  config.tWarmup = Time::of(10, TimeUnit::Second);
  EXPECT_THAT(refusal(config, "100ba"), testing::HasSubstr("scheduler.t_warmup"));
  config.tWarmup = Time::of(10, TimeUnit::Sample);
  EXPECT_THAT(refusal(config, "100ba"), testing::HasSubstr("different units"));
  config.tWarmup = Time::of(10, TimeUnit::Batch);
  EXPECT_THAT(refusal(config, "100sec"), testing::HasSubstr("scheduler.t_max"));
  config.tMax = Time::of(1000, TimeUnit::Batch);
  EXPECT_EQ(refusal(config, "100sec"), "");
  config.name = "linear_with_warmpu";
  EXPECT_THAT(refusal(config, "100ba"), testing::HasSubstr("did you mean 'linear_with_warmup'"));
}

TEST(ScheduleTest, NotesWhatLooksLikeASlip) {
  SchedulerConfig config;
  config.tWarmup = Time::of(200, TimeUnit::Batch);
  config.gamma = 0.5;
  const auto made = make(config, runOf("100ba"));
  ASSERT_TRUE(made.schedule.ok());
  ASSERT_EQ(made.notes.size(), 2U);
  EXPECT_THAT(made.notes[0], testing::HasSubstr("scheduler.gamma: not used"));
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
  EXPECT_EQ(test::checked(resolveSchedule(chain, run, notes))->parts[1].decayPeriod->text(), "300sp");
  chain.parts[0].length = Time::of(100, TimeUnit::Token);
  run.length.maxDuration = Time::of(1000, TimeUnit::Token);
  const Error refused = test::refused(resolveSchedule(chain, run, notes));
  EXPECT_THAT(refused.text(), testing::HasSubstr("scheduler.parts[1].decay_period"));
  EXPECT_THAT(refused.text(),
              testing::HasSubstr("counted in tok only this unit or dur can be used; give decay_period, for "
                                 "example, as 0.5dur"));
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
  const auto resolved = test::checked(resolveSchedule(chain, runOf("5ep"), notes));
  EXPECT_EQ(*test::checked(withScheduleTimes(chain, scheduleTimes(*resolved))), *resolved);
}

double valueOf(const char* text, double epoch, double size) {
  const auto expression = test::checked(Expression::parse(text, {"epoch", "size"}, "field"));
  const std::array<double, 2> values = {epoch, size};
  return expression->evaluate(values).value();
}

TEST(ExpressionTest, ReadsRemaindersAndChoices) {
  EXPECT_EQ(valueOf("epoch % 3 == 0 ? size * 2 : size", 3, 32), 64);
  EXPECT_EQ(valueOf("epoch % 3 == 0 ? size * 2 : size", 4, 32), 32);
  EXPECT_EQ(valueOf("min(size, 48) + max(1, 2)", 0, 64), 50);
  EXPECT_EQ(valueOf("epoch + 7 % 4 * 2", 1, 0), 7);
}

TEST(ExpressionTest, ReadsListsAndPowersOfTwo) {
  for (const double epoch : {2.0, 3.0, 6.0, 9.0, 10.0}) {
    const bool listed = epoch == 3 || epoch == 6 || epoch == 9;
    EXPECT_EQ(valueOf("epoch in [3, 6, 9] ? 2 * size : size", epoch, 32), listed ? 64 : 32);
    EXPECT_EQ(valueOf("(epoch  in[3,6, 3 * 3]) == 0 && size in [32] ? 1 : 0", epoch, 32), listed ? 0 : 1);
  }
  EXPECT_EQ(valueOf("pow2(size)", 0, 127), 64);
  EXPECT_EQ(valueOf("pow2(size)", 0, 128), 128);
  EXPECT_EQ(valueOf("pow2(size)", 0, 0.3), 1);
  EXPECT_EQ(valueOf("ceil(size / 10) + floor(size / 10)", 0, 25), 5);
  const Error wrong = test::refused(Expression::parse("epoch in [3, 6, 9] ? sise : 1", {"epoch", "size"}, "f"));
  EXPECT_THAT(wrong.message, testing::HasSubstr("position 22"));
  const auto empty = Expression::parse("epoch in [ ] ? 1 : 2", {"epoch"}, "f");
  ASSERT_FALSE(empty.ok());
  EXPECT_THAT(empty.error().text(), ::testing::HasSubstr("a list is empty"));
}

TEST(ExpressionTest, AResultMustBeFinite) {
  const auto expression = test::checked(Expression::parse("1 / epoch", {"epoch"}, "f"));
  const std::array<double, 1> zero = {0.0};
  const Error value = test::refused(expression->evaluate(zero));
  EXPECT_THAT(value.message, testing::HasSubstr("epoch = 0"));
}

TEST(ExpressionTest, CountsPositionsFromOne) {
  const auto positionIn = [](const char* text) {
    const auto wrong = Expression::parse(text, {"ba", "frac"}, "f");
    EXPECT_FALSE(wrong.ok()) << text;
    const std::string& message = wrong.error().message;
    const std::size_t at = message.rfind("position ");
    return at == std::string::npos ? 0 : std::stoi(message.substr(at + 9));
  };
  EXPECT_EQ(positionIn("max(a, 1)"), 5);
  EXPECT_EQ(positionIn("ba * ba + b"), 11);
  EXPECT_EQ(positionIn("ba + b"), 6);
  EXPECT_EQ(positionIn("min(1, ba/10"), 12);
  EXPECT_EQ(positionIn("1 +"), 3);
  EXPECT_EQ(positionIn(")"), 1);
  EXPECT_EQ(positionIn("ba ba"), 4);
  EXPECT_EQ(positionIn("1 2"), 3);
  EXPECT_EQ(positionIn("sqrt(1,2)"), 9);
}

TEST(ExpressionTest, AnAssignmentIsRefusedWithItsPosition) {
  for (const char* text : {"frac = 1", "frac == 1 ? 2 : frac = 3"}) {
    const auto parsed = Expression::parse(text, {"frac"}, "scheduler.expression");
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_THAT(parsed.error().message, testing::HasSubstr("would assign"));
  }
  EXPECT_TRUE(Expression::parse("frac <= 1 && frac != 0 || frac >= 2", {"frac"}, "scheduler.expression").ok());
}

// Walks all schedules: what the reference says of each default, what the notes say of the time after t_max, and the
// factor have to agree.

constexpr std::int64_t kRun = 200;  // global batches

Made resolved(const SchedulerConfig& config) {
  const Made made = make(config, runOf("200ba"));
  EXPECT_TRUE(made.schedule.ok()) << config.name << ": " << made.schedule.error().text();
  return made;
}

void set(SchedulerConfig& config, const std::string& parameter, const std::string& value) {
  TrainConfig holder;
  holder.scheduler = config;
  const std::string problem = findField("scheduler." + parameter)->set(holder, value);
  EXPECT_TRUE(problem.empty()) << parameter << ": " << problem;
  config = holder.scheduler;
}

/// The schedule with what it requires, and nothing else.
SchedulerConfig required(const std::string& name) {
  static const std::map<std::string, std::string> kValues = {{"step_size", "30ba"},
                                                             {"gamma", "0.9"},
                                                             {"t_0", "50ba"},
                                                             {"power", "3"},
                                                             {"t_warmup", "20ba"},
                                                             {"t_cooldown", "30ba"},
                                                             {"expression", "1 / (1 + frac)"},
                                                             {"parts", "[{name: linear, duration: rest}]"}};
  SchedulerConfig config;
  config.name = name;
  for (const ScheduleParameter& parameter : findSchedule(name)->parameters)
    if (parameter.requirement == ScheduleParameter::Requirement::Required)
      set(config, parameter.name, kValues.at(parameter.name));
  return config;
}

/// What the reference says that `auto` is for a schedule.
std::string documented(const std::string& parameter, const std::string& schedule) {
  const std::string& help = findField("scheduler." + parameter)->help;
  const std::size_t begin = help.find("auto: ");
  if (begin == std::string::npos) return {};
  std::string text = help.substr(begin + 6, help.find_last_of('.') - begin - 6);
  const std::size_t exceptions = text.find(" (");
  if (exceptions == std::string::npos) return text;
  const std::string more = text.substr(exceptions);
  const std::size_t named = more.find(schedule + ": ") != std::string::npos ? more.find(schedule + ": ")
                            : more.find(schedule + ", ") != std::string::npos
                                ? more.find(": ", more.find(schedule)) - schedule.size()
                                : std::string::npos;
  if (named == std::string::npos) return text.substr(0, exceptions);
  const std::size_t value = named + schedule.size() + 2;
  return more.substr(value, more.find_first_of(";)", value) - value);
}

TEST(ScheduleReferenceTest, EveryDocumentedDefaultIsWhatHappens) {
  int compared = 0;
  for (const ScheduleParameters& row : scheduleTable())
    for (const ScheduleParameter& parameter : row.parameters) {
      const std::string name = parameter.name;
      if (parameter.requirement == ScheduleParameter::Requirement::Required || name == "t_warmup" || name == "t_max")
        continue;  // the two are said in words
      const std::string said = documented(name, row.schedule);
      if (said.empty()) continue;
      SCOPED_TRACE(std::string(row.schedule) + " " + name + ": " + said);
      SchedulerConfig config = required(row.schedule);
      if (name == "gamma") config.milestones = {Time::of(50, TimeUnit::Batch)};
      const Made byDefault = resolved(config);
      set(config, name, said);
      const Made asSaid = resolved(config);
      ASSERT_TRUE(byDefault.schedule.ok() && asSaid.schedule.ok());
      for (std::int64_t batch = 0; batch <= kRun + 50; ++batch)
        ASSERT_DOUBLE_EQ(byDefault.factor(batch), asSaid.factor(batch)) << batch;
      ++compared;
    }
  EXPECT_GT(compared, 25);
}

TEST(ScheduleReferenceTest, AlphaFIsAboveZeroForTheTwoThatSaySo) {
  for (const char* name : {"warmup_stable_decay", "one_minus_sqrt"}) {
    EXPECT_EQ(documented("alpha_f", name), "0.1");
    EXPECT_DOUBLE_EQ(resolved(required(name)).factor(kRun), 0.1) << name;
  }
  EXPECT_EQ(documented("alpha_f", "linear"), "0");
  EXPECT_DOUBLE_EQ(resolved(required("linear")).factor(kRun), 0.0);
}

/// Every schedule with a t_max, in each of its shapes.
std::vector<SchedulerConfig> endingSchedules() {
  std::vector<SchedulerConfig> all;
  for (const ScheduleParameters& row : scheduleTable()) {
    SchedulerConfig config = required(row.schedule);
    const bool ends =
        std::ranges::any_of(row.parameters, [](const auto& each) { return each.name == std::string("t_max"); });
    if (!ends) continue;
    config.tMax = Time::of(100, TimeUnit::Batch);
    all.push_back(config);
    if (config.name == "warmup_stable_decay") {
      for (const DecayShape shape : {DecayShape::Cosine, DecayShape::OneMinusSqrt}) {
        all.push_back(config);
        all.back().decaySchedule = shape;
      }
      for (const double last : {1.0, 1.5}) {
        all.push_back(config);
        all.back().alphaF = last;
      }
      all.push_back(config);
      all.back().tDecay = Time::of(0, TimeUnit::Batch);
    }
    if (config.name == "cosine_inverse_sqrt") {
      all.push_back(config);
      all.back().tCooldown = Time::of(0, TimeUnit::Batch);
    }
    if (config.name == "expression") {
      all.push_back(config);
      all.back().expression = "1 / (1 + sp / 1000 + frac)";
      all.push_back(config);
      all.back().expression = "1 / (1 + ba)";
    }
  }
  return all;
}

TEST(ScheduleReferenceTest, TheNoteOnAShortTMaxSaysWhatTheFactorDoes) {
  for (const SchedulerConfig& config : endingSchedules()) {
    const Made made = resolved(config);
    ASSERT_TRUE(made.schedule.ok());
    SCOPED_TRACE(config.name + ", " + std::string(choiceName(config.decaySchedule)) + " " + config.expression + ": " +
                 testing::PrintToString(made.notes));
    const double atEnd = made.factor(100), later = made.factor(150), last = made.factor(kRun);
    EXPECT_EQ(made.said("its last value holds"),
              !config.name.starts_with("constant") && atEnd == last && atEnd == later);
    EXPECT_EQ(made.said("keeps falling after it, to 0"), atEnd > 0 && later == 0 && last == 0);
    EXPECT_EQ(made.said("keeps changing after it") || made.said("follows its other clocks"),
              atEnd != last && !made.said("keeps falling after it, to 0"));
  }
}

TEST(ScheduleReferenceTest, AWarmUpThatTakesAllSaysWhatTheFactorDoesThen) {
  for (SchedulerConfig config : endingSchedules()) {
    if (findSchedule(config.name)->parameters.front().name != std::string("t_warmup") &&
        config.name != "cosine_inverse_sqrt" && !config.name.ends_with("_with_warmup"))
      continue;
    config.tWarmup = Time::of(120, TimeUnit::Batch);
    const Made made = resolved(config);
    ASSERT_TRUE(made.schedule.ok());
    SCOPED_TRACE(config.name + " " + testing::PrintToString(made.notes));
    const double peak = made.factor(119), next = made.factor(121);
    if (made.said("the rate stays where the warm-up ends")) {
      EXPECT_GE(made.factor(kRun), peak);
    }
    if (made.said("the rate falls at once")) {
      EXPECT_LT(next, 0.5 * peak);
    }
  }
}

TEST(ScheduleReferenceTest, APartOfAChainIsCalledAPart) {
  SchedulerConfig chain;
  chain.name = "chain";
  set(chain, "parts", "[{name: linear, duration: 100ba, t_max: 50ba}, {name: constant, duration: rest}]");
  const Made made = resolved(chain);
  EXPECT_THAT(
      made.notes,
      testing::ElementsAre(
          "scheduler.parts[0].t_max: 50ba is shorter than the part (100ba); its last value holds from there on"));
}

}  // namespace
}  // namespace batchwise
