// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/rank_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <map>

#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using namespace std::string_literals;

Environment environmentOf(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

class RankGroupTest : public testing::Test {
 protected:
  // A port that was free a moment ago.
  static int freePort() {
    const auto line = RankChannel::lead(2, "word");
    return line.ok() ? (*line)->endpoint().port : 0;
  }
  std::map<std::string, std::string> launch() const {
    return {{"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "29500"}, {"XDG_CACHE_HOME", home_.path()}};
  }
  using Met = Result<std::shared_ptr<RankChannel>>;
  static std::future<Met> meeting(std::int64_t rank, const Environment& environment, const char* by = "torchrun") {
    return std::async(std::launch::async, [=] { return rendezvousByEnvironment({by, rank, 2, rank}, environment); });
  }
  std::vector<fs::path> secrets() const {
    std::vector<fs::path> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(home_ / "batchwise", none)) found.push_back(entry.path());
    return found;
  }
  static void expectTheyTalk(Met& first, Met& second) {
    ASSERT_TRUE(first.ok()) << first.error().text();
    ASSERT_TRUE(second.ok()) << second.error().text();
    auto said = std::async(std::launch::async, [&second] { return (*second)->exchange("one"); });
    EXPECT_TRUE((*first)->exchange("zero").ok());
    EXPECT_TRUE(said.get().ok());
  }

  test::TempFolder home_;
};

TEST_F(RankGroupTest, WhereTheFolderOfTheUserCannotBeMadeTheSecretCanBeGiven) {
  auto launched = launch();
  launched["XDG_CACHE_HOME"] = "/proc/none";
  const Met met = meeting(0, environmentOf(launched)).get();
  ASSERT_FALSE(met.ok());
  EXPECT_NE(met.error().text().find("BATCHWISE_RANK_SECRET"), std::string::npos) << met.error().text();
  EXPECT_NE(met.error().text().find("/proc/none"), std::string::npos) << met.error().text();
}

TEST_F(RankGroupTest, TheSecretIsInAFileOfThisUsersUntilAllHaveCome) {
  auto first = meeting(0, environmentOf(launch()));
  for (int looks = 0; looks < 500 && secrets().empty(); ++looks)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(secrets().size(), 1u);
  struct stat status {};
  ASSERT_EQ(stat(secrets().front().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600u);
  auto second = meeting(1, environmentOf(launch()));
  Met a = first.get(), b = second.get();
  expectTheyTalk(a, b);
  EXPECT_GE((*a)->endpoint().secret.size(), 20u);
  EXPECT_TRUE(secrets().empty());
}

TEST_F(RankGroupTest, WhatAnEarlierLaunchLeftIsReplaced) {
  std::string secret;
  {
    auto first = meeting(0, environmentOf(launch()));
    auto second = meeting(1, environmentOf(launch()));
    Met a = first.get(), b = second.get();
    expectTheyTalk(a, b);
    secret = (*a)->endpoint().secret;
  }
  auto again = meeting(0, environmentOf(launch()));
  for (int looks = 0; looks < 500 && secrets().empty(); ++looks)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(secrets().size(), 1u);
  const fs::path file = secrets().front();
  auto joined = meeting(1, environmentOf(launch()));
  Met a = again.get(), b = joined.get();
  expectTheyTalk(a, b);
  EXPECT_NE((*a)->endpoint().secret, secret);

  // A file that a killed launch left: rank 1 comes first, reads it, is not let in, and reads again. Another run has the
  // port meanwhile, or nobody.
  const auto stranger = RankChannel::lead(2, "of another run");
  ASSERT_TRUE(stranger.ok());
  for (const std::string& left : {std::to_string((*stranger)->endpoint().port) + " old", "1 old"s, "1"s, ""s}) {
    SCOPED_TRACE(left);
    a = Error::internal("gone");
    b = Error::internal("gone");
    std::ofstream(file) << left;
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    auto early = meeting(1, environmentOf(launch()));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    auto late = meeting(0, environmentOf(launch()));
    a = late.get();
    b = early.get();
    expectTheyTalk(a, b);
  }
}

// torchrun of each launch listens on its MASTER_PORT, often the next one of the launch before.
TEST_F(RankGroupTest, LaunchesOnOneMachineDoNotMeetOnEachOthersPorts) {
  for (const bool withSecret : {false, true}) {
    std::vector<std::shared_ptr<RankChannel>> torchruns;
    std::vector<std::future<Met>> ranks;
    const int first = freePort();
    for (int index = 0; index < 3; ++index) {
      auto torchrun = RankChannel::lead(2, "of torchrun", first + index);
      if (!torchrun.ok()) GTEST_SKIP() << torchrun.error().text();
      torchruns.push_back(*torchrun);
    }
    for (int index = 0; index < 2; ++index) {
      auto values = launch();
      values["MASTER_PORT"] = std::to_string(first + index);
      if (withSecret) values["BATCHWISE_RANK_SECRET"] = "of launch " + std::to_string(index);
      for (const std::int64_t rank : {0, 1}) ranks.push_back(meeting(rank, environmentOf(values)));
    }
    std::vector<Met> met;
    for (std::future<Met>& rank : ranks) met.push_back(rank.get());
    for (const std::size_t launch : {0U, 2U}) expectTheyTalk(met[launch], met[launch + 1]);
  }
}

TEST_F(RankGroupTest, StepsOfSlurmJobsHavePortsOfTheirOwn) {
  std::vector<std::future<Met>> ranks;
  for (const char* job : {"7", "8"})
    for (const std::int64_t rank : {0, 1})
      ranks.push_back(meeting(rank,
                              environmentOf({{"SLURM_JOB_ID", job},
                                             {"SLURM_STEP_ID", "0"},
                                             {"SLURM_STEP_NODELIST", "127.0.0.1"},
                                             {"BATCHWISE_RANK_SECRET", std::string("of job ") + job}}),
                              "srun"));
  std::vector<Met> met;
  for (std::future<Met>& rank : ranks) met.push_back(rank.get());
  for (const std::size_t job : {0U, 2U}) expectTheyTalk(met[job], met[job + 1]);
  for (const Met& rank : met) {  // Linux gives those from 32768 on to connections
    EXPECT_GE((*rank)->endpoint().port, 20000);
    EXPECT_LT((*rank)->endpoint().port, 32768);
  }
}

TEST_F(RankGroupTest, ThePortCanBeSetWhateverTheLauncher) {
  const std::string port = std::to_string(freePort());
  auto torchrun = launch();
  torchrun["BATCHWISE_RANK_PORT"] = port;
  const std::map<std::string, std::string> srun = {
      {"SLURM_STEP_NODELIST", "127.0.0.1"}, {"BATCHWISE_RANK_SECRET", "of this job"}, {"BATCHWISE_RANK_PORT", port}};
  for (const auto& [by, values] : {std::pair("torchrun", torchrun), std::pair("srun", srun)}) {
    auto first = meeting(0, environmentOf(values), by);
    auto second = meeting(1, environmentOf(values), by);
    Met a = first.get(), b = second.get();
    expectTheyTalk(a, b);
    EXPECT_EQ(std::to_string((*a)->endpoint().port), port);
  }
  for (const char* none : {"http", "-1", "65536", "29500x"}) {
    torchrun["BATCHWISE_RANK_PORT"] = none;
    const Met met = rendezvousByEnvironment({"torchrun", 0, 2, 0}, environmentOf(torchrun));
    ASSERT_FALSE(met.ok());
    EXPECT_THAT(met.error().text(), HasSubstr("BATCHWISE_RANK_PORT is '" + std::string(none) + "'"));
  }
}

TEST_F(RankGroupTest, ASecretInTheEnvironmentNeedsNoFile) {
  auto values = launch();
  values["BATCHWISE_RANK_SECRET"] = "of this job";
  auto first = meeting(0, environmentOf(values));
  auto second = meeting(1, environmentOf(values));
  Met a = first.get(), b = second.get();
  expectTheyTalk(a, b);
  EXPECT_EQ((*a)->endpoint().secret, "of this job");
  EXPECT_TRUE(secrets().empty());
}

TEST_F(RankGroupTest, ASecretThatOthersCouldHaveWrittenIsNotUsed) {
  auto first = meeting(0, environmentOf(launch()));
  for (int looks = 0; looks < 500 && secrets().empty(); ++looks)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(secrets().size(), 1u);
  const fs::path file = secrets().front();
  fs::permissions(file, fs::perms::group_read, fs::perm_options::add);
  auto second = meeting(1, environmentOf(launch()));
  EXPECT_EQ(second.wait_for(std::chrono::milliseconds(700)), std::future_status::timeout);
  fs::permissions(file, fs::perms::group_read, fs::perm_options::remove);
  Met a = first.get(), b = second.get();
  expectTheyTalk(a, b);
}

TEST_F(RankGroupTest, APortThatAnotherProgramHoldsIsAnErrorThatSaysSo) {
  const auto held = RankChannel::lead(2, "of another run");
  ASSERT_TRUE(held.ok());
  const std::string port = std::to_string((*held)->endpoint().port);
  auto values = launch();
  values["BATCHWISE_RANK_SECRET"] = "of this job";
  values["BATCHWISE_RANK_PORT"] = port;
  const Met first = rendezvousByEnvironment({"torchrun", 0, 2, 0}, environmentOf(values));
  ASSERT_FALSE(first.ok());
  EXPECT_THAT(first.error().text(), AllOf(HasSubstr("port " + port + ", where the other ranks connect to rank 0"),
                                          HasSubstr("BATCHWISE_RANK_PORT")));
  const Met second = rendezvousByEnvironment({"torchrun", 1, 2, 1}, environmentOf(values));
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().text(), HasSubstr("cannot prove that it is rank 0 of this run"));
}

/// Two ranks in this process, with what they answered each other.
class ConnectedRanksTest : public RankGroupTest {
 protected:
  template <typename Answer>
  std::array<Answer, 2> ofEach(const std::function<Answer(RankGroup&)>& ask) {
    for (const auto& [name, value] : launch()) setenv(name.c_str(), value.c_str(), 1);
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

TEST_F(ConnectedRanksTest, ARankWithoutALimitDoesNotHideThatOfAnother) {
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

TEST_F(ConnectedRanksTest, RanksOnDifferentKindsOfDeviceAreToldOfEachOther) {
  using Answer = Result<void>;
  for (const Answer& answer : ofEach<Answer>([](RankGroup& ranks) {
         return ranks.open(ranks.rank() == 0 ? c10::Device(c10::kCUDA, 0) : c10::Device(c10::kCPU));
       })) {
    ASSERT_FALSE(answer.ok());
    EXPECT_THAT(answer.error().text(), HasSubstr("rank 0 trains on cuda, but rank 1 on cpu"));
  }
}

TEST_F(RankGroupTest, ALauncherThatNamesNoAddressIsRefused) {
  const auto met = rendezvousByEnvironment({"srun", 1, 2, 1}, environmentOf({{"SLURM_JOB_ID", "7"}}));
  ASSERT_FALSE(met.ok());
  EXPECT_EQ(met.error().code, ErrorCode::Unsupported);
  EXPECT_THAT(met.error().text(), HasSubstr("srun --mpi=pmix"));
}

}  // namespace
}  // namespace batchwise
