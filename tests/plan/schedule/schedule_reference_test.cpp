// SPDX-License-Identifier: GPL-3.0-or-later
// Walks all schedules: what the reference says of each default, what the notes say of the time after t_max, and the
// factor have to agree.
#include <gmock/gmock.h>

#include "core/config/schedule_parameters.h"
#include "core/config/schema.h"
#include "core/plan/schedule/schedule.h"

namespace batchwise {
namespace {

constexpr std::int64_t kSamples = 32, kTokens = 320;  // of a global batch
constexpr std::int64_t kRun = 200;                    // global batches

Timestamp after(std::int64_t batches) {
  Timestamp now;
  now.batch = batches;
  now.sample = batches * kSamples;
  now.token = batches * kTokens;
  return now;
}

struct Resolved {
  std::optional<Schedule> schedule;
  std::vector<std::string> notes;
  double factor(std::int64_t batches) const { return schedule->factor(after(batches)); }
};

Resolved resolved(const SchedulerConfig& config) {
  ScheduleRun run;
  run.length = {Time::of(kRun, TimeUnit::Batch), 20 * kSamples, 20};
  run.samplesPerBatch = kSamples;
  run.tokensPerBatch = kTokens;
  std::vector<FieldProblem> notes;
  const auto made = resolveSchedule(config, run, notes);
  EXPECT_TRUE(made.ok()) << config.name << ": " << made.error().text();
  if (!made.ok()) return {};
  auto schedule = Schedule::make(*made, {1.0, run.samplesPerBatch, run.tokensPerBatch});
  EXPECT_TRUE(schedule.ok()) << config.name << ": " << schedule.error().text();
  Resolved answer;
  if (schedule.ok()) answer.schedule = *schedule;
  for (const FieldProblem& note : notes) answer.notes.push_back(note.text());
  return answer;
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
      const Resolved byDefault = resolved(config);
      set(config, name, said);
      const Resolved asSaid = resolved(config);
      ASSERT_TRUE(byDefault.schedule && asSaid.schedule);
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
    const Resolved made = resolved(config);
    ASSERT_TRUE(made.schedule);
    SCOPED_TRACE(config.name + ", " + std::string(choiceName(config.decaySchedule)) + " " + config.expression + ": " +
                 testing::PrintToString(made.notes));
    const double atEnd = made.factor(100), later = made.factor(150), last = made.factor(kRun);
    const auto said = [&](const char* text) {
      return std::ranges::any_of(made.notes,
                                 [&](const std::string& note) { return note.find(text) != std::string::npos; });
    };
    EXPECT_EQ(said("its last value holds"), !config.name.starts_with("constant") && atEnd == last && atEnd == later);
    EXPECT_EQ(said("keeps falling after it, to 0"), atEnd > 0 && later == 0 && last == 0);
    EXPECT_EQ(said("keeps changing after it") || said("follows its other clocks"),
              atEnd != last && !said("keeps falling after it, to 0"));
  }
}

TEST(ScheduleReferenceTest, AWarmUpThatTakesAllSaysWhatTheFactorDoesThen) {
  for (SchedulerConfig config : endingSchedules()) {
    if (findSchedule(config.name)->parameters.front().name != std::string("t_warmup") &&
        config.name != "cosine_inverse_sqrt" && !config.name.ends_with("_with_warmup"))
      continue;
    config.tWarmup = Time::of(120, TimeUnit::Batch);
    const Resolved made = resolved(config);
    ASSERT_TRUE(made.schedule);
    SCOPED_TRACE(config.name + " " + testing::PrintToString(made.notes));
    const auto said = [&](const char* text) {
      return std::ranges::any_of(made.notes,
                                 [&](const std::string& note) { return note.find(text) != std::string::npos; });
    };
    const double peak = made.factor(119), next = made.factor(121);
    if (said("the rate stays where the warm-up ends")) {
      EXPECT_GE(made.factor(kRun), peak);
    }
    if (said("the rate falls at once")) {
      EXPECT_LT(next, 0.5 * peak);
    }
  }
}

TEST(ScheduleReferenceTest, APartOfAChainIsCalledAPart) {
  SchedulerConfig chain;
  chain.name = "chain";
  set(chain, "parts", "[{name: linear, duration: 100ba, t_max: 50ba}, {name: constant, duration: rest}]");
  const Resolved made = resolved(chain);
  EXPECT_THAT(
      made.notes,
      testing::ElementsAre(
          "scheduler.parts[0].t_max: 50ba is shorter than the part (100ba); its last value holds from there on"));
}

}  // namespace
}  // namespace batchwise
