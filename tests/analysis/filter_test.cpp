// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/filter.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <ctime>
#include <limits>
#include <tuple>

#include "tests/support/checked.h"

namespace batchwise::test {
namespace {

using testing::HasSubstr;

RunSummary sampleRun() {
  RunSummary run;
  run.id = "abc123abc123";
  run.name = "Ramp-up 4k";
  run.status = RunStatus::Finished;
  run.tags = {"ramp", "paper"};
  run.note = "best so far";
  run.createdMs = 1795269544000;  // 2026-11-21T13:59:04Z
  run.loss = 2.5;
  run.evalLoss = std::numeric_limits<double>::quiet_NaN();
  run.at.batch = 1200;
  run.at.token = 9'007'199'254'740'993;
  return run;
}

const ConfigValues& sampleConfig() {
  static const ConfigValues values = {{"batch.global_train_batch_size", "128"},
                                      {"optimizer.lr", "0.001"},
                                      {"scheduler.name", "linear_with_warmup"},
                                      {"batch.rampup.duration", "0.1dur"},
                                      {"max_duration", "2ep"},
                                      {"batch.device_train_microbatch_size", "auto"}};
  return values;
}

TEST(RunFilterTest, Decides) {
  const std::vector<std::pair<const char*, bool>> cases = {
      {"", true},
      {"   ", true},
      {"batch.global_train_batch_size > 64 and status = finished", true},
      {"batch.global_train_batch_size > 64 and status = running", false},
      {"batch.global_train_batch_size >= 128", true},
      {"batch.global_train_batch_size > 128", false},
      {"batch.global_train_batch_size<=127||status==finished", true},
      {"optimizer.lr = 1e-3", true},
      {"optimizer.lr in (5e-4, 1e-3)", true},
      {"optimizer.lr in (5e-4)", false},
      {"scheduler.name = linear_with_warmup", true},
      {"scheduler.name ~ WARM", true},
      {"created > 2026-11-20", true},
      {"created > 2026-11-21", false},
      {"created = 2026-11-21 and created >= 2026-11-21", true},
      {"created < 2026-11-21T14", true},
      {"created > '2026-11-21 14:00'", false},
      {"created < '2026-11-21 14:00'", true},
      {"created < 2026-11-21T13:59:04Z", false},
      {"created = 2026-11-21T13:59:04Z", true},
      {"created = 2026-11-21T13:59Z", true},
      {"eval.loss = nan and eval_loss = nan", true},
      {"tag = ramp", true},
      {"tag = paper", true},
      {"tag = Ramp", false},
      {"tag != ramp", false},
      {"tag != other", true},
      {"not tag = ramp", false},
      {"!(tag = other)", true},
      {"tag = other or tag = ramp", true},
      {"tag = other and tag = ramp or status = finished", true},
      {"tag = other and (tag = ramp or status = finished)", false},
      {"loss < 3", true},
      {"loss < nan", false},
      {"eval_loss = nan", true},
      {"eval_loss < 3", false},
      {"eval_loss > 3", false},
      {"lr = 1", false},
      {"lr != 1", true},
      {"lr < 1", false},
      {"ba = 1200", true},
      {"ba = 1200.0", true},
      {"batch.rampup.duration = 0.1dur", true},
      {"batch.rampup.duration < 0.2dur", true},
      {"batch.rampup.duration < 5ba", false},
      {"max_duration >= 1ep", true},
      {"batch.device_train_microbatch_size = auto", true},
      {"batch.device_train_microbatch_size > 1", false},
      {"name = \"Ramp-up 4k\"", true},
      {"name ~ 'ramp-up'", true},
      {"ramp", true},
      {"RAMP", true},
      {"best", true},
      {"'so far'", true},
      {"missing", false},
      {"ramp status = finished", true},
      {"ramp status = failed", false},
      {"archived = false", true},
      {"AND", false}};
  for (const auto& [text, expected] : cases) {
    const auto filter = RunFilter::parse(text);
    if (std::string(text) == "AND") {
      EXPECT_FALSE(filter.ok());
      continue;
    }
    ASSERT_TRUE(filter.ok()) << text << ": " << filter.error().text();
    const RunSummary run = sampleRun();
    EXPECT_EQ(filter->passes(lookupIn(run, &sampleConfig())), expected) << text;
  }
}

/// Sets the time zone of the process while it lives.
class InZone {
 public:
  explicit InZone(const char* zone) : before_(std::getenv("TZ") == nullptr ? "" : std::getenv("TZ")) { set(zone); }
  ~InZone() { set(before_.c_str()); }

 private:
  static void set(const char* zone) {
    *zone == 0 ? ::unsetenv("TZ") : ::setenv("TZ", zone, 1);
    ::tzset();
  }
  std::string before_;
};

TEST(RunFilterTest, GoesByTheDatesThatTheReaderSees) {
  const InZone losAngeles("PST8PDT,M3.2.0,M11.1.0");
  RunSummary run = sampleRun();
  run.createdMs = 1795841703000;  // 2026-11-28T04:55:03Z, 20:55:03 of the day before there
  const std::vector<std::tuple<const char*, bool, bool>> cases = {{"created = 2026-11-27", true, false},
                                                                  {"created = 2026-11-28", false, true},
                                                                  {"created >= '2026-11-27 21:00'", false, true},
                                                                  {"created ~ 20:55", true, false},
                                                                  {"created in (2026-11-27, 2026-11-26)", true, false},
                                                                  {"created != 2026-11-27", false, true},
                                                                  {"created = 2026-11-28T04:55Z", true, true},
                                                                  {"created < 2026-11-28T04:55:03Z", false, false}};
  for (const auto& [text, inWindow, inUtc] : cases) {
    const auto filter = RunFilter::parse(text);
    ASSERT_TRUE(filter.ok()) << text << ": " << filter.error().text();
    EXPECT_EQ(filter->passes(lookupIn(run, nullptr, TimeZone::Local)), inWindow) << text;
    EXPECT_EQ(filter->passes(lookupIn(run, nullptr)), inUtc) << text;
  }
}

TEST(RunFilterTest, APausedRunIsOneThatRuns) {
  RunSummary run = sampleRun();
  run.status = RunStatus::Running;
  run.paused = true;
  for (const auto& [text, expected] :
       {std::pair{"status = paused", true}, std::pair{"status = running", true},
        std::pair{"status in (paused, failed)", true}, std::pair{"status = failed", false}}) {
    const auto filter = RunFilter::parse(text);
    ASSERT_TRUE(filter.ok()) << text << ": " << filter.error().text();
    EXPECT_EQ(filter->passes(lookupIn(run, &sampleConfig())), expected) << text;
  }
}

TEST(RunFilterTest, SaysWhereAndWhatIsWrong) {
  struct Case {
    std::string text;
    std::string position;
    std::string says;
  };
  const std::vector<Case> cases = {
      {"batch.global_train_batch_sise > 64", "position 1:", "did you mean 'batch.global_train_batch_size'?"},
      {"status = finished and los < 3", "position 23:", "did you mean 'loss'?"},
      {"status = finishd", "position 10:", "there is no status 'finishd'"},
      {"loss <", "position 7:", "a value is expected after '<', found 'the end'"},
      {"loss < few", "position 8:", "needs a number"},
      {"created > 2026-11-28T04:55+01:00", "position 11:", "needs a date here, such as 2026-11-21 or"},
      {"created = '2026-11-28 9 pm'", "position 11:", "needs a date"},
      {"(loss < 3", "position 1:", "not closed"},
      {"loss < 3)", "position 9:", "is not expected here"},
      {"and loss < 3", "position 1:", "a condition is expected"},
      {"loss < 3 and", "position 13:", "a condition is expected"},
      {"name = 'x", "position 8:", "not closed"},
      {"loss & 3", "position 6:", "has no meaning here"},
      {"lr in 3", "position 7:", "list in parentheses"},
      {"lr in (3 4)", "position 10:", "comma"},
      {"lr in ()", "position 8:", "a value is expected"},
      {"lr in (3", "position 9:", "comma or ')'"}};
  for (const Case& one : cases) {
    const auto filter = RunFilter::parse(one.text);
    ASSERT_FALSE(filter.ok()) << one.text;
    EXPECT_EQ(filter.error().code, ErrorCode::Config);
    EXPECT_THAT(filter.error().message, HasSubstr(one.position)) << one.text;
    EXPECT_THAT(filter.error().message, HasSubstr(one.says)) << one.text;
  }
}

TEST(RunFilterTest, AnyTextIsReadOrRefused) {
  EXPECT_FALSE(RunFilter::parse(std::string(5'000, '(')).ok());
  EXPECT_FALSE(RunFilter::parse(std::string(5'000, '!') + "x").ok());
  EXPECT_FALSE(RunFilter::parse(std::string(20'000, 'x')).ok());
  std::string many = "x";
  for (int i = 0; i < 4'000; ++i) many += " x";
  const auto filter = checked(RunFilter::parse(many));
  const RunSummary run = sampleRun();
  EXPECT_FALSE(filter->passes(lookupIn(run, nullptr)));
}

TEST(RunFilterTest, TellsWhetherConfigurationsAreNeeded) {
  EXPECT_FALSE(RunFilter::parse("ramp and status = finished")->needsConfig());
  EXPECT_TRUE(RunFilter::parse("ramp or optimizer.lr > 1")->needsConfig());
  EXPECT_FALSE(RunFilter::parse("")->needsConfig());
}

TEST(RunFilterTest, GetsOneMoreCondition) {
  EXPECT_EQ(withCondition(" ", "tag = a"), "tag = a");
  EXPECT_EQ(withCondition("ramp", "tag = a"), "ramp and tag = a");
  EXPECT_EQ(withCondition("ramp or base", "tag = a"), "(ramp or base) and tag = a");
}

}  // namespace
}  // namespace batchwise::test
