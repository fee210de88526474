// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "core/model/backend_check.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

const CheckedGpu kGpu{"NVIDIA H200", "00ff", "580.65.06", "0.1.0"};

std::vector<OperationCheck> allGood() {
  std::vector<OperationCheck> checks;
  for (const OperationGroup group : kOperationGroups)
    for (const std::string& type : checkedTypes()) checks.push_back({group, type, 0.1 + 0.2, {}});
  return checks;
}

class RememberedChecksTest : public testing::Test {
 protected:
  std::vector<OperationCheck> checked(const CheckedGpu& gpu = kGpu) {
    return rememberedChecks(folder_ / "cache", gpu, [this] {
      ++times_;
      return outcome_;
    });
  }
  std::filesystem::path file() const { return rememberedChecksFile(folder_ / "cache", kGpu); }
  std::string text() const {
    std::ostringstream all;
    all << std::ifstream(file()).rdbuf();
    return all.str();
  }

  test::TempFolder folder_;
  std::vector<OperationCheck> outcome_ = allGood();
  int times_ = 0;
};

TEST_F(RememberedChecksTest, TheOutcomeOfAFirstUseIsThatOfTheNext) {
  outcome_[4].error = 7.5;
  outcome_[5].error = std::numeric_limits<double>::quiet_NaN();
  outcome_[6].error = std::numeric_limits<double>::infinity();
  checked();
  const auto again = checked();
  EXPECT_EQ(times_, 1);
  ASSERT_EQ(again.size(), outcome_.size());
  for (std::size_t i = 0; i < again.size(); ++i) {
    EXPECT_EQ(again[i].group, outcome_[i].group);
    EXPECT_EQ(again[i].type, outcome_[i].type);
    EXPECT_EQ(again[i].good(), i < 4 || i > 6) << i;
  }
  EXPECT_EQ(again[0].error, outcome_[0].error);
  EXPECT_EQ(again[4].error, 7.5);
}

TEST_F(RememberedChecksTest, AnotherCardDriverOrBuildIsCheckedToo) {
  checked();
  CheckedGpu other = kGpu;
  other.uuid = "00fe";
  checked(other);
  other = kGpu;
  other.driver = "590.1";
  checked(other);
  other = kGpu;
  other.build = "0.1.1";
  checked(other);
  other = kGpu;
  other.name = "NVIDIA H100";
  checked(other);
  EXPECT_EQ(times_, 5);
  checked(other);
  EXPECT_EQ(times_, 5);
}

TEST_F(RememberedChecksTest, WithoutAFolderNothingIsRemembered) {
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const auto check = [this] {
    ++times_;
    return outcome_;
  };
  for (int times = 0; times < 2; ++times) EXPECT_EQ(rememberedChecks({}, kGpu, check).size(), outcome_.size());
  std::filesystem::current_path(here);
  EXPECT_EQ(times_, 2);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(RememberedChecksTest, AFileOfAnotherCardIsNotBelieved) {
  CheckedGpu other = kGpu;
  other.uuid = "00fe";
  checked(other);
  std::filesystem::rename(rememberedChecksFile(folder_ / "cache", other), file());
  checked();
  EXPECT_EQ(times_, 2);
}

TEST_F(RememberedChecksTest, ADamagedFileIsReplaced) {
  checked();
  const std::string whole = text();
  ASSERT_GT(whole.size(), 500U);
  std::vector<std::string> damaged = {"", "{}", "null", "[]", whole + whole, std::string(2 << 20, ' ')};
  for (std::size_t length = 0; length + 2 < whole.size(); length += 97) damaged.push_back(whole.substr(0, length));
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"\"fp16\"", "\"fp32\""},
                                                                                 {"\"norm\"", "\"form\""},
                                                                                 {"\"norm\"", "7"},
                                                                                 {"true", "false"},
                                                                                 {"\"good\"", "\"food\""},
                                                                                 {"gpu-check/1", "gpu-check/2"}}) {
    damaged.push_back(whole);
    damaged.back().replace(whole.find(from), from.size(), to);
  }
  for (const std::string& content : damaged) {
    times_ = 0;
    std::ofstream(file(), std::ios::trunc) << content;
    EXPECT_EQ(checked().size(), outcome_.size());
    EXPECT_EQ(times_, 1) << content.substr(0, 200);
    checked();
    EXPECT_EQ(times_, 1);
    EXPECT_EQ(text(), whole);
  }
}

TEST_F(RememberedChecksTest, WhatThrewIsTriedAgain) {
  outcome_[2].problem = "CUDA out of memory";
  EXPECT_FALSE(checked()[2].good());
  EXPECT_FALSE(checked()[2].good());
  EXPECT_EQ(times_, 2);
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(RememberedChecksTest, AFolderThatCannotBeMadeIsNoError) {
  std::ofstream(folder_ / "cache") << "a file";
  EXPECT_EQ(checked().size(), outcome_.size());
  EXPECT_EQ(checked().size(), outcome_.size());
  EXPECT_EQ(times_, 2);
}

TEST(BuildIdentityTest, IsTheSameWithinOneBuildAndNamesLibTorch) {
  EXPECT_EQ(buildIdentity(), buildIdentity());
  EXPECT_THAT(buildIdentity(), testing::AllOf(testing::HasSubstr("LibTorch 2."), testing::HasSubstr("bytes of")));
}

}  // namespace
}  // namespace batchwise
