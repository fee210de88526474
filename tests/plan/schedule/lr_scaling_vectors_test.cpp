// SPDX-License-Identifier: GPL-3.0-or-later
// The recorded rates of peers that follow the batch size (groups scale_lr and variable_lr of deepspeed_batching.json).
#include <gtest/gtest.h>

#include "core/plan/schedule/curves.h"
#include "core/plan/schedule/schedule.h"
#include "tests/support/vectors.h"

namespace batchwise {
namespace {

using nlohmann::json;

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
    const double rate =
        scaledRate(one.input.at("base_lr").get<double>(), one.input.at("batch_size").get<double>(), reference, *method);
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
    const auto resolved = resolveSchedule(scheduleOf(one.input.at("schedule")), run, notes);
    ASSERT_TRUE(resolved.ok()) << resolved.error().text();
    const auto schedule = Schedule::make(*resolved, {});
    const auto sizes = one.input.at("batch_sizes").get<std::vector<double>>();
    for (std::size_t step = 0; step < one.answer.at("lr").size(); ++step) {
      Timestamp now;
      now.batch = static_cast<std::int64_t>(step);
      for (std::size_t group = 0; group < one.input.at("base_lrs").size(); ++group) {
        const double base = one.input.at("base_lrs")[group].get<double>() * schedule->factor(now);
        const double rate =
            scaledRate(base, sizes[step % sizes.size()], one.input.at("base_batch_size").get<double>(), *method);
        EXPECT_TRUE(test::near(one.answer.at("lr")[step][group].get<double>(), rate)) << step << ": " << rate;
      }
    }
  }
}

}  // namespace
}  // namespace batchwise
