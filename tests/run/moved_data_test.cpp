// SPDX-License-Identifier: GPL-3.0-or-later
// A resume whose text lies elsewhere than it did.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/run/launch/resolved_values.h"
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
    const auto first = checked(runs_.train(runs_.fresh(), 4));
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
  const auto goneOn = checked(runs_.train(runs_.resume(run_)));
  EXPECT_EQ(goneOn.end->status, RunStatus::Finished);
  EXPECT_TRUE(goneOn.log.hasNote("text.txt' is gone; "));
  EXPECT_TRUE(goneOn.log.hasPhase("looking for files that have moved", "bytes"));
  EXPECT_TRUE(goneOn.log.hasNote("archive/2024/renamed.md' has the same content"));
  EXPECT_TRUE(goneOn.log.hasNote("bit for bit"));
  EXPECT_EQ(runs_.newest(run_).facts.config.data.train.names().size(), 1U);
  EXPECT_THAT(runs_.newest(run_).facts.config.data.train.names().front(), HasSubstr("renamed.md"));
}

TEST_F(MovedDataTest, WithoutItTheErrorSaysWhatWouldDo) {
  fs::remove(text_);
  const SmallRuns::Outcome refused = runs_.train(runs_.resume(run_));
  ASSERT_FALSE(refused.end.ok());
  EXPECT_EQ(refused.end.error().code, ErrorCode::NotFound);
  EXPECT_THAT(refused.end.error().text(), HasSubstr("text.txt' is missing, and no file with its content"));
  EXPECT_THAT(refused.end.error().text(), HasSubstr("its new place in data.train"));
}

TEST_F(MovedDataTest, AnotherTextInItsPlaceIsRefused) {
  std::ofstream(text_, std::ios::app) << "\n\nAnother paragraph that was not there before.\n";
  const SmallRuns::Outcome refused = runs_.train(runs_.resume(run_));
  ASSERT_FALSE(refused.end.ok());
  EXPECT_EQ(refused.end.error().code, ErrorCode::Config);
}

/// A run of a configuration without a file, as one of the window on a person's own text: names start nowhere.
class RunWithoutAFileTest : public MovedDataTest {
 protected:
  std::string absoluteText() const { return "data.train=['" + text_.native() + "']"; }
  SmallRuns::Outcome trainWithoutAFile(const std::vector<std::string>& changes) {
    LaunchRequest request = runs_.fresh(changes);
    request.config.baseFolder.clear();
    return runs_.train(request, 4);
  }
  /// As the command line and the window ask for it.
  LaunchRequest resume(const std::string& run) const {
    LaunchRequest request;
    request.workspace = runs_.folder() / "workspace";
    request.resumeRun = run;
    return request;
  }
  /// Rewrites what the checkpoints of a run hold.
  void rewrite(const std::string& run, const std::function<void(CheckpointState&)>& change) {
    const auto records = checked(runs_.workspace()->checkpoints(run));
    ASSERT_FALSE(records->empty());
    for (const CheckpointRecord& record : *records) {
      const fs::path file = runs_.folder() / "workspace" / record.file;
      auto state = checked(readCheckpoint(file));
      change(*state);
      ASSERT_TRUE(writeCheckpoint(file, *state).ok());
    }
  }
};

TEST_F(RunWithoutAFileTest, GoesOnAndIsForkedAndKnowsWhereItsNamesStart) {
  const SmallRuns::Outcome first = trainWithoutAFile({absoluteText()});
  ASSERT_TRUE(first.end.ok()) << first.end.error().text();
  EXPECT_EQ(runs_.newest(first.run()).facts.resolved.at(resolved_names::kBaseFolder), fs::current_path());
  const auto resumed = checked(runs_.train(resume(first.run()), 6));
  LaunchRequest fork = resume(first.run());
  fork.fork = true;
  const auto forked = checked(runs_.train(fork));
  EXPECT_EQ(forked.end->status, RunStatus::Finished);
}

TEST_F(RunWithoutAFileTest, FindsAFolderOfTextThatWasRenamed) {
  const fs::path before = runs_.folder() / "far/away/texts", after = runs_.folder() / "far/away/mein T\xC3\xA4xt";
  fs::create_directories(before);
  fs::rename(text_, before / "a.txt");
  const SmallRuns::Outcome first = trainWithoutAFile({"data.train=['" + before.native() + "']"});
  ASSERT_TRUE(first.end.ok()) << first.end.error().text();
  fs::rename(before, after);
  const auto resumed = checked(runs_.train(resume(first.run())));
  EXPECT_THAT(runs_.newest(first.run()).facts.config.data.train.names().front(), HasSubstr("mein T\xC3\xA4xt/a.txt"));
}

TEST_F(RunWithoutAFileTest, ThatNamedTextBesideTheDemoGoesOnAndCannotBeLaunchedAnew) {
  const auto first = checked(runs_.train(runs_.fresh({"data.format=demo", "data.train=[]"}), 4));
  rewrite(first.run(), [](CheckpointState& state) {
    std::string& config = state.facts.at("config");
    config.replace(config.find("train: []"), 9, "train: [text.txt]");
  });
  const auto resumed = checked(runs_.train(resume(first.run())));
  const SmallRuns::Outcome refused = runs_.train(runs_.fresh({"data.format=demo"}));
  ASSERT_FALSE(refused.end.ok());
  EXPECT_THAT(refused.end.error().text(), HasSubstr("data.train: names text, but data.format is demo"));
}

}  // namespace
}  // namespace batchwise::test
