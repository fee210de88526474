// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/rank_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <map>

#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Environment environmentOf(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

class RankGroupTest : public testing::Test {
 protected:
  // A port that was free a moment ago: MASTER_PORT is one below.
  static int freePort() {
    const auto line = RankChannel::lead(2, "word");
    return line.ok() ? (*line)->endpoint().port - 1 : 0;
  }
  std::map<std::string, std::string> launch() const {
    return {{"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", std::to_string(port_)}, {"XDG_CACHE_HOME", home_.path()}};
  }
  using Met = Result<std::shared_ptr<RankChannel>>;
  static std::future<Met> meeting(std::int64_t rank, const Environment& environment) {
    return std::async(std::launch::async, [=] {
      return rendezvousByEnvironment({"torchrun", rank, 2, rank}, environment);
    });
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

  const int port_ = freePort();
  test::TempFolder home_;
};

TEST_F(RankGroupTest, WithoutAFolderOfTheUsersTheSecretIsWrittenNowhere) {
  auto homeless = launch();
  homeless["XDG_CACHE_HOME"] = "relative";
  for (const std::int64_t rank : {0, 1}) {
    const Met met = meeting(rank, environmentOf(homeless)).get();
    ASSERT_FALSE(met.ok());
    EXPECT_NE(met.error().text().find("BATCHWISE_RANK_SECRET"), std::string::npos) << met.error().text();
    EXPECT_NE(met.error().text().find("$HOME"), std::string::npos) << met.error().text();
  }
  EXPECT_FALSE(fs::exists("relative"));
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

  // A file that a killed launch left: rank 1 comes first, reads it, is not let in, and reads again.
  a = Error::internal("gone");
  b = Error::internal("gone");
  std::ofstream(file) << "old";
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  auto early = meeting(1, environmentOf(launch()));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  auto late = meeting(0, environmentOf(launch()));
  a = late.get();
  b = early.get();
  expectTheyTalk(a, b);
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
  const auto held = RankChannel::lead(2, "of another run", port_ + 1);
  ASSERT_TRUE(held.ok());
  auto values = launch();
  values["BATCHWISE_RANK_SECRET"] = "of this job";
  const Met first = rendezvousByEnvironment({"torchrun", 0, 2, 0}, environmentOf(values));
  ASSERT_FALSE(first.ok());
  EXPECT_THAT(first.error().text(),
              HasSubstr("port " + std::to_string(port_ + 1) + ", where the other ranks connect to rank 0"));
  const Met second = rendezvousByEnvironment({"torchrun", 1, 2, 1}, environmentOf(values));
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().text(), HasSubstr("cannot prove that it is rank 0 of this run"));
}

TEST_F(RankGroupTest, ALauncherThatNamesNoAddressIsRefused) {
  const auto met = rendezvousByEnvironment({"srun", 1, 2, 1}, environmentOf({{"SLURM_JOB_ID", "7"}}));
  ASSERT_FALSE(met.ok());
  EXPECT_EQ(met.error().code, ErrorCode::Unsupported);
  EXPECT_THAT(met.error().text(), HasSubstr("srun --mpi=pmix"));
}

}  // namespace
}  // namespace batchwise
