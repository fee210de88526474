// SPDX-License-Identifier: GPL-3.0-or-later
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <cmath>

#include "core/store/archive/run_archive.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/score.h"
#include "core/store/workspace.h"
#include "tests/store/store_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ScoresTest : public testing::Test {
 protected:
  Score scoreOf(std::int64_t seed, double value) const {
    Score score;
    score.run = run_;
    score.model = "checkpoints/c1.sqlite";
    score.task = "movie-reviews";
    score.taskHash = "a1b2";
    score.method = "finetune";
    score.metric = "accuracy";
    score.split = "validation";
    score.seed = seed;
    score.rate = 5e-5;
    score.value = value;
    score.examples = 3;
    score.atMs = 1'000 + seed;
    score.predictions = {{0, "1", "1", 1}, {1, "0", "1", 0}, {2, "0", "ä\"", 0}};
    return score;
  }
  static Score withoutPredictions(Score score) {
    score.predictions.clear();
    return score;
  }
  /// Adds "c2".
  void addCheckpoint() {
    auto file = CheckpointWriter::create(workspace_->checkpointFolder() / "c2.sqlite", 100);
    ASSERT_TRUE(file.ok() && file->finish({{"clock", "{}"}}).ok());
    const auto writer = startRun(workspace_, run_, afterBatches(10));
    ASSERT_TRUE(writer->addCheckpoint(checkpointOf("c2", 10, "checkpoints/c2.sqlite")).ok());
    writer->publish(RunFinished{RunStatus::Finished, "", afterBatches(10), ""});
    ASSERT_TRUE(writer->flush().ok());
  }

  TempFolder folder_;
  std::shared_ptr<Workspace> workspace_ = openStore(folder_ / "w");
  std::string run_ = fillStore(workspace_, 10);
};

TEST_F(ScoresTest, AreFoundAgain) {
  Score folder = scoreOf(1, 0.5);
  folder.run.clear();
  folder.model = "/models/bert";
  folder.task = "other";
  ASSERT_TRUE(workspace_->addScores({scoreOf(1, 0.25), scoreOf(2, std::nan("")), folder}).ok());
  const auto all = checked(workspace_->scores());
  ASSERT_THAT(*all, SizeIs(3));
  EXPECT_EQ(all->at(0), withoutPredictions(scoreOf(1, 0.25)));
  EXPECT_EQ(*workspace_->predictions(all->at(0)), scoreOf(1, 0).predictions);
  EXPECT_TRUE(std::isnan(all->at(2).value)) << "a model that diverged";
  EXPECT_THAT(*workspace_->scores({.run = run_}), SizeIs(2));
  EXPECT_THAT(*workspace_->scores({.run = ""}), testing::ElementsAre(withoutPredictions(folder)));
  EXPECT_THAT(*workspace_->scores({.model = "/models/bert"}), SizeIs(1));
  EXPECT_THAT(*workspace_->scores({.run = run_, .task = "other"}), IsEmpty());
  EXPECT_EQ(refused(workspace_->predictions(scoreOf(9, 0))).code, ErrorCode::NotFound);
  EXPECT_THAT(*workspace_->check(), IsEmpty());
}

TEST_F(ScoresTest, ANewerOneReplacesTheOlder) {
  ASSERT_TRUE(workspace_->addScores({scoreOf(1, 0.25)}).ok());
  Score again = scoreOf(1, 0.75);
  again.predictions.resize(1);
  Score otherRate = scoreOf(1, 0.5);
  otherRate.rate = 3e-5;
  ASSERT_TRUE(workspace_->addScores({again, otherRate}).ok());
  EXPECT_THAT(*workspace_->scores(), SizeIs(2));
  EXPECT_EQ(workspace_->predictions(again)->size(), 1U);
}

TEST_F(ScoresTest, AllOrNone) {
  Score unknown = scoreOf(2, 0.5);
  unknown.run = "abcdefghijkl";
  EXPECT_EQ(refused(workspace_->addScores({scoreOf(1, 0.5), unknown})).code, ErrorCode::NotFound);
  Score line = scoreOf(1, 0.5);
  line.task = "two\nlines";
  EXPECT_THAT(refused(workspace_->addScores({line})).message,
              HasSubstr("the task of a score contains a control character"));
  EXPECT_THAT(*workspace_->scores(), IsEmpty());
}

TEST_F(ScoresTest, OfACheckpointThatWasDeletedMeanwhileAreRefused) {
  ASSERT_TRUE(workspace_->deleteCheckpoint("c1").ok());
  EXPECT_EQ(refused(workspace_->addScores({scoreOf(1, 0.5)})).code, ErrorCode::NotFound);
}

TEST_F(ScoresTest, GoWithTheirCheckpointAndTheirRun) {
  addCheckpoint();
  Score other = scoreOf(1, 0.5);
  other.model = "checkpoints/c2.sqlite";
  ASSERT_TRUE(workspace_->addScores({scoreOf(1, 0.5), other}).ok());
  ASSERT_TRUE(workspace_->deleteCheckpoint("c1").ok());
  EXPECT_THAT(*workspace_->scores(), testing::ElementsAre(withoutPredictions(other)));
  ASSERT_TRUE(workspace_->deleteRun(run_).ok());
  EXPECT_THAT(*workspace_->scores(), IsEmpty());
  workspace_.reset();
  SQLite::Database database(folder_ / "w" / "workspace.sqlite");
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM score_example").getInt(), 0);
}

TEST_F(ScoresTest, ThoseOfAFolderGoWithoutThoseOfOthers) {
  Score one = scoreOf(1, 0.5), other = one;
  one.run = other.run = "";
  one.model = "/models/one";
  other.model = "/models/one/inner";
  ASSERT_TRUE(workspace_->addScores({scoreOf(1, 0.5), one, other}).ok());
  ASSERT_TRUE(workspace_->deleteFolderScores("/models/one").ok());
  EXPECT_THAT(*workspace_->scores(), SizeIs(2));
  EXPECT_THAT(*workspace_->scores({.model = "/models/one"}), IsEmpty());
}

TEST_F(ScoresTest, AnArchiveHasThoseOfItsCheckpoints) {
  addCheckpoint();
  Score other = scoreOf(1, 0.5);
  other.model = "checkpoints/c2.sqlite";
  ASSERT_TRUE(workspace_->addScores({scoreOf(1, 0.25), other}).ok());
  const auto there = openStore(folder_ / "there");
  for (const char* checkpoints : {"c1", "none"}) {
    const auto file = folder_ / (std::string(checkpoints) + ".bwarchive");
    ASSERT_TRUE(exportArchive(*workspace_, run_, *parseCheckpointSelection(checkpoints), file).ok());
    const auto imported = checked(importArchive(*there, file, "", {}));
    const auto scores = checked(there->scores({.run = imported->run}));
    if (checkpoints == std::string("none")) {
      EXPECT_THAT(*scores, IsEmpty());
      continue;
    }
    ASSERT_THAT(*scores, SizeIs(1));
    EXPECT_EQ(scores->front().model, there->checkpoints(imported->run)->front().file);
    EXPECT_EQ(scores->front().value, 0.25);
    EXPECT_EQ(*there->predictions(scores->front()), scoreOf(1, 0).predictions);
  }
}

}  // namespace
}  // namespace batchwise::test
