// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/measured_alike.h"

#include <gmock/gmock.h>

#include <vector>

#include "core/config/config_file.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Returns the values of a run launched with this configuration.
ConfigValues launched(const std::string& yaml) {
  const LoadedConfig loaded = test::checked(parseConfig("data: {train: [a.txt]}\n" + yaml, "test", {}));
  return configValues(loaded.config);
}

TEST(MeasuredAlikeTest, RunsOfTheSameTextAndMasksAreComparable) {
  const ConfigValues base = launched("seed: 1\n");
  const ConfigValues other = launched("seed: 2\noptimizer: {lr: 7e-3}\nbatch: {global_train_batch_size: 64}\n");
  const std::vector<MeasuredRun> runs = {{"a", &base, 1000, 1}, {"b", &other, 1000, 1}};
  EXPECT_THAT(evaluationNotes(runs), IsEmpty());
  EXPECT_TRUE(trainingLossNote(runs).empty());
}

TEST(MeasuredAlikeTest, ANoteNamesTheRunsAndTheReason) {
  const ConfigValues base = launched("");
  const ConfigValues masks = launched("eval: {seed: 3, mlm_probability: 0.3}\n");
  const std::vector<MeasuredRun> runs = {{"a", &base, 1000, 1}, {"b", &base, 1000, 1}, {"c", &masks, 1000, 1}};
  EXPECT_THAT(evaluationNotes(runs),
              ElementsAre(HasSubstr("the evaluations of a and c were not measured alike: they differ in "
                                    "eval.mlm_probability, eval.seed")));
  const std::vector<MeasuredRun> changed = {{"a", &base, 1000, 1}, {"b", &base, 1001, 1}};
  EXPECT_THAT(evaluationNotes(changed),
              ElementsAre(HasSubstr("the evaluations of a and b were not measured alike: the text has changed")));
  const std::vector<MeasuredRun> retrained = {{"a", &base, 1000, 1, "one"}, {"b", &base, 1000, 1, "other"}};
  EXPECT_THAT(evaluationNotes(retrained), ElementsAre(HasSubstr("not measured alike: the tokenizer has changed")));
  const std::vector<MeasuredRun> unevaluated = {{"a", &base, 1000, 1}, {"c", &masks, {}, 1}};
  EXPECT_THAT(evaluationNotes(unevaluated), IsEmpty());
}

TEST(MeasuredAlikeTest, TheShareOfMaskedTokensMattersForTrainingLossAlone) {
  const ConfigValues base = launched("eval: {mlm_probability: 0.15}\n"),
                     other = launched("eval: {mlm_probability: 0.15}\n---\ndata.mlm_probability: 0.3\n");
  const MeasuredRun run{"a", &base, 1000, 1}, masked{"b", &other, 1000, 1};
  EXPECT_TRUE(isEvaluatedAlike(run, masked));
  EXPECT_FALSE(isTrainingLossAlike(run, masked));
  EXPECT_TRUE(isTrainingLossAlike(run, run));
}

TEST(MeasuredAlikeTest, TextThatIsNotEvaluatedOnDoesNotMatter) {
  const ConfigValues one = launched("tokenizer: {path: v}\n---\ndata.eval: [e.txt]\n");
  const ConfigValues two = launched("tokenizer: {path: v}\n---\ndata.eval: [e.txt]\n---\ndata.train: [b.txt]\n");
  const std::vector<MeasuredRun> runs = {{"a", &one, 1000, 1}, {"b", &two, 1000, 1}};
  EXPECT_THAT(evaluationNotes(runs), IsEmpty());
}

TEST(MeasuredAlikeTest, SettingsOfATokenizerThatIsNotTrainedDoNotMatter) {
  const ConfigValues fresh = launched("tokenizer: {train: {vocab_size: 4000}}\n");
  const ConfigValues continued = launched("model: {init_from: exported}\n");
  const MeasuredRun a{"a", &fresh, 1000, 1}, b{"b", &continued, 1000, 1};
  EXPECT_THAT(evaluationNotes(std::vector{a, b}), IsEmpty());
  EXPECT_TRUE(isEvaluatedAlike(a, b));
  EXPECT_TRUE(isTrainingLossAlike(a, b));
  const ConfigValues larger = launched("tokenizer: {train: {vocab_size: 8000}}\n");
  EXPECT_FALSE(isEvaluatedAlike(a, {"c", &larger, 1000, 1}));
  EXPECT_FALSE(isEvaluatedAlike(a, {"c", &continued, 900, 1})) << "other tokens";
}

TEST(MeasuredAlikeTest, TokenizersAreComparedByTheirIdentityWhereItIsKnown) {
  const ConfigValues fresh = launched("tokenizer: {train: {vocab_size: 4000}}\n");
  const ConfigValues given = launched("tokenizer: {path: v}\n"), continued = launched("model: {init_from: m}\n");
  const MeasuredRun a{"a", &fresh, 1000, 1, "1f"}, same{"b", &given, 1000, 1, "1f"};
  EXPECT_TRUE(isEvaluatedAlike(a, same));
  EXPECT_TRUE(isTrainingLossAlike(a, same));
  const MeasuredRun other{"c", &continued, 1000, 1, "2e"};
  EXPECT_FALSE(isEvaluatedAlike(a, other)) << "though by chance of the same number of tokens";
  EXPECT_FALSE(isTrainingLossAlike(a, other));
  EXPECT_THAT(evaluationNotes(std::vector{a, other}), ElementsAre(HasSubstr("they differ in model.init_from")));
}

TEST(MeasuredAlikeTest, ANoteNamesTheRunsThatStartedFromTrainedWeights) {
  const ConfigValues fresh = launched(""), continued = launched("model: {init_from: m}\n"), unread;
  const MeasuredRun a{"a", &fresh, {}, {}}, b{"b", &continued, {}, {}}, c{"c", &unread, {}, {}};
  EXPECT_THAT(startingWeightsNote(std::vector{a, b}), HasSubstr("b started from trained weights"));
  EXPECT_TRUE(startingWeightsNote(std::vector{a, a}).empty());
  EXPECT_TRUE(startingWeightsNote(std::vector{b, b, c}).empty());
}

TEST(MeasuredAlikeTest, TrainingLossBetweenSeveralStepsIsNotedOnce) {
  const ConfigValues config = launched("");
  std::vector<MeasuredRun> runs = {{"base", &config, {}, 1}};
  for (const char* name : {"r1", "r2", "r3", "r4", "r5", "r6"}) runs.push_back({name, &config, {}, 8});
  EXPECT_EQ(trainingLossNote(runs),
            "a global batch has up to 8 optimizer steps in r1, r2, r3 and 3 more and 1 in the others: where it has "
            "several, training loss is taken after up to 7 updates inside the batch, which flatters it, so only "
            "evaluations decide there");
}

TEST(MeasuredAlikeTest, WhatIsMaskedAndWhereMattersForTrainingLoss) {
  const ConfigValues base = launched("max_duration: 100ba\n");
  const auto alike = [](const ConfigValues& a, const ConfigValues& b) {
    return isTrainingLossAlike({"a", &a, 1000, 1}, {"b", &b, 1000, 1});
  };
  EXPECT_FALSE(alike(base, launched("max_duration: 100ba\n---\ndata.mask_unit: whole_words\n")));
  const std::string falling = "---\ndata.mlm_probability: 0.3\n---\ndata.mlm_probability_end: 0.15\n";
  const ConfigValues rate = launched("max_duration: 100ba\n---\ndata.mlm_probability: 0.3\n");
  EXPECT_FALSE(alike(rate, launched("max_duration: 100ba\n" + falling)));
  EXPECT_FALSE(alike(launched("max_duration: 200ba\n" + falling), launched("max_duration: 100ba\n" + falling)));
  EXPECT_TRUE(alike(base, launched("max_duration: 200ba\n")));
}

TEST(MeasuredAlikeTest, DropoutMattersForTrainingLossAlone) {
  const ConfigValues base = launched("");
  const auto alike = [](const ConfigValues& a, const ConfigValues& b) {
    const MeasuredRun first{"a", &a, 1000, 1}, other{"b", &b, 1000, 1};
    EXPECT_TRUE(isEvaluatedAlike(first, other));
    return isTrainingLossAlike(first, other);
  };
  for (const char* setting : {"hidden_dropout_prob: 0", "attention_probs_dropout_prob: 0.1", "layer_drop: 0.2",
                              "family: modernbert", "family: neobert"})
    EXPECT_FALSE(alike(base, launched(std::string("model: {") + setting + "}\n"))) << setting;
  const ConfigValues modern = launched("model: {family: modernbert}\n");
  EXPECT_TRUE(alike(base, launched("model: {hidden_dropout_prob: 0.1}\n"))) << "what it is without the setting";
  EXPECT_TRUE(alike(base, launched("model: {family: roberta}\n")));
  EXPECT_TRUE(alike(modern, launched("model: {family: eurobert}\n")));
  EXPECT_TRUE(alike(modern, launched("model: {family: bert, hidden_dropout_prob: 0}\n")));
  EXPECT_TRUE(alike(modern, launched("model: {init_from: m}\n"))) << "what a folder decides is not known";
}

TEST(MeasuredAlikeTest, HowDocumentsAreJoinedMattersOnlyWhereTheyAreJoined) {
  const std::string join = "---\ndata.join_documents: true\n", across = "---\ndata.attention_across_documents: true\n";
  const ConfigValues joined = launched("seed: 1\n" + join), joinedAcross = launched("seed: 1\n" + join + across);
  const ConfigValues single = launched("seed: 1\n"), singleAcross = launched("seed: 1\n" + across);
  const auto alike = [](const ConfigValues& a, const ConfigValues& b) {
    const MeasuredRun first{"a", &a, 1000, 1}, other{"b", &b, 1000, 1};
    EXPECT_EQ(isTrainingLossAlike(first, other), isEvaluatedAlike(first, other));
    return isTrainingLossAlike(first, other);
  };
  EXPECT_FALSE(alike(joined, joinedAcross));
  EXPECT_FALSE(alike(joined, single));
  EXPECT_TRUE(alike(single, singleAcross));
}

TEST(MeasuredAlikeTest, WhatATextHoldsCountsAndNotItsName) {
  const ConfigValues here = launched("seed: 1\n---\ndata.eval: [e.txt]\n");
  const ConfigValues moved = launched("seed: 1\n---\ndata.eval: [other/f.txt]\n---\ndata.train: [b.txt]\n");
  const auto run = [](const char* name, const ConfigValues& config, const std::string& eval, const std::string& train) {
    return MeasuredRun{name, &config, 1000, 1, "tokenizer", eval, train};
  };
  const MeasuredRun first = run("a", here, "1111", "aaaa");
  EXPECT_TRUE(isEvaluatedAlike(first, run("b", moved, "1111", "aaaa")));
  EXPECT_TRUE(isTrainingLossAlike(first, run("b", moved, "1111", "aaaa")));
  const MeasuredRun replaced = run("c", here, "2222", "bbbb");
  EXPECT_FALSE(isEvaluatedAlike(first, replaced)) << "with the same number of tokens";
  EXPECT_FALSE(isTrainingLossAlike(first, replaced));
  EXPECT_THAT(evaluationNotes(std::vector{first, replaced}), ElementsAre(HasSubstr("the text has changed")));
  EXPECT_THAT(trainingTextNote(std::vector{first, replaced}),
              HasSubstr("the training text of a and c is not the same"));
  EXPECT_THAT(plannedEvaluationNote(first, replaced),
              HasSubstr("will not be measured like those of the baseline a: the text has changed"));
  EXPECT_FALSE(isEvaluatedAlike(first, run("d", moved, "", "")));
  EXPECT_TRUE(isEvaluatedAlike(first, run("e", here, "", ""))) << "by the settings";
  EXPECT_TRUE(plannedEvaluationNote(first, run("b", moved, "1111", "aaaa")).empty());
}

TEST(MeasuredAlikeTest, OfASeriesOfOneEvaluationSetThatSetCounts) {
  const ConfigValues base = launched("eval: {sets: {own: [o.txt], general: [g.txt]}}\n");
  const ConfigValues heavy = launched("eval: {sets: {own: {text: [o.txt], weight: 2}, general: [g.txt]}}\n");
  const MeasuredRun first{"a", &base, 1000, 1, "t", "11 own 22 general 33"};
  const MeasuredRun other{"b", &base, 1000, 1, "t", "11 own 44 general 33"};
  EXPECT_FALSE(isEvaluatedAlike(first, other));
  EXPECT_FALSE(isEvaluatedAlike(first, other, "eval.own.loss"));
  EXPECT_TRUE(isEvaluatedAlike(first, other, "eval.general.loss"));
  EXPECT_TRUE(isEvaluatedAlike(first, other, "eval.held_out.accuracy"));
  const MeasuredRun weighted{"c", &heavy, 1000, 1, "t", "11 own 22 general 33"};
  EXPECT_FALSE(isEvaluatedAlike(first, weighted)) << "a mean of other weights";
  EXPECT_TRUE(isEvaluatedAlike(first, weighted, "eval.own.loss"));
}

TEST(MeasuredAlikeTest, AnEvaluationSetHasANameThatFollowsFromWhatIsMeasured) {
  const ConfigValues base = launched("seed: 1\n"), other = launched("seed: 2\n---\ndata.eval: [moved.txt]\n");
  const ConfigValues masks = launched("eval: {seed: 3}\n");
  const std::string name = evaluationSet(base, "11", "t");
  EXPECT_THAT(name, testing::MatchesRegex("[a-p][a-p][a-p][a-p][a-p][a-p]"));
  EXPECT_EQ(evaluationSet(other, "11", "t"), name);
  EXPECT_NE(evaluationSet(base, "12", "t"), name);
  EXPECT_NE(evaluationSet(base, "11", "u"), name);
  EXPECT_NE(evaluationSet(masks, "11", "t"), name);
}

TEST(MeasuredAlikeTest, TasksCompareAcrossTokenizers) {
  const ConfigValues base = launched("tasks: [{path: films.yaml}]\n"),
                     otherTasks = launched("tasks: [{path: more.yaml}]\n");
  MeasuredRun own{"own", &base, 1000, 1, "t", "11"}, other{"other", &base, 900, 1, "t", "11"};
  EXPECT_TRUE(isEvaluatedAlike(own, other, "eval.task.films.accuracy"));
  other.tokenizer = "u";
  EXPECT_TRUE(isEvaluatedAlike(own, other, "eval.task.films.accuracy"));
  EXPECT_FALSE(isEvaluatedAlike(own, other, "eval.task.loss")) << "of a set named task";
  other.config = &otherTasks;
  EXPECT_FALSE(isEvaluatedAlike(own, other, "eval.task.films.accuracy"));
}

TEST(MeasuredAlikeTest, BitsPerByteCompareAcrossTokenizersOfTheSameTextAndMasks) {
  const ConfigValues base = launched("seed: 1\n"), masks = launched("eval: {draws: 4}\n");
  MeasuredRun own{"own", &base, 1000, 1};
  own.tokenizer = "t";
  own.evaluationText = "11 general 22";
  MeasuredRun other = own;
  other.tokenizer = "u";
  other.evaluationTokens = 800;
  EXPECT_FALSE(isEvaluatedAlike(own, other));
  EXPECT_FALSE(isEvaluatedAlike(own, other, "eval.general.loss"));
  EXPECT_TRUE(isEvaluatedAlike(own, other, "eval.bits_per_byte"));
  EXPECT_TRUE(isEvaluatedAlike(own, other, "eval.general.bits_per_byte"));
  other.evaluationText = "12 general 22";
  EXPECT_FALSE(isEvaluatedAlike(own, other, "eval.bits_per_byte"));
  EXPECT_TRUE(isEvaluatedAlike(own, other, "eval.general.bits_per_byte"));
  other.config = &masks;
  EXPECT_FALSE(isEvaluatedAlike(own, other, "eval.general.bits_per_byte"));
}

TEST(MeasuredAlikeTest, StagesThatChangeTheTextOrItsMasksMatterForTrainingLoss) {
  const auto staged = [](const std::string& settings) {
    return launched("max_duration: 100ba\nstages: [{until: 0.5dur}, {until: 1dur, " + settings + "}]\n");
  };
  const auto alike = [](const ConfigValues& a, const ConfigValues& b) {
    return isTrainingLossAlike({"a", &a, 1000, 1}, {"b", &b, 1000, 1});
  };
  const ConfigValues plain = launched("max_duration: 100ba\n");
  EXPECT_FALSE(alike(plain, staged("data.mlm_probability: 0.3")));
  EXPECT_FALSE(alike(plain, staged("data.max_seq_len: 256")));
  EXPECT_FALSE(alike(staged("data.max_seq_len: 256"), staged("data.max_seq_len: 512")));
  EXPECT_TRUE(alike(plain, staged("optimizer.lr: 0.1")));
  EXPECT_TRUE(alike(staged("data.max_seq_len: 256"), staged("data.max_seq_len: 256, optimizer.lr: 0.1")));
}

}  // namespace
}  // namespace batchwise
