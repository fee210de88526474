// SPDX-License-Identifier: GPL-3.0-or-later
// Runs with the options of recipes: named evaluation sets, a share of masked tokens that changes, joined documents.
#include <gmock/gmock.h>
#include <torch/torch.h>

#include <cmath>

#include "core/base/file.h"
#include "core/run/launch/launch_data.h"
#include "core/run/ranks/run_ranks.h"
#include "core/store/workspace.h"
#include "core/text/masking.h"
#include "tests/model/small_model.h"
#include "tests/run/small_run.h"

namespace batchwise {
namespace {

using test::SmallRuns;
using testing::HasSubstr;

std::vector<double> storedValues(const SmallRuns& runs, const std::string& run, const std::string& series) {
  std::vector<double> values;
  const auto points = runs.workspace()->series(run, series);
  EXPECT_TRUE(points.ok()) << series;
  for (const SeriesPoint& point : *points) values.push_back(point.value);
  return values;
}

void writeEvaluationTexts(const SmallRuns& runs) {
  ASSERT_TRUE(writeFileAtomically(runs.folder() / "own.txt", "the fox saw the story\n\nan old fox\n").ok());
  std::string general;
  for (int i = 0; i < 30; ++i) general += "word number " + std::to_string(i) + " of a text without a fox\n\n";
  ASSERT_TRUE(writeFileAtomically(runs.folder() / "general.txt", general).ok());
}

const std::vector<std::string> kTwoSets = {"eval.sets={own: [own.txt], general: {text: general.txt, weight: 3}}",
                                           "data.holdout=0", "max_duration=6ba", "eval.interval=3ba"};

TEST(RecipeRunTest, EachNamedEvaluationSetIsASeriesAndTheirWeightedMeanTheLoss) {
  const SmallRuns runs;
  writeEvaluationTexts(runs);
  const auto outcome = test::checked(runs.train(runs.fresh(kTwoSets)));
  ASSERT_EQ(outcome.log.evaluations.size(), 2U);
  for (const EvalResult& result : outcome.log.evaluations) {
    ASSERT_EQ(result.sets.size(), 2U);
    EXPECT_EQ(result.sets[0].name, "own");
    EXPECT_EQ(result.sets[0].samples, 2);
    EXPECT_EQ(result.sets[1].samples, 30);
    EXPECT_NE(result.sets[0].loss, result.sets[1].loss);
    EXPECT_NEAR(result.loss, (result.sets[0].loss + 3 * result.sets[1].loss) / 4, 1e-12);
    EXPECT_NEAR(result.perplexity, std::exp(result.loss), 1e-9);
    EXPECT_EQ(result.samples, 32);
  }
  const EvalResult& last = outcome.log.evaluations.back();
  EXPECT_EQ(storedValues(runs, outcome.run(), "eval.own.loss").back(), last.sets[0].loss);
  EXPECT_EQ(storedValues(runs, outcome.run(), "eval.general.accuracy").back(), last.sets[1].accuracy);
  EXPECT_EQ(storedValues(runs, outcome.run(), "eval.loss").back(), last.loss);
  EXPECT_TRUE(outcome.log.hasPhase("evaluating on own", "samples"));
}

TEST(RecipeRunTest, TheHeldOutShareIsOneMoreSet) {
  const SmallRuns runs;
  writeEvaluationTexts(runs);
  const auto alone = test::checked(runs.train(runs.fresh({"max_duration=3ba", "eval.interval=3ba"})));
  const auto beside =
      test::checked(runs.train(runs.fresh({"max_duration=3ba", "eval.interval=3ba", "eval.sets={own: [own.txt]}"})));
  EXPECT_TRUE(alone.log.evaluations.front().sets.empty());
  const EvalResult& result = beside.log.evaluations.front();
  ASSERT_EQ(result.sets.size(), 2U);
  EXPECT_EQ(result.sets[0].name, "held_out");
  EXPECT_EQ(result.sets[0].loss, alone.log.evaluations.front().loss) << "training and masks are the same";
}

TEST(RecipeRunTest, TokensOfEachSourceAreASeriesAndAResumeGoesOnWithThem) {
  const SmallRuns runs;
  writeEvaluationTexts(runs);
  const std::vector<std::string> sources = {
      "data.train=[{name: general, path: general.txt, weight: 2}, {path: [own.txt], weight: 1}]", "max_duration=10ba",
      "data.holdout=0", "eval.sets={own: [own.txt]}", "tokenizer.train.vocab_size=100"};
  const auto whole = test::checked(runs.train(runs.fresh(sources)));
  const std::vector<double> general = storedValues(runs, whole.run(), "source.general.tokens");
  const std::vector<double> own = storedValues(runs, whole.run(), "source.own.tokens");
  const std::vector<double> all = storedValues(runs, whole.run(), "tok");
  ASSERT_EQ(general.size(), 10U);
  double ofGeneral = 0;
  for (std::size_t i = 0; i < general.size(); ++i) {
    EXPECT_EQ(general[i] + own[i], all[i] - (i > 0 ? all[i - 1] : 0));
    ofGeneral += general[i];
  }
  EXPECT_NEAR(ofGeneral / all.back(), 2.0 / 3, 0.05);
  const auto stopped = runs.train(runs.fresh(sources), 4);
  const auto resumed = test::checked(runs.train(runs.resume(stopped.run())));
  EXPECT_EQ(storedValues(runs, stopped.run(), "loss"), storedValues(runs, whole.run(), "loss"));
  EXPECT_EQ(storedValues(runs, stopped.run(), "source.own.tokens"), own);
  const auto two = test::checked(
      runs.train(runs.fresh(test::with(sources, {"devices.use=cpu:2", "batch.device_train_microbatch_size=3"}))));
  EXPECT_EQ(storedValues(runs, two.run(), "source.own.tokens"), own);
}

TEST(RecipeRunTest, RanksShareEachSet) {
  const SmallRuns runs;
  writeEvaluationTexts(runs);
  auto changes = kTwoSets;
  changes.insert(changes.end(), {"devices.use=cpu:2", "batch.device_train_microbatch_size=3"});
  const auto one = test::checked(runs.train(runs.fresh(kTwoSets)));
  const auto two = test::checked(runs.train(runs.fresh(changes)));
  for (std::size_t i = 0; i < one.log.evaluations.size(); ++i)
    for (const std::size_t set : {0U, 1U}) {
      const EvalSetResult& left = one.log.evaluations[i].sets[set];
      const EvalSetResult& right = two.log.evaluations[i].sets[set];
      EXPECT_NEAR(left.loss, right.loss, 1e-3);
      EXPECT_EQ(left.samples, right.samples);
      EXPECT_EQ(left.tokens, right.tokens);
    }
}

TEST(RecipeRunTest, TasksAreProbedAtEvaluationsAndChangeNothingElse) {
  const SmallRuns runs;
  writeEvaluationTexts(runs);
  std::string rows = "text\tlabel\n";
  for (int i = 0; i < 60; ++i)
    rows += (i % 2 == 0 ? "the old fox number " : "a story of word ") + std::to_string(i) +
            (i % 2 == 0 ? "\tfox\n" : "\tstory\n");
  ASSERT_TRUE(writeFileAtomically(runs.folder() / "train.tsv", rows).ok());
  ASSERT_TRUE(writeFileAtomically(runs.folder() / "animals.yaml", "train: train.tsv\ntext: text\nlabel: label\n").ok());
  const auto probed = test::with(kTwoSets, {"tasks=[{path: animals.yaml}]"});
  const auto plain = runs.train(runs.fresh(kTwoSets));
  const auto one = runs.train(runs.fresh(probed));
  const auto two =
      runs.train(runs.fresh(test::with(probed, {"devices.use=cpu:2", "batch.device_train_microbatch_size=3"})));
  const auto plainTwo =
      runs.train(runs.fresh(test::with(kTwoSets, {"devices.use=cpu:2", "batch.device_train_microbatch_size=3"})));
  for (const auto* outcome : {&plain, &one, &two, &plainTwo})
    ASSERT_TRUE(outcome->end.ok()) << outcome->end.error().text();
  EXPECT_EQ(storedValues(runs, one.run(), "loss"), storedValues(runs, plain.run(), "loss"));
  EXPECT_EQ(storedValues(runs, one.run(), "eval.loss"), storedValues(runs, plain.run(), "eval.loss"));
  EXPECT_EQ(storedValues(runs, two.run(), "loss"), storedValues(runs, plainTwo.run(), "loss"));
  const std::vector<double> scores = storedValues(runs, one.run(), "eval.task.animals.accuracy");
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_GT(scores.back(), 0.5);
  EXPECT_TRUE(one.log.hasPhase("probing animals", "texts"));
  EXPECT_EQ(storedValues(runs, two.run(), "eval.task.animals.accuracy").size(), 2U);
  const auto stopped = runs.train(runs.fresh(probed), 4);
  const auto resumed = test::checked(runs.train(runs.resume(stopped.run())));
  EXPECT_EQ(storedValues(runs, stopped.run(), "eval.task.animals.accuracy"), scores);
}

TEST(RecipeRunTest, ATaskThatCannotBeReadIsSaidBeforeTheRun) {
  const SmallRuns runs;
  writeEvaluationTexts(runs);
  const auto missing = runs.train(runs.fresh(test::with(kTwoSets, {"tasks=[{path: nowhere.yaml}]"})));
  ASSERT_FALSE(missing.end.ok());
  EXPECT_THAT(missing.end.error().text(), HasSubstr("nowhere.yaml"));
}

TEST(RecipeRunTest, AShareOfMaskedTokensThatChangesIsASeries) {
  const SmallRuns runs;
  const auto falling = test::checked(
      runs.train(runs.fresh({"data.mlm_probability=0.5", "data.mlm_probability_end=0.1", "max_duration=8ba"})));
  const std::vector<double> shares = storedValues(runs, falling.run(), "mlm_probability");
  ASSERT_EQ(shares.size(), 8U);
  for (std::size_t i = 0; i < shares.size(); ++i) EXPECT_NEAR(shares[i], 0.5 - 0.05 * static_cast<double>(i), 1e-12);
  const auto constant = test::checked(runs.train(runs.fresh({"max_duration=2ba"})));
  EXPECT_FALSE(constant.log.rows.front().measured.mlmProbability);
}

TEST(RecipeRunTest, AShareThatChangesBetweenStagesIsASeriesToo) {
  const SmallRuns runs;
  const auto staged = test::checked(runs.train(
      runs.fresh({"stages=[{until: 0.5dur}, {until: 1dur, data.mlm_probability: 0.3}]", "max_duration=4ba"})));
  EXPECT_EQ(storedValues(runs, staged.run(), "mlm_probability"), (std::vector<double>{0.15, 0.15, 0.3, 0.3}));
}

TEST(RecipeRunTest, ANewRunSaysWhatItIsExpectedToTake) {
  const SmallRuns runs;
  const auto first = test::checked(runs.train(runs.fresh({"max_duration=3ba"})));
  EXPECT_TRUE(first.log.hasNote("a rough guess"));
  const auto second = test::checked(runs.train(runs.fresh({"max_duration=3ba"})));
  EXPECT_TRUE(second.log.hasNote("by the speed of run"));
}

// The samples of a run with this configuration, as training reads them.
TrainingData samplesOf(const SmallRuns& runs, const std::vector<std::string>& changes) {
  NullSink nobody;
  CommandMailbox commands;
  const LoadedConfig config = runs.config(changes);
  const auto data = test::checked(prepareLaunchData(config, runs.folder() / "cache", nobody, commands));
  return trainingData(config.config, *data);
}

TEST(RecipeRunTest, ADocumentInAJoinedSequenceIsComputedAsIfAlone) {
  const SmallRuns runs;
  ASSERT_TRUE(
      writeFileAtomically(runs.folder() / "text.txt", "the old fox\n\na story of two\n\nthe end\n\nmore text\n").ok());
  const std::vector<std::string> changes = {"data.join_documents=true", "data.holdout=0", "data.max_seq_len=64"};
  const TrainingData data = samplesOf(runs, changes);
  ASSERT_EQ(data.samples.size(), 1);
  const std::vector<std::int64_t> ids = {0};
  const MicroBatch joined = buildMicroBatch(data.samples, ids, 0, {1, 0}, data.masks);
  ASSERT_EQ(joined.attentionStarts.size(), 5U);
  MicroBatch apart = joined;
  apart.sequenceStarts = joined.attentionStarts;
  apart.attentionStarts.clear();
  apart.sampleIds = {0, 1, 2, 3};
  apart.indicesInStep = {0, 1, 2, 3};
  MicroBatch across = joined;
  across.attentionStarts.clear();
  ModelShape shape = test::smallShape();
  shape.vocabSize = 400;
  shape.maxPositions = 128;
  auto model = test::checked(EncoderModel::create(shape, Precision::Fp32, at::kCPU, 5));
  const at::Tensor expected = model->logits(toDevice(apart, at::kCPU));
  EXPECT_TRUE(at::equal(model->logits(toDevice(joined, at::kCPU)), expected));
  EXPECT_FALSE(at::allclose(model->logits(toDevice(across, at::kCPU)), expected, 1e-3, 1e-3));
}

TEST(RecipeRunTest, AttentionAcrossDocumentsAndAMissingSeparatorMustBeAskedFor) {
  const SmallRuns runs;
  const auto joined = samplesOf(runs, {"data.join_documents=true"});
  ASSERT_TRUE(joined.masks.joined);
  EXPECT_FALSE(joined.masks.joined->attentionAcross);
  const auto across = samplesOf(runs, {"data.join_documents=true", "data.attention_across_documents=true"});
  EXPECT_TRUE(across.masks.joined->attentionAcross);
  EXPECT_EQ(across.samples.identity(), joined.samples.identity()) << "the tokens are the same";
  EXPECT_FALSE(samplesOf(runs, {}).masks.joined);
  const LoadedConfig refused =
      parseConfig("data: {train: [a.txt], join_documents: true, document_separator: false}\n", "test", {});
  EXPECT_THAT(refused.errorText(), HasSubstr("data.document_separator"));
}

}  // namespace
}  // namespace batchwise
