// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/config_draft.h"

#include <gtest/gtest.h>

#include <QtTest/QSignalSpy>

#include "core/config/default_values.h"
#include "core/config/schema.h"
#include "tests/ui/short_names.h"
#include "ui/parts/field_labels.h"

namespace batchwise {
namespace {

TEST(ConfigDraftTest, AValueOfTheFileThatCannotBeReadIsShownUntilItIsReplaced) {
  ConfigDraft draft;
  draft.load(parseConfig("max_duration: 5xx\n", "file", {}), ValueSource::File);
  EXPECT_EQ(draft.text("max_duration"), q("5xx"));
  EXPECT_TRUE(draft.error("max_duration").contains(q("5xx")));
  EXPECT_EQ(draft.issues().size(), 1u);
  draft.setText("seed", q("3"));
  EXPECT_EQ(draft.text("max_duration"), q("5xx"));
  EXPECT_FALSE(draft.ready());
  draft.setText("max_duration", q("2ep"));
  EXPECT_TRUE(draft.ready()) << draft.issues().front().text();
}

TEST(ConfigDraftTest, EveryFieldReadsBackWhatItShows) {
  ConfigDraft draft;
  draft.load(loadConfig("demo"), ValueSource::Preset);
  const TrainConfig before = draft.config();
  for (const Field& field : configSchema()) {
    const QString shown = draft.text(field.path);
    // Something else first, so that the value is really set again.
    draft.setText(field.path, shown + q(" ?"));
    draft.setText(field.path, shown);
    EXPECT_EQ(draft.text(field.path), shown) << field.path;
  }
  EXPECT_EQ(draft.config(), before);
}

TEST(ConfigDraftTest, AValueThatCannotBeReadStaysAsTypedBesideTheGoodOne) {
  ConfigDraft draft;
  draft.load(loadConfig("demo"), ValueSource::Preset);
  const double before = draft.config().optimizer.lr;
  draft.setText("optimizer.lr", q("fast"));
  EXPECT_EQ(draft.text("optimizer.lr"), q("fast"));
  EXPECT_FALSE(draft.error("optimizer.lr").isEmpty());
  EXPECT_EQ(draft.config().optimizer.lr, before);
  EXPECT_FALSE(draft.ready());
  draft.setText("optimizer.lr", q("1e-3"));
  EXPECT_TRUE(draft.error("optimizer.lr").isEmpty());
  EXPECT_TRUE(draft.ready());
  EXPECT_EQ(draft.config().optimizer.lr, 1e-3);
}

TEST(ConfigDraftTest, ADragIsOneEditOrNone) {
  ConfigDraft draft;
  draft.load(loadConfig("demo"), ValueSource::Preset);
  draft.deriveName();
  const QString before = draft.yaml();
  const QSignalSpy edits(&draft, &ConfigDraft::edited), changes(&draft, &ConfigDraft::changed);
  const auto drag = [&](ConfigDraft::DragEnd end) {
    draft.beginDrag();
    TrainConfig drawn = draft.config();
    for (const double rate : {1e-4, 2e-4, 3e-4}) {
      drawn.optimizer.lr = rate;
      draft.takeDrawn(drawn);
    }
    draft.endDrag(end);
  };
  drag(ConfigDraft::DragEnd::Restore);
  EXPECT_EQ(edits.size(), 0);
  EXPECT_EQ(draft.yaml(), before);
  drag(ConfigDraft::DragEnd::Keep);
  EXPECT_EQ(edits.size(), 1);
  EXPECT_EQ(changes.size(), 7) << "three of each drag, and the one that restores";
  EXPECT_EQ(draft.config().optimizer.lr, 3e-4);
  draft.beginDrag();
  draft.takeDrawn(draft.config());
  draft.endDrag(ConfigDraft::DragEnd::Keep);
  EXPECT_EQ(edits.size(), 1) << "nothing has changed";
}

TEST(ConfigDraftTest, EvaluationSetsAreTypedAsInAFile) {
  ConfigDraft draft;
  draft.load(parseConfig("data: {train: [a.txt]}\n", "file", {}), ValueSource::File);
  EXPECT_EQ(draft.text("eval.sets"), q("{}"));
  draft.setText("eval.sets", q("{own: [own.txt, more.txt], general: {text: wiki.txt, weight: 0.5}}"));
  EXPECT_TRUE(draft.ready());
  EXPECT_TRUE(draft.axes().empty()) << "no list of values to try";
  ASSERT_EQ(draft.config().eval.sets.size(), 2u);
  EXPECT_EQ(draft.config().eval.sets[1].weight, 0.5);
  draft.setText("eval.sets", q("own.txt, wiki.txt"));
  EXPECT_FALSE(draft.ready());
  EXPECT_TRUE(draft.error("eval.sets").contains(q("general"))) << draft.error("eval.sets").toStdString();
  draft.setText("eval.sets", q(""));
  EXPECT_TRUE(draft.ready());
  EXPECT_TRUE(draft.config().eval.sets.empty());
}

TEST(ConfigDraftTest, TellsWhereAValueComesFromAndGoesBackThere) {
  ConfigDraft draft;
  draft.load(loadConfig("demo"), ValueSource::Preset);
  const QString preset = draft.text("max_duration");
  EXPECT_EQ(draft.source("max_duration"), ValueSource::Preset);
  draft.setText("max_duration", q("7ba"));
  EXPECT_EQ(draft.source("max_duration"), ValueSource::Typed);
  EXPECT_EQ(draft.resetText("max_duration"), preset);
  draft.reset("max_duration");
  EXPECT_EQ(draft.text("max_duration"), preset);
  draft.reset("max_duration");
  EXPECT_EQ(draft.source("max_duration"), ValueSource::Default);
  EXPECT_FALSE(draft.canReset("max_duration"));
}

TEST(ConfigDraftTest, ResetTakesAwayWhatCouldNotBeRead) {
  ConfigDraft draft;
  draft.load(loadConfig("demo"), ValueSource::Preset);
  draft.setText("seed", q("x"));
  draft.reset("seed");
  EXPECT_TRUE(draft.ready());
  EXPECT_EQ(draft.text("seed"), q("17"));
}

TEST(ConfigDraftTest, TextShowsWithoutQuotesAndListsWithoutBrackets) {
  ConfigDraft draft;
  draft.setText("launch.why", q("say \"hi\": a, b \\ c"));
  EXPECT_EQ(draft.config().launch.why, "say \"hi\": a, b \\ c");
  EXPECT_EQ(draft.text("launch.why"), q("say \"hi\": a, b \\ c"));
  draft.setText("data.train", q("a.txt, \"b, c.txt\""));
  EXPECT_EQ(draft.config().data.train, (std::vector<std::string>{"a.txt", "b, c.txt"}));
  EXPECT_EQ(draft.text("optimizer.betas"), q("0.9, 0.98"));
}

TEST(ConfigDraftTest, FormAndYamlAreInStep) {
  ConfigDraft draft;
  QSignalSpy changed(&draft, &ConfigDraft::changed);
  draft.setYaml(q("version: 1\nname: typed\noptimizer: {lr: 3e-4}\n"));
  EXPECT_EQ(changed.count(), 1);
  EXPECT_EQ(draft.text("name"), q("typed"));
  draft.setText("name", q("other"));
  EXPECT_TRUE(draft.yaml().contains(q("other")));
  EXPECT_TRUE(parseConfig(draft.yaml().toStdString(), "test", {}).ok());
}

TEST(ConfigDraftTest, BrokenYamlKeepsTheFieldsAndTellsTheLine) {
  ConfigDraft draft;
  draft.setYaml(q("version: 1\nname: good\n"));
  draft.setYaml(q("version: 1\nname: good\noptimzer: {lr: 1}\n"));
  EXPECT_TRUE(draft.yamlBroken());
  EXPECT_FALSE(draft.ready());
  ASSERT_FALSE(draft.issues().empty());
  EXPECT_EQ(draft.issues()[0].line, 3);
  EXPECT_EQ(draft.config().name, "good");
}

TEST(ConfigDraftTest, TextThatNoFieldHoldsIsKnown) {
  ConfigDraft draft;
  draft.load(parseConfig("max_duration: 5xx\noptimizer: {betas: [a, b]}\n", "file", {}), ValueSource::File);
  EXPECT_TRUE(draft.yamlBroken());
  EXPECT_FALSE(draft.hasUnreadText()) << "its values are kept as typed";
  const LoadedConfig ruleBroken = parseConfig(
      "data: {format: demo}\nmax_duration: 9ba\n"
      "batch: {rampup: {stages: [{at: 5ba, global_train_batch_size: 8}, {at: 0ba, global_train_batch_size: 16}]}}\n",
      "file", {});
  ASSERT_FALSE(ruleBroken.ok());
  draft.load(ruleBroken, ValueSource::File);
  EXPECT_FALSE(draft.hasUnreadText()) << "the fields have it all";
  for (const char* lost : {"optimzer: {lr: 1}\n", "seed: 3\nseed: 4\n", "name: [a\n", "seed: [1, x]\n"}) {
    draft.load(parseSweep(lost, "file", {}), ValueSource::File, {});
    EXPECT_TRUE(draft.hasUnreadText()) << lost;
  }
  draft.setYaml(q("seed: 5\n"));
  EXPECT_FALSE(draft.hasUnreadText());
  draft.setYaml(q("seed: 6\nmax_duration: 5xx\n"));
  EXPECT_TRUE(draft.hasUnreadText()) << "no field has the new seed";
  const auto kept = draftFromJson(draftToJson(draft.state()));
  ASSERT_TRUE(kept.ok());
  EXPECT_TRUE(kept->unreadText);
  draft.setText("precision", q("bf16"));
  EXPECT_FALSE(draft.hasUnreadText());
}

TEST(ConfigDraftTest, WhatIsLaunchedReadsBackAsTheDraft) {
  ConfigDraft draft;
  draft.load(loadConfig("demo"), ValueSource::Preset);
  draft.setText("max_duration", q("12ba"));
  draft.setText("launch.tags", q("a, b"));
  const LoadedConfig launched = draft.loadedRuns().front();
  EXPECT_EQ(launched.config, parseConfig(launched.yaml, "test", launched.baseFolder).config);
}

TEST(ConfigDraftTest, ADerivedNameFollowsTheValuesUntilItIsEdited) {
  ConfigDraft draft;
  draft.load(parseConfig("name: base-2\noptimizer: {lr: 1e-3}\n", "test", {}), ValueSource::File, q("base"));
  draft.deriveName();
  draft.setText("optimizer.lr", q("2e-4"));
  EXPECT_EQ(draft.text("name"), q("base-lr=2e-4"));
  EXPECT_FALSE(draft.isChanged("name")) << "it follows from what has changed";
  draft.setText("seed", q("3"));
  EXPECT_EQ(draft.text("name"), q("base-lr=2e-4-seed=3"));
  EXPECT_EQ(draftFromJson(draftToJson(draft.state()))->derivedName, "base-lr=2e-4-seed=3");
  draft.reset("optimizer.lr");
  draft.reset("seed");
  EXPECT_EQ(draft.text("name"), q("base-2")) << "nothing differs";
  draft.setText("name", q("mine"));
  draft.setText("seed", q("4"));
  EXPECT_EQ(draft.text("name"), q("mine"));
}

TEST(ConfigDraftTest, OwnTextBesideTheDemoIsAnErrorAtTheText) {
  ConfigDraft draft;
  draft.load(newRunConfig(), ValueSource::Preset, q("demo"));
  EXPECT_TRUE(draft.ready());
  EXPECT_TRUE(draft.changedFields().empty());
  EXPECT_EQ(draft.text("name"), QString());
  draft.setText("data.train", q("/some/texts"));
  EXPECT_FALSE(draft.ready());
  EXPECT_TRUE(draft.error("data.train").contains(q("“Data: format” is demo")));
  draft.setText("data.format", q("lines"));
  EXPECT_TRUE(draft.ready());
  EXPECT_FALSE(draft.loadedRuns().front().baseFolder.empty());
}

TEST(ConfigDraftTest, ARangeMakesSeveralValues) {
  ConfigDraft draft;
  draft.setText("optimizer.lr", q("1e-4..1e-2 x3 log"));
  EXPECT_EQ(draft.runs(), 3) << draft.error("optimizer.lr").toStdString();
  EXPECT_EQ(draft.text("optimizer.lr"), q("1e-04, 0.001, 0.01"));
  draft.setText("optimizer.lr", q("1e-4..1e-2"));
  EXPECT_TRUE(draft.error("optimizer.lr").contains(q("number of values")));
}

TEST(ConfigDraftTest, ASweepIsSetInOneEditAndReadsBackFromItsText) {
  ConfigDraft draft;
  draft.load(newRunConfig(), ValueSource::Preset, q("demo"));
  draft.setText("precision", q("bf16, fp32"));
  const QSignalSpy edits(&draft, &ConfigDraft::edited);
  draft.setSweep({{"optimizer.lr", {"1e-3", "2e-3"}}, {"seed", {"5", "6"}}, {"data.holdout", {"0.01", "0.02"}}},
                 {"optimizer.lr", "data.holdout"});
  EXPECT_EQ(edits.count(), 1);
  EXPECT_EQ(draft.runs(), 4);
  EXPECT_EQ(draft.text("precision"), q("bf16")) << "a former list keeps its first value";
  ConfigDraft again;
  again.setYaml(draft.yaml());
  EXPECT_TRUE(again.ready()) << again.issues().front().text();
  EXPECT_EQ(again.runs(), 4);
  EXPECT_EQ(again.axes().size(), 3u);
  EXPECT_EQ(again.config(), draft.config());
  draft.setSweep({{"seed", {"5", "6", "7"}}, {"optimizer.lr", {"1e-3", "2e-3"}}}, {"seed", "optimizer.lr"});
  EXPECT_FALSE(draft.ready());
  EXPECT_TRUE(draft.error("zip").contains(q("equally many")));
}

TEST(ConfigDraftTest, ProblemsOfAListOfSectionsSayTheirCell) {
  ConfigDraft draft;
  draft.setText("batch.rampup.stages",
                q("[{at: 5ba, global_train_batch_size: 8}, {at: 0ba, global_train_batch_size: 16}]"));
  auto problems = draft.sectionProblems("batch.rampup.stages");
  ASSERT_EQ(problems.size(), 1u) << "the rule over the stages";
  EXPECT_EQ(problems[0].index, 1u);
  EXPECT_EQ(problems[0].key, "at");
  EXPECT_FALSE(draft.error("batch.rampup.stages").isEmpty());
  draft.setText("batch.rampup.stages", q("[{at: 5ba, global_train_batch_size: few}]"));
  problems = draft.sectionProblems("batch.rampup.stages");
  ASSERT_EQ(problems.size(), 1u) << "the value itself";
  EXPECT_EQ(problems[0].key, "global_train_batch_size");
  EXPECT_TRUE(draft.sectionProblems("seed").empty());
}

TEST(FieldWordsTest, InASubgroupTheHeadingIsNotRepeated) {
  const Field& length = *findField("batch.rampup.duration");
  EXPECT_EQ(subgroupOf(length), "batch.rampup");
  EXPECT_EQ(groupTitle(subgroupOf(length)), "Ramp-up");
  EXPECT_EQ(labelInGroup(length), q("Length"));
  EXPECT_EQ(subgroupOf(*findField("batch.round")), "");
  EXPECT_EQ(subgroupOf(*findField("tokenizer.train.vocab_size")), "tokenizer.train");
  for (const Field& field : configSchema())
    if (!subgroupOf(field).empty()) {
      EXPECT_NE(labelInGroup(field), fieldLabel(field.path)) << field.path;
    }
}

TEST(FieldWordsTest, WhereTheSectionIsNotSeenALabelNamesIt) {
  EXPECT_EQ(fieldLabel("lr_scaling.by"), q("Learning-rate scaling: by"));
  EXPECT_EQ(labelInGroup(*findField("lr_scaling.by")), q("By"));
  EXPECT_EQ(fieldLabel("model.preset"), q("Model: size"));
  EXPECT_EQ(labelInGroup(*findField("model.preset")), q("Size"));
  EXPECT_EQ(fieldLabel("optimizer.lr"), q("Peak learning rate"));
}

}  // namespace
}  // namespace batchwise
