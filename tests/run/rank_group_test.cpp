// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/rank_group.h"

#include <gmock/gmock.h>

#include <array>
#include <functional>
#include <future>
#include <map>

#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

using testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Result<MeetingPoint> pointOf(const std::string& launcher, const Variables& variables) {
  return meetingPoint({launcher, 0, 2, 0}, [&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(MeetingPointTest, IsWhereTheLauncherSays) {
  const struct {
    const char* launcher;
    Variables variables;
    const char* point;
    bool servedByLauncher, onOneMachine;
  } cases[] = {
      {"torchrun", {{"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29400"}}, "node1:29400", false, false},
      {"torchrun", {{"MASTER_ADDR", "node1"}}, "node1:29500", false, false},
      {"torchrun", {{"MASTER_ADDR", "node1"}, {"LOCAL_WORLD_SIZE", "1"}}, "node1:29500", false, false},
      {"torchrun", {{"MASTER_ADDR", "node1"}, {"LOCAL_WORLD_SIZE", "2"}}, "127.0.0.1:29500", false, true},
      {"torchrun", {{"MASTER_ADDR", "localhost"}, {"MASTER_PORT", "1"}}, "127.0.0.1:1", false, true},
      {"torchrun",
       {{"MASTER_ADDR", "node1"}, {"LOCAL_WORLD_SIZE", "2"}, {"TORCHELASTIC_USE_AGENT_STORE", "True"}},
       "node1:29500",
       true,
       true},
      {"torchrun", {{"MASTER_ADDR", "node1"}, {"TORCHELASTIC_USE_AGENT_STORE", "False"}}, "node1:29500", false, false},
      {"srun", {{"SLURM_STEP_NODELIST", "node[3-5,9]"}, {"SLURM_JOB_ID", "7"}}, "node3:15007", false, false},
      {"srun", {{"SLURM_STEP_NODELIST", "a,b"}, {"SLURM_JOB_ID", "1234567"}}, "a:19567", false, false},
      {"srun",
       {{"SLURM_STEP_NODELIST", "a"}, {"SLURM_STEP_NUM_NODES", "1"}, {"SLURM_JOB_ID", "7"}, {"MASTER_PORT", "2"}},
       "127.0.0.1:2",
       false,
       true},
      {"srun", {{"SLURM_STEP_NODELIST", "a,b"}, {"MASTER_ADDR", "c"}, {"MASTER_PORT", "2"}}, "c:2", false, false},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.point);
    const auto point = test::checked(pointOf(one.launcher, one.variables));
    EXPECT_EQ(point->text(), one.point);
    EXPECT_EQ(point->servedByLauncher, one.servedByLauncher);
    EXPECT_EQ(point->onOneMachine, one.onOneMachine);
  }
}

TEST(MeetingPointTest, IsAnotherAfterARestartOfTorchrun) {
  const auto first = pointOf("torchrun", {{"MASTER_ADDR", "node1"}, {"TORCHELASTIC_RESTART_COUNT", "0"}});
  const auto again = pointOf("torchrun", {{"MASTER_ADDR", "node1"}, {"TORCHELASTIC_RESTART_COUNT", "1"}});
  EXPECT_NE(first->prefix, again->prefix);
}

TEST(MeetingPointTest, NeedsAnAddressAndAPort) {
  const Error nowhere = test::refused(pointOf("srun", {{"SLURM_JOB_ID", "7"}}));
  EXPECT_EQ(nowhere.code, ErrorCode::Unsupported);
  EXPECT_THAT(nowhere.text(), HasSubstr("srun --mpi=pmix"));
  for (const char* none : {"http", "-1", "65536", "29500x"}) {
    const Error point = test::refused(pointOf("torchrun", {{"MASTER_ADDR", "node1"}, {"MASTER_PORT", none}}));
    EXPECT_EQ(point.code, ErrorCode::Config);
    EXPECT_THAT(point.text(), HasSubstr("MASTER_PORT is '" + std::string(none) + "'"));
  }
}

/// Two ranks in this process, with what they answered each other.
class RankGroupTest : public testing::Test {
 protected:
  template <typename Answer>
  static std::array<Answer, 2> ofEach(const std::function<Answer(RankGroup&)>& ask) {
    MeetingPoint free;
    free.onOneMachine = true;
    EXPECT_TRUE(openRankPort(free).ok());
    const test::EnvironmentVariable host("MASTER_ADDR", "localhost");
    const test::EnvironmentVariable port("MASTER_PORT", std::to_string(free.port));
    const auto asked = [&](std::int64_t rank) {
      return std::async(std::launch::async, [&ask, rank] {
        const auto group = RankGroup::connect({"torchrun", rank, 2, rank});
        return group.ok() ? ask(**group) : Answer(group.error());
      });
    };
    auto first = asked(0), second = asked(1);
    return {first.get(), second.get()};
  }
};

TEST_F(RankGroupTest, ARankWithoutALimitDoesNotHideThatOfAnother) {
  using Answer = Result<std::int64_t>;
  struct Case {
    std::array<std::int64_t, 2> own;
    std::int64_t smallest;
  };
  for (const Case& one : {Case{{16, 8}, 8}, Case{{0, 8}, 8}, Case{{16, 0}, 16}, Case{{0, 0}, 0}})
    for (const Answer& answer : ofEach<Answer>(
             [&one](RankGroup& ranks) { return ranks.smallest(one.own[static_cast<std::size_t>(ranks.rank())]); })) {
      ASSERT_TRUE(answer.ok()) << answer.error().text();
      EXPECT_EQ(*answer, one.smallest);
    }
}

TEST_F(RankGroupTest, ARankBeyondTheirNumberIsRefused) {
  const Error group = test::refused(RankGroup::connect({"torchrun", 2, 2, 2}));
  EXPECT_EQ(group.code, ErrorCode::Config);
  EXPECT_THAT(group.text(), HasSubstr("rank 2 of 2"));
}

TEST_F(RankGroupTest, RanksOnDifferentKindsOfDeviceAreToldOfEachOther) {
  using Answer = Result<void>;
  for (const Answer& answer : ofEach<Answer>([](RankGroup& ranks) {
         return ranks.open(ranks.rank() == 0 ? c10::Device(c10::kCUDA, 0) : c10::Device(c10::kCPU));
       })) {
    ASSERT_FALSE(answer.ok());
    EXPECT_THAT(answer.error().text(), HasSubstr("rank 0 trains on cuda, but rank 1 on cpu"));
  }
}

}  // namespace
}  // namespace batchwise
