// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/score_comparison.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/comparison_tables.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/recording/run_writer.h"
#include "core/text/task_data.h"
#include "tests/analysis/comparison_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A score of 100 examples, of which the first `wrong` after `from` are wrong.
Score scoreWith(std::int64_t seed, int wrong, int from = 0) {
  Score score;
  score.task = "reviews";
  score.taskHash = "h";
  score.method = "probe";
  score.metric = "accuracy";
  score.split = "test";
  score.seed = seed;
  score.examples = 100;
  score.value = (100 - wrong) / 100.0;
  for (int i = 0; i < 100; ++i) {
    const bool isWrong = i >= from && i < from + wrong;
    score.predictions.push_back({i, "1", isWrong ? "0" : "1", isWrong ? 0.0 : 1.0});
  }
  return score;
}

std::vector<SeedScores> seeds(std::vector<Score> scores) {
  std::vector<SeedScores> all;
  for (Score& score : scores) all.push_back({std::to_string(score.seed), {std::move(score)}});
  return all;
}

TEST(ScoreComparisonTest, TwoCheckpointsAreComparedByTheirExamples) {
  const auto better = checked(compareScores(seeds({scoreWith(1, 5)}), seeds({scoreWith(1, 25)})));
  EXPECT_NEAR(better->difference, 0.2, 1e-12);
  EXPECT_EQ(better->verdict, Assessment::Better);
  EXPECT_EQ(better->text(), "better in 100 of 100 resamplings, of examples, for these two checkpoints only");
  EXPECT_EQ(noiseSourceName(better->noiseFrom), "examples");
  // The 20 examples that differ are a binomial part of 100: deviation 0.04.
  EXPECT_NEAR((*better->high - *better->low) / 2, 2.3646 * std::sqrt(0.2 * 0.8 / 100), 0.006);
  const auto close = checked(compareScores(seeds({scoreWith(1, 5)}), seeds({scoreWith(1, 4, 50)})));
  EXPECT_EQ(close->verdict, Assessment::WithinNoise);
  EXPECT_THAT(close->text(), testing::MatchesRegex("within noise .worse in 6[0-9] of 100 resamplings., of examples, "
                                                   "for these two checkpoints only"));
  EXPECT_FALSE(close->moreSeeds) << "of the same checkpoints nothing more can be told";
  EXPECT_EQ(checked(compareScores(seeds({scoreWith(1, 5)}), seeds({scoreWith(1, 5)})))->verdict, Assessment::Same);
}

TEST(ScoreComparisonTest, FewExamplesOfOneSeedTellNothing) {
  const auto few = [](double value) {
    Score score = scoreWith(1, value > 0 ? 0 : 100);
    score.predictions.resize(9);
    return seeds({score});
  };
  const auto found = checked(compareScores(few(1), few(0)));
  EXPECT_EQ(found->verdict, Assessment::NoiseUnknown);
  EXPECT_EQ(found->text(), "noise unknown");
}

TEST(ScoreComparisonTest, ASingleRunHasMoreNoiseThanMeansOfSeveralFineTunings) {
  const auto ofTwo = [](int wrong) {
    return SeedScores{std::to_string(wrong), {scoreWith(1, wrong), scoreWith(2, wrong + 1)}};
  };
  const std::vector<SeedScores> several{ofTwo(5), ofTwo(6), ofTwo(7)}, single{ofTwo(30)};
  EXPECT_EQ(checked(compareScores(several, single))->verdict, Assessment::Better);
  EXPECT_EQ(checked(compareScores(several, seeds({scoreWith(1, 30)})))->verdict, Assessment::NoiseUnknown);
}

TEST(ScoreComparisonTest, WordsOfASentenceAreResampledTogether) {
  const auto withWrong = [](int wrong) {  // of 20 sentences of ten words
    Score score = scoreWith(1, 0);
    score.predictions.clear();
    for (int sentence = 0; sentence < 20; ++sentence)
      for (int word = 0; word < 10; ++word) {
        const bool isWrong = sentence < wrong;
        score.predictions.push_back({firstWordOf(sentence) + word, "1", isWrong ? "0" : "1", isWrong ? 0.0 : 1.0});
      }
    score.value = (20 - wrong) / 20.0;
    return seeds({score});
  };
  const auto found = checked(compareScores(withWrong(0), withWrong(5)));
  // The five sentences that differ are a binomial part of 20; Student's t of 19 degrees.
  EXPECT_NEAR((*found->high - *found->low) / 2, 2.5395 * std::sqrt(0.25 * 0.75 / 20), 0.025);
}

TEST(ScoreComparisonTest, TheSameExamplesArePaired) {
  // Both are wrong on the same 30, one on three more: a paired comparison sees three examples, not 33 against 30.
  const auto found = checked(compareScores(seeds({scoreWith(1, 30)}), seeds({scoreWith(1, 33)})));
  EXPECT_NEAR((*found->high - *found->low) / 2, 2.3646 * std::sqrt(0.03 * 0.97 / 100), 0.004);
}

TEST(ScoreComparisonTest, SeedsThatVaryAreNoiseAndMoreWouldTell) {
  const auto own = seeds({scoreWith(1, 6), scoreWith(2, 14), scoreWith(3, 22)});
  const auto baseline = seeds({scoreWith(4, 21), scoreWith(5, 29), scoreWith(6, 37)});
  const auto found = checked(compareScores(own, baseline));
  EXPECT_EQ(found->verdict, Assessment::WithinNoise);
  EXPECT_EQ(found->noiseFrom, NoiseSource::Seeds);
  EXPECT_FALSE(found->isOfCheckpoints);
  ASSERT_TRUE(found->moreSeeds);
  EXPECT_THAT(found->text(),
              testing::MatchesRegex("within noise; about [0-9]+ more seeds would tell .better in 9[0-9] of 100.*"));
  const auto tiny =
      checked(compareScores(seeds({scoreWith(1, 6), scoreWith(2, 30)}), seeds({scoreWith(3, 7), scoreWith(4, 30)})));
  EXPECT_FALSE(tiny->moreSeeds) << "more than 30 would not do";
}

TEST(ScoreComparisonTest, SharedSeedsArePaired) {
  const auto own = seeds({scoreWith(1, 6), scoreWith(2, 20), scoreWith(3, 34), scoreWith(4, 48)});
  const auto baseline = seeds({scoreWith(1, 16), scoreWith(2, 31), scoreWith(3, 44), scoreWith(4, 57)});
  const auto found = checked(compareScores(own, baseline));
  EXPECT_EQ(found->noiseFrom, NoiseSource::PairedSeeds);
  EXPECT_EQ(found->verdict, Assessment::Better);
}

TEST(ScoreComparisonTest, SharedSeedsArePairedInAnyOrder) {
  const auto own = seeds({scoreWith(1, 6), scoreWith(2, 20), scoreWith(3, 34)});
  auto baseline = seeds({scoreWith(1, 16), scoreWith(2, 31), scoreWith(3, 44)});
  const auto found = checked(compareScores(own, baseline));
  EXPECT_GT(*found->betterShare, 0.99) << "each seed is better by ten examples";
  std::ranges::reverse(baseline);
  EXPECT_EQ(checked(compareScores(own, baseline))->betterShare, found->betterShare);
}

TEST(ScoreComparisonTest, ResamplesMetricsThatAreNoMean) {
  const auto as = [](const char* metric, Score score) {
    score.metric = metric;
    for (std::size_t i = 0; i < 50; ++i) {
      score.predictions[i].label = "0";
      score.predictions[i].prediction = score.predictions[i].score > 0 ? "0" : "1";
    }
    const bool isF1 = score.metric == "f1";
    score.value = isF1 ? 2 * 50.0 / (100 + 100 * (1 - score.value)) : score.value;
    return score;
  };
  const auto found = checked(compareScores(seeds({as("f1", scoreWith(1, 4))}), seeds({as("f1", scoreWith(1, 30))})));
  EXPECT_TRUE(found->betterShare);
  EXPECT_EQ(found->verdict, Assessment::Better);
}

TEST(ScoreComparisonTest, WithoutPredictionsSeedsCount) {
  const auto plain = [](std::int64_t seed, double value) {
    Score score = scoreWith(seed, 0);
    score.predictions.clear();
    score.metric = "bits_per_byte";
    score.value = value;
    return score;
  };
  const auto found = checked(compareScores(seeds({plain(1, 1.01), plain(2, 1.02), plain(3, 1.03)}),
                                           seeds({plain(4, 1.21), plain(5, 1.22), plain(6, 1.23)})));
  EXPECT_EQ(found->verdict, Assessment::Better) << "less is better";
  EXPECT_FALSE(found->betterShare);
  EXPECT_EQ(found->text(), "better");
  const auto unequal =
      checked(compareScores(seeds({plain(1, 1), plain(2, 1.16)}),
                            seeds({plain(3, 1.15), plain(4, 1.19), plain(5, 1.23), plain(6, 1.27), plain(7, 1.31)})));
  EXPECT_EQ(unequal->text(), "within noise; about 8 more seeds would tell");
  const auto single = checked(compareScores(seeds({plain(1, 1)}), seeds({plain(1, 2)})));
  EXPECT_EQ(single->verdict, Assessment::NoiseUnknown) << "one number a side tells nothing";
}

TEST(ScoreComparisonTest, OtherDataIsRefused) {
  Score otherHash = scoreWith(1, 3);
  otherHash.taskHash = "other";
  EXPECT_EQ(compareScores(seeds({scoreWith(1, 3)}), seeds({otherHash})).error().code, ErrorCode::Config);
  Score otherExamples = scoreWith(1, 3);
  otherExamples.predictions.back().example = 1'000;
  EXPECT_THAT(refused(compareScores(seeds({scoreWith(1, 3)}), seeds({otherExamples}))).message,
              HasSubstr("not of the same examples"));
}

class LineScoresTest : public testing::Test {
 protected:
  /// Stores a run with checkpoints after 10 and 20 global batches.
  void addRun(const std::string& name, const std::string& yaml) {
    storeMadeRun(workspace_, {.name = name, .yaml = yaml, .batches = 20});
    const RunDetail run = *workspace_->findRun(name);
    const auto writer = checked(RunWriter::open(workspace_, run.summary.id, {run.summary.at, "", "{}", ""})).value();
    for (const std::int64_t batch : {10, 20}) {
      CheckpointRecord record;
      record.id = name + "-" + std::to_string(batch);
      record.file = "checkpoints/" + record.id + ".sqlite";
      record.at = run.summary.at;
      record.at.batch = batch;
      record.at.step = batch;
      auto file = CheckpointWriter::create(workspace_->folder() / record.file, 100);
      ASSERT_TRUE(file.ok() && file->finish({{"clock", "{}"}}).ok());
      ASSERT_TRUE(writer->addCheckpoint(record).ok());
    }
    writer->publish(RunFinished{RunStatus::Finished, "", run.summary.at, ""});
    ASSERT_TRUE(writer->flush().ok());
  }
  void addScore(const std::string& run, int batch, Score score) {
    score.run = workspace_->findRun(run)->summary.id;
    score.model = "checkpoints/" + run + "-" + std::to_string(batch) + ".sqlite";
    ASSERT_TRUE(workspace_->addScores({score}).ok());
  }
  std::vector<LineScore> scoresOf(const std::vector<std::string>& runs, const std::string& groupBy = {}) {
    ComparisonOptions options;
    options.groupBy = groupBy;
    comparison_ = *checked(compareRuns(*workspace_, runs, options));
    return *checked(scoresOfLines(*workspace_, comparison_));
  }

  TempFolder folder_;
  std::shared_ptr<Workspace> workspace_ = checked(Workspace::open(folder_ / "w")).value();
  RunComparison comparison_;
};

TEST_F(LineScoresTest, AreThoseOfTheLastCheckpointOfEachRun) {
  addRun("a", "seed: 1");
  addRun("b", "optimizer: {lr: 7e-3}\nseed: 1");
  EXPECT_THAT(scoresOf({"a", "b"}), IsEmpty());
  addScore("a", 10, scoreWith(1, 90));
  addScore("a", 20, scoreWith(1, 30));
  addScore("b", 20, scoreWith(1, 5));
  Score other = scoreWith(1, 7);
  other.task = "other";
  addScore("b", 20, other);
  const auto scores = scoresOf({"a", "b"});
  ASSERT_THAT(scores, SizeIs(3));
  EXPECT_EQ(scores[0].task, "other");
  EXPECT_EQ(scores[0].caution, "the baseline has no score");
  EXPECT_EQ(scores[1].line, 0U);
  EXPECT_EQ(scores[1].mean, 0.7);
  EXPECT_THAT(scores[1].checkpoints, ElementsAre("a at 20ba"));
  EXPECT_EQ(scores[2].mean, 0.95);
  EXPECT_EQ(scores[2].toBaseline->text(),
            "better in 100 of 100 resamplings, of examples, for these two checkpoints only");
  const std::string table = tableText(scoreTable(comparison_, scores), TableFormat::Csv);
  EXPECT_THAT(table, HasSubstr("reviews,\"accuracy (test, probe)\",b,0.95"));
}

TEST_F(LineScoresTest, WhatCannotBeComparedIsNamedAndLeavesTheOthers) {
  for (const char* name : {"a", "b", "c"}) addRun(name, "seed: 1\nvariant: " + std::string(name));
  for (const char* name : {"a", "c"}) addScore(name, 20, scoreWith(1, 30));
  Score fewer = scoreWith(1, 5);
  fewer.predictions.pop_back();
  addScore("b", 20, fewer);
  const auto scores = scoresOf({"a", "b", "c"});
  ASSERT_THAT(scores, SizeIs(3));
  EXPECT_EQ(scores[1].caution, "not of the same examples");
  EXPECT_EQ(scores[2].toBaseline->verdict, Assessment::Same);
}

TEST_F(LineScoresTest, OfGroupsTheSpreadOfRunsCounts) {
  std::vector<std::string> names;
  for (const int seed : {1, 2, 3})
    for (const bool isOther : {false, true}) {
      names.push_back((isOther ? "b" : "a") + std::to_string(seed));
      addRun(names.back(), (isOther ? "optimizer: {lr: 7e-3}\nseed: " : "seed: ") + std::to_string(seed));
      for (const int finetuned : {1, 2}) addScore(names.back(), 20, scoreWith(finetuned, (isOther ? 10 : 30) + seed));
    }
  const auto scores = scoresOf(names, kGroupByExperiment);
  ASSERT_THAT(scores, SizeIs(2));
  EXPECT_EQ(scores[0].seeds, 3U) << "runs, not fine-tunings";
  EXPECT_NEAR(*scores[0].deviation, 0.01, 1e-12);
  EXPECT_EQ(scores[1].toBaseline->verdict, Assessment::Better);
  EXPECT_FALSE(scores[1].toBaseline->isOfCheckpoints);
}

TEST_F(LineScoresTest, TheRateIsChosenOnTheValidationPart) {
  addRun("a", "seed: 1");
  for (const std::int64_t seed : {1, 2})
    for (const double rate : {1e-5, 5e-5})
      for (const char* split : {"validation", "test"}) {
        Score score = scoreWith(seed, std::string(split) == "test" ? (rate < 2e-5 ? 5 : 8) : (rate < 2e-5 ? 20 : 10));
        score.method = "finetune";
        score.split = split;
        score.rate = rate;
        addScore("a", 20, score);
      }
  const auto scores = scoresOf({"a"});
  ASSERT_THAT(scores, SizeIs(2));
  EXPECT_EQ(scores[0].split, "test");
  EXPECT_EQ(scores[0].rate, 5e-5);
  EXPECT_EQ(scores[0].mean, 0.92) << "not the rate that is best on the test part";
  EXPECT_EQ(scores[0].seeds, 2U);
}

class EqualLossTest : public LineScoresTest {
 protected:
  void addSeeds(const std::string& name, const std::string& yaml, double floor, std::int64_t samples = 32) {
    for (const int seed : {1, 2, 3})
      storeMadeRun(workspace_, {.name = name + std::to_string(seed),
                                .yaml = yaml + "seed: " + std::to_string(seed),
                                .floor = floor + 0.001 * seed * seed,
                                .samples = samples});
  }
};

TEST_F(EqualLossTest, IsSaidInTokensStepsAndTime) {
  addSeeds("a", "", 2);
  addSeeds("b", "optimizer: {lr: 7e-3}\n", 1.9, 16);
  ComparisonOptions options;
  options.groupBy = kGroupByExperiment;
  const auto found = checked(compareRuns(*workspace_, {"a1", "a2", "a3", "b1", "b2", "b3"}, options));
  ASSERT_THAT(found->equalLosses, SizeIs(3));
  const EqualLoss& tokens = found->equalLosses[0];
  EXPECT_NEAR(tokens.loss, 2.009 + 8.0 / 11 + 0.1, 1e-12) << "the best of the worst run";
  // a reaches it after about 100 global batches, b after 87.
  EXPECT_NEAR(tokens.baseline / 3200, 99.2, 1);
  EXPECT_NEAR(tokens.own / 1600, 86.5, 1.5);
  EXPECT_NEAR(tokens.relative, -0.56, 0.01);
  ASSERT_TRUE(tokens.low && tokens.high);
  EXPECT_LT(*tokens.low, tokens.relative);
  EXPECT_GT(*tokens.high, tokens.relative);
  const auto texts = equalLossTexts(*found);
  ASSERT_THAT(texts, SizeIs(1));
  EXPECT_THAT(texts[0],
              testing::MatchesRegex("b reaches an evaluation loss of 2.836 after 5[67] % fewer tokens .5[0-9] to "
                                    "5[0-9] %., 1[23] % fewer serial steps .* and 1[23] % less time .* than a\\."));
  const auto single = checked(compareRuns(*workspace_, {"a1", "b1"}, {}));
  EXPECT_THAT(equalLossTexts(*single), ElementsAre(HasSubstr("; noise unknown, as a side has no seeds to compare.")));
  EXPECT_FALSE(single->equalLosses[0].low);
}

TEST_F(EqualLossTest, IsTheSameHoweverRarelyASideIsEvaluated) {
  for (const int seed : {1, 2, 3})
    for (const std::int64_t every : {5, 50})
      storeMadeRun(workspace_,
                   {.name = "e" + std::to_string(every) + "-" + std::to_string(seed),
                    .yaml = "seed: " + std::to_string(seed) + "\neval: {interval: " + std::to_string(every) + "ba}",
                    .floor = 2 + 0.01 * seed,
                    .evaluateEvery = every});
  ComparisonOptions options;
  options.groupBy = kGroupByExperiment;
  const auto found = checked(compareRuns(*workspace_, {"e5-1", "e5-2", "e5-3", "e50-1", "e50-2", "e50-3"}, options));
  ASSERT_THAT(found->equalLosses, SizeIs(3));
  for (const EqualLoss& at : found->equalLosses) EXPECT_NEAR(at.relative, 0, 1e-12);
}

TEST_F(EqualLossTest, IsNotSaidOfLossesThatWereNotMeasuredAlike) {
  storeMadeRun(workspace_, {.name = "a"});
  storeMadeRun(workspace_, {.name = "b", .yaml = "---\ndata.max_seq_len: 256"});
  storeMadeRun(workspace_, {.name = "boom", .yaml = "optimizer: {lr: 1e6}", .nanFrom = 50});
  EXPECT_THAT(checked(compareRuns(*workspace_, {"a", "b"}, {}))->equalLosses, IsEmpty());
  EXPECT_THAT(checked(compareRuns(*workspace_, {"a", "boom"}, {}))->equalLosses, IsEmpty());
}

}  // namespace
}  // namespace batchwise::test
