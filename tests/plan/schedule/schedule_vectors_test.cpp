// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <map>

#include "core/config/time/time.h"
#include "core/plan/schedule/curves.h"
#include "core/plan/schedule/schedule.h"
#include "tests/support/checked.h"
#include "tests/support/vectors.h"

namespace batchwise {
namespace {

using nlohmann::json;
using test::VectorCase;

// The recorded curves of the peers' schedules (tests/vectors/schedulers.json).

const json kRefused = {{"error", "refused"}};

const std::map<std::string, std::string> kNames = {
    {"ConstantScheduler", "constant"},
    {"StepScheduler", "step"},
    {"MultiStepScheduler", "multistep"},
    {"ExponentialScheduler", "exponential"},
    {"LinearScheduler", "linear"},
    {"CosineAnnealingScheduler", "cosine_annealing"},
    {"CosineAnnealingWarmRestartsScheduler", "cosine_annealing_warm_restarts"},
    {"PolynomialScheduler", "polynomial"},
    {"MultiStepWithWarmupScheduler", "multistep_with_warmup"},
    {"ConstantWithWarmupScheduler", "constant_with_warmup"},
    {"LinearWithWarmupScheduler", "linear_with_warmup"},
    {"CosineAnnealingWithWarmupScheduler", "cosine_annealing_with_warmup"},
    {"PolynomialWithWarmupScheduler", "polynomial_with_warmup"},
    {"WarmupStableDecayScheduler", "warmup_stable_decay"},
    {"OneMinusSqrtScheduler", "one_minus_sqrt"},
    {"CosineInverseSqrtScheduler", "cosine_inverse_sqrt"}};

const std::map<std::string, std::optional<Time> SchedulerConfig::*> kTimes = {
    {"t_warmup", &SchedulerConfig::tWarmup},
    {"t_max", &SchedulerConfig::tMax},
    {"step_size", &SchedulerConfig::stepSize},
    {"decay_period", &SchedulerConfig::decayPeriod},
    {"t_0", &SchedulerConfig::t0},
    {"t_decay", &SchedulerConfig::tDecay},
    {"t_cosine", &SchedulerConfig::tCosine},
    {"t_cooldown", &SchedulerConfig::tCooldown}};

const std::map<std::string, std::optional<double> SchedulerConfig::*> kNumbers = {
    {"alpha", &SchedulerConfig::alpha},    {"alpha_i", &SchedulerConfig::alphaI}, {"alpha_f", &SchedulerConfig::alphaF},
    {"alpha_s", &SchedulerConfig::alphaS}, {"gamma", &SchedulerConfig::gamma},    {"power", &SchedulerConfig::power},
    {"t_mult", &SchedulerConfig::tMult}};

/// Empty if a Time cannot be read.
std::optional<SchedulerConfig> configOf(const json& input) {
  SchedulerConfig config;
  config.name = kNames.at(input.at("scheduler").get<std::string>());
  for (const auto& [key, value] : input.at("args").items()) {
    if (const auto slot = kTimes.find(key); slot != kTimes.end()) {
      const auto time = Time::parse(value.get<std::string>());
      if (!time) return std::nullopt;
      config.*(slot->second) = *time;
    } else if (const auto number = kNumbers.find(key); number != kNumbers.end()) {
      config.*(number->second) = value.get<double>();
    } else if (key == "milestones") {
      for (const json& milestone : value)
        config.milestones.push_back(Time::parse(milestone.get<std::string>()).value());
    } else if (key == "scale_warmup") {
      config.scaleWarmup = value.get<bool>();
    } else if (key == "warmup_schedule") {
      config.warmupSchedule = choiceFromName<RampShape>(value.get<std::string>()).value();
    } else if (key == "cooldown_schedule") {
      config.cooldownSchedule = choiceFromName<RampShape>(value.get<std::string>()).value();
    } else {
      ADD_FAILURE() << "argument " << key;
    }
  }
  return config;
}

json converted(const SchedulerConfig& resolved) {
  json times = json::object();
  for (const auto& [name, slot] : kTimes)
    if (resolved.*slot) times[name] = (resolved.*slot)->text();
  json milestones = json::array();
  for (const Time& milestone : resolved.milestones) milestones.push_back(milestone.text());
  times["milestones"] = milestones;
  return times;
}

std::vector<Timestamp> timestampsOf(const json& arrays) {
  std::vector<Timestamp> all(arrays.at("batch").size());
  for (std::size_t index = 0; index < all.size(); ++index) {
    all[index].epoch = arrays.at("epoch")[index].get<std::int64_t>();
    all[index].batch = arrays.at("batch")[index].get<std::int64_t>();
    all[index].sample = arrays.at("sample")[index].get<std::int64_t>();
    all[index].token = arrays.at("token")[index].get<std::int64_t>();
  }
  return all;
}

json curveAnswer(const json& input) {
  const auto config = configOf(input);
  const auto max = Time::parse(input.at("max_duration").get<std::string>());
  if (!config || !max) return kRefused;
  ScheduleRun run;
  run.ratio = input.at("ssr").get<double>();
  const auto scaled = scaleMaxDuration(*max, run.ratio);
  if (!scaled) return kRefused;
  run.length.maxDuration = *scaled;
  if (!input.at("dataloader_len").is_null()) {
    run.length.batchesPerEpoch = input.at("dataloader_len").get<std::int64_t>();
    run.length.samplesPerEpoch = *run.length.batchesPerEpoch * 32;
  }
  std::vector<FieldProblem> notes;
  const auto resolved = resolveSchedule(*config, run, notes);
  if (!resolved) return kRefused;
  const auto schedule = Schedule::make(*resolved, {});
  if (!schedule) return kRefused;
  json alpha = json::array();
  for (const Timestamp& now : timestampsOf(input.at("timestamps"))) alpha.push_back(schedule->factor(now));
  json answer = {{"max_duration_scaled", scaled->text()}, {"converted", converted(*resolved)}, {"alpha", alpha}};
  if (resolved->tWarmup) answer["t_warmup"] = resolved->tWarmup->text();
  return answer;
}

json inverseSqrtAnswer(const json& input) {
  const json& args = input.contains("args") ? input.at("args") : input;
  SchedulerConfig config;
  config.name = "inverse_sqrt";
  config.tWarmup = Time::of(args.at("warmup_updates").get<std::int64_t>(), TimeUnit::Batch);
  config.warmupInitLr = args.at("warmup_init_lr").get<double>();
  if (args.contains("exp_factor")) config.expFactor = args.at("exp_factor").get<double>();
  ScheduleRun run;
  run.length.maxDuration = Time::of(1'000'000, TimeUnit::Batch);
  std::vector<FieldProblem> notes;
  const auto resolved = resolveSchedule(config, run, notes);
  if (!resolved) return kRefused;
  const double rate = args.at("lr").get<double>();
  const auto schedule = Schedule::make(*resolved, {rate, 1, 1});
  json rates = json::array();
  for (const json& update : input.at("num_updates")) {
    Timestamp now;
    now.batch = update.get<std::int64_t>();
    rates.push_back(rate * schedule->factor(now));
  }
  return {{"lr", rates}, {"lr_before_first_step", rates[0]}};
}

json answerTo(const VectorCase& one) {
  if (one.group == "inverse_sqrt_closed_form" || one.group == "AdamInverseSqrtWithWarmup")
    return inverseSqrtAnswer(one.input);
  if (one.group == "AdamCosineWithWarmup" || one.group == "two_schedulers") return kRefused;  // no such schedule
  return curveAnswer(one.input);
}

/// The peer converts warm-up without the scaling that it then applies; the corrected cases say it apart, as t_warmup.
json comparable(const VectorCase& one) {
  json wanted = one.answer;
  if (wanted.contains("t_warmup")) wanted["converted"].erase("t_warmup");
  return wanted;
}

bool agrees(const json& wanted, const json& found) {
  if (wanted.contains("error")) return found.contains("error");
  return test::difference(wanted, found).empty();
}

TEST(ScheduleVectorsTest, AnswersLikeThePeersOrAsTheTableSays) {
  const auto cases = test::vectorCases("schedulers.json");
  ASSERT_GT(cases.size(), 150U);
  for (const VectorCase& one : cases) {
    SCOPED_TRACE(one.name);
    const json found = answerTo(one);
    EXPECT_TRUE(agrees(comparable(one), found)) << test::difference(comparable(one), found) << "\nfound " << found;
    EXPECT_FALSE(one.excepted && agrees(one.peer, found)) << "needs no exception";
  }
}

// The recorded rates of peers that follow the batch size (groups scale_lr and variable_lr of deepspeed_batching.json).

std::optional<LrScalingMethod> methodOf(const json& method) {
  if (method.is_null() || method == "None") return LrScalingMethod::None;
  return choiceFromName<LrScalingMethod>(method.get<std::string>());
}

TEST(LrScalingVectorsTest, ScalesOneRate) {
  const auto cases = test::vectorCases("deepspeed_batching.json", {"scale_lr"});
  ASSERT_FALSE(cases.empty());
  for (const auto& one : cases) {
    SCOPED_TRACE(one.name);
    const auto method = methodOf(one.input.at("method"));
    const double reference = one.input.at("base_batch_size").get<double>();
    if (one.refused()) {
      // A reference of 0 is refused where the configuration is resolved: it has to be 1 or more.
      EXPECT_TRUE(!method || reference < 1.0);
      continue;
    }
    ASSERT_TRUE(method);
    const double rate = scaledRate(one.input.at("base_lr").get<double>(), one.input.at("batch_size").get<double>(),
                                   reference, *method, 0.5);
    EXPECT_TRUE(test::near(one.answer.at("lr").get<double>(), rate)) << rate;
  }
}

/// The recorded base schedule as one of ours. linear_warmup counts from 1: warmup_from: one.
SchedulerConfig scheduleOf(const json& recorded) {
  SchedulerConfig config;
  config.name = "constant";
  if (recorded.is_null()) return config;
  const std::string kind = recorded.at("kind");
  if (kind == "linear_warmup") {
    config.name = "constant_with_warmup";
    config.warmupFrom = WarmupStart::One;
    config.tWarmup = Time::of(recorded.at("steps").get<std::int64_t>(), TimeUnit::Batch);
  } else if (kind == "step") {
    config.name = "step";
    config.stepSize = Time::of(recorded.at("step_size").get<std::int64_t>(), TimeUnit::Batch);
    config.gamma = recorded.at("gamma").get<double>();
  } else {
    config.name = "exponential";
    config.decayPeriod = Time::of(1, TimeUnit::Batch);
    config.gamma = recorded.at("gamma").get<double>();
  }
  return config;
}

TEST(LrScalingVectorsTest, WrapsASchedule) {
  const auto cases = test::vectorCases("deepspeed_batching.json", {"variable_lr"});
  ASSERT_FALSE(cases.empty());
  for (const auto& one : cases) {
    SCOPED_TRACE(one.name);
    const auto method = methodOf(one.input.at("method"));
    ASSERT_TRUE(method);
    std::vector<FieldProblem> notes;
    ScheduleRun run;
    run.length.maxDuration = Time::of(1000, TimeUnit::Batch);
    const auto resolved = test::checked(resolveSchedule(scheduleOf(one.input.at("schedule")), run, notes));
    const auto schedule = Schedule::make(*resolved, {});
    const auto sizes = one.input.at("batch_sizes").get<std::vector<double>>();
    for (std::size_t step = 0; step < one.answer.at("lr").size(); ++step) {
      Timestamp now;
      now.batch = static_cast<std::int64_t>(step);
      for (std::size_t group = 0; group < one.input.at("base_lrs").size(); ++group) {
        const double base = one.input.at("base_lrs")[group].get<double>() * schedule->factor(now);
        const double rate =
            scaledRate(base, sizes[step % sizes.size()], one.input.at("base_batch_size").get<double>(), *method, 0.5);
        EXPECT_TRUE(test::near(one.answer.at("lr")[step][group].get<double>(), rate)) << step << ": " << rate;
      }
    }
  }
}

}  // namespace
}  // namespace batchwise
