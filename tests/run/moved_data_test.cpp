// SPDX-License-Identifier: GPL-3.0-or-later
// A resume whose text lies elsewhere than it did.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/run/small_run.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class MovedDataTest : public testing::Test {
 protected:
  void SetUp() override {
    // Nobody else's folder, beside this one, has the same text.
    std::ofstream(text_, std::ios::app) << "\n\nA paragraph of " << runs_.folder().filename().native() << ".\n";
    // Files that change while they are read are not remembered: this one has lain there for a while.
    fs::last_write_time(text_, fs::file_time_type::clock::now() - std::chrono::hours(1));
    const SmallRuns::Outcome first = runs_.train(runs_.fresh(), 4);
    ASSERT_TRUE(first.end.ok()) << first.end.error().text();
    run_ = first.run();
  }
  SmallRuns runs_;
  fs::path text_ = runs_.folder() / "text.txt";
  std::string run_;
};

TEST_F(MovedDataTest, AFileThatMovedIsFoundByItsContent) {
  fs::create_directories(runs_.folder() / "archive/2024");
  std::ofstream(runs_.folder() / "archive/other.txt") << std::string(fs::file_size(text_), 'x');  // of the same size
  fs::rename(text_, runs_.folder() / "archive/2024/renamed.md");
  const SmallRuns::Outcome goneOn = runs_.train(runs_.resume(run_));
  ASSERT_TRUE(goneOn.end.ok()) << goneOn.end.error().text();
  EXPECT_EQ(goneOn.end->status, RunStatus::Finished);
  EXPECT_TRUE(goneOn.log.hasNote("text.txt' is gone; "));
  EXPECT_TRUE(goneOn.log.hasPhase("looking for files that have moved", "bytes"));
  EXPECT_TRUE(goneOn.log.hasNote("archive/2024/renamed.md' has the same content"));
  EXPECT_TRUE(goneOn.log.hasNote("bit for bit"));
  EXPECT_EQ(runs_.newest(run_).facts.config.data.train.size(), 1U);
  EXPECT_THAT(runs_.newest(run_).facts.config.data.train.front(), HasSubstr("renamed.md"));
}

TEST_F(MovedDataTest, WithoutItTheErrorSaysWhatWouldDo) {
  fs::remove(text_);
  const SmallRuns::Outcome refused = runs_.train(runs_.resume(run_));
  ASSERT_FALSE(refused.end.ok());
  EXPECT_EQ(refused.end.error().code, ErrorCode::NotFound);
  EXPECT_THAT(refused.end.error().text(), HasSubstr("text.txt' is gone, and no file with its content"));
  EXPECT_THAT(refused.end.error().text(), HasSubstr("--set data.train"));
}

TEST_F(MovedDataTest, AnotherTextInItsPlaceIsRefused) {
  std::ofstream(text_, std::ios::app) << "\n\nAnother paragraph that was not there before.\n";
  const SmallRuns::Outcome refused = runs_.train(runs_.resume(run_));
  ASSERT_FALSE(refused.end.ok());
  EXPECT_EQ(refused.end.error().code, ErrorCode::Config);
}

}  // namespace
}  // namespace batchwise::test
