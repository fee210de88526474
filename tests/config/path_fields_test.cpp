// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/path_fields.h"

#include <gmock/gmock.h>

#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

using testing::ElementsAre;

TEST(AnchoredPathsTest, RelativeNamesStartAtTheFolder) {
  SweepConfig read = parseSweep(
      "data: {train: [text/*.txt, /corpus/all.txt, ../more], eval: [held out.txt]}\n"
      "tokenizer: {path: vocab}\nmodel: {init_from: weights/small}\n",
      "test", {});
  ASSERT_TRUE(read.first.ok()) << read.first.errorText();
  TrainConfig& config = read.first.config;
  config.batch.tokens.metricsPath = "lengths.bin";
  EXPECT_TRUE(makePathsAbsolute(config, read.axes, "/home/me/runs"));
  EXPECT_THAT(config.data.train, ElementsAre("/home/me/runs/text/*.txt", "/corpus/all.txt", "/home/me/more"));
  EXPECT_THAT(config.data.eval, ElementsAre("/home/me/runs/held out.txt"));
  EXPECT_EQ(config.tokenizer.path, "/home/me/runs/vocab");
  EXPECT_EQ(config.model.initFrom, "/home/me/runs/weights/small");
  EXPECT_EQ(config.batch.tokens.metricsPath, "/home/me/runs/lengths.bin");
  EXPECT_FALSE(makePathsAbsolute(config, read.axes, "/elsewhere")) << "absolute names stay";
}

TEST(AnchoredPathsTest, ATildeStartsAtTheHomeFolder) {
  const test::EnvironmentVariable home("HOME", "/home/me");
  SweepConfig read = parseSweep("data: {train: [~/text/*.txt, ~other/x]}\nmodel: {init_from: ~/weights}\n", "test", {});
  ASSERT_TRUE(read.first.ok()) << read.first.errorText();
  EXPECT_TRUE(makePathsAbsolute(read.first.config, read.axes, "/runs"));
  EXPECT_THAT(read.first.config.data.train, ElementsAre("/home/me/text/*.txt", "/runs/~other/x"));
  EXPECT_EQ(read.first.config.model.initFrom, "/home/me/weights");
}

TEST(AnchoredPathsTest, NamesOfEvaluationSetsAndOfStagesStartAtTheFolder) {
  const std::string text = "eval:\n  sets: {own: [own.txt, /all.txt], general: {text: wiki.txt, weight: 0.5}}  # two\n";
  SweepConfig read = parseSweep(text, "test", {});
  ASSERT_TRUE(read.first.ok()) << read.first.errorText();
  EXPECT_TRUE(makePathsAbsolute(read.first.config, read.axes, "/runs"));
  ASSERT_EQ(read.first.config.eval.sets.size(), 2u);
  EXPECT_THAT(read.first.config.eval.sets[0].text, ElementsAre("/runs/own.txt", "/all.txt"));
  EXPECT_THAT(read.first.config.eval.sets[1].text, ElementsAre("/runs/wiki.txt"));
  EXPECT_EQ(read.first.config.eval.sets[1].weight, 0.5);
  EXPECT_EQ(makePathsAbsoluteInText(text, "/runs").value_or("nothing"),
            "eval:\n  sets: {own: [/runs/own.txt, /all.txt], general: {text: /runs/wiki.txt, weight: 0.5}}  # two\n");
  SweepConfig staged =
      parseSweep("max_duration: 100ba\nstages: [{until: 0.5dur}, {until: 1dur, data.train: [late.txt]}]\n", "test", {});
  ASSERT_TRUE(staged.first.ok()) << staged.first.errorText();
  EXPECT_TRUE(makePathsAbsolute(staged.first.config, staged.axes, "/runs"));
  EXPECT_EQ(staged.first.config.stages[1].settings[0].second, "[/runs/late.txt]");
}

TEST(AnchoredPathsTest, SeveralValuesOfAFieldAreAnchoredEach) {
  SweepConfig read = parseSweep("data: {train: [[a.txt], [b.txt, c.txt]]}\nseed: [1, 2]\n", "test", {});
  ASSERT_EQ(read.axes.size(), 2u);
  EXPECT_TRUE(makePathsAbsolute(read.first.config, read.axes, "/runs"));
  const SweepConfig again = parseSweep(sweepToYaml(read.first.config, read.axes), "test", "/other");
  ASSERT_TRUE(again.first.ok()) << again.first.errorText();
  const auto runs = sweepRuns(again.first, again.axes);
  ASSERT_TRUE(runs.ok());
  ASSERT_EQ(runs->size(), 4u);
  EXPECT_THAT(runs->front().config.data.train, ElementsAre("/runs/a.txt"));
  EXPECT_THAT(runs->back().config.data.train, ElementsAre("/runs/b.txt", "/runs/c.txt"));
  EXPECT_EQ(runs->back().config.seed, 2);
}

TEST(AnchoredPathsTest, InATextOnlyTheNamesChange) {
  const std::string text =
      "# mine: text/*.txt is all there is\n"
      "seed: 7   # lucky\n"
      "data:\n"
      "  # \xc3\xa4lter\n"
      "  train: [text/*.txt, \"a \\\"b\\\".txt\", 'it''s.txt', /corpus/all.txt]  # three and one\n"
      "  eval:\n"
      "    - held/out.txt # one\n"
      "tokenizer.path: vocab\n";
  const auto anchored = makePathsAbsoluteInText(text, "/home/me");
  ASSERT_TRUE(anchored.has_value());
  EXPECT_EQ(
      *anchored,
      "# mine: text/*.txt is all there is\n"
      "seed: 7   # lucky\n"
      "data:\n"
      "  # \xc3\xa4lter\n"
      "  train: [\"/home/me/text/*.txt\", \"/home/me/a \\\"b\\\".txt\", \"/home/me/it's.txt\", /corpus/all.txt]  # "
      "three and one\n"
      "  eval:\n"
      "    - /home/me/held/out.txt # one\n"
      "tokenizer.path: /home/me/vocab\n");
  EXPECT_EQ(makePathsAbsoluteInText(*anchored, "/elsewhere"), anchored) << "absolute names stay";
}

TEST(AnchoredPathsTest, InATextSeveralValuesAndLaterDocumentsCount) {
  const auto anchored =
      makePathsAbsoluteInText("data: {train: [[a.txt], [b.txt]]}  # both\n---\ndata.eval: c.txt\n", "/runs");
  ASSERT_TRUE(anchored.has_value());
  EXPECT_EQ(*anchored, "data: {train: [[/runs/a.txt], [/runs/b.txt]]}  # both\n---\ndata.eval: /runs/c.txt\n");
}

TEST(AnchoredPathsTest, ATextWhoseNamesDoNotStandInOnePieceIsLeft) {
  EXPECT_EQ(makePathsAbsoluteInText("# c\ndata:\n  train: >-\n    a.txt\n", "/runs"), std::nullopt);
  EXPECT_EQ(makePathsAbsoluteInText("# c\ndata:\n  train: a\n    b.txt\n", "/runs"), std::nullopt);
}

TEST(AnchoredPathsTest, WithoutNamesNothingChanges) {
  SweepConfig read = parseSweep("seed: 3\n", "test", {});
  const TrainConfig before = read.first.config;
  EXPECT_FALSE(makePathsAbsolute(read.first.config, read.axes, "/runs"));
  EXPECT_EQ(read.first.config, before);
}

}  // namespace
}  // namespace batchwise
