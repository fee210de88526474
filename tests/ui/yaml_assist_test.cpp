// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/yaml_assist.h"

#include <gtest/gtest.h>

#include "core/config/sweep.h"
#include "tests/ui/short_names.h"

namespace batchwise {
namespace {

/// The first error that the text has.
ConfigIssue errorIn(const char* text) {
  const auto errors = parseSweep(text, "test", {}).first.errors;
  EXPECT_FALSE(errors.empty()) << text;
  return errors.empty() ? ConfigIssue{} : errors.front();
}

/// The text after the first correction of its first error.
QString mended(const char* text) {
  const auto fixes = yamlFixes(q(text), errorIn(text));
  EXPECT_FALSE(fixes.empty()) << text;
  return fixes.empty() ? QString() : fixes.front().text;
}

TEST(YamlEntriesTest, FindsNamesInBlocksListsAndBraces) {
  const auto entries =
      yamlEntries(q("name: a  # of the run\n"
                    "batch:\n"
                    "  rampup:\n"
                    "    stages:\n"
                    "      - at: 0ba\n"
                    "        global_train_batch_size: 8\n"
                    "optimizer: {lr: 3e-4, betas: [0.9, 0.98]}\n"));
  std::vector<std::string> paths;
  for (const YamlEntry& entry : entries) paths.push_back(entry.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"name", "batch", "batch.rampup", "batch.rampup.stages",
                                             "batch.rampup.stages.at", "batch.rampup.stages.global_train_batch_size",
                                             "optimizer", "optimizer.lr", "optimizer.betas"}));
  EXPECT_EQ(entries[0].valueEnd, 7) << "without the comment";
  EXPECT_EQ(entries[7].line, 7);
  EXPECT_EQ(entries[7].value, 16);
  EXPECT_EQ(entries[7].valueEnd, 20);
}

TEST(LosesCommentsTest, OnlyWhereNoneOfThemIsLeft) {
  const QString own = q("# mine\nseed: 7  # lucky\nname: \"a #1\"\n");
  EXPECT_TRUE(losesComments(own, q("seed: 7\nname: \"a #1\"\n")));
  EXPECT_TRUE(losesComments(own, q("seed: 7  # other\n")));
  EXPECT_FALSE(losesComments(own, own));
  EXPECT_FALSE(losesComments(own, q("seed: 8  # lucky\n"))) << "one was taken away on purpose";
  EXPECT_FALSE(losesComments(q("name: \"a #1\"\nvariant: 'b # c'\ntags: [a#b]\n"), q("seed: 7\n")));
  EXPECT_FALSE(losesComments({}, own));
}

TEST(YamlRangeTest, AnUnknownNameAndABadValueAreMarkedThemselves) {
  const char* unknown = "name: a\noptimizer:\n  lrr: 1e-3\n";
  const YamlRange name = yamlRange(q(unknown), errorIn(unknown));
  EXPECT_EQ(name.line, 3);
  EXPECT_EQ(name.from, 2);
  EXPECT_EQ(name.to, 5);
  const char* bad = "optimizer:\n  lr: fast\n";
  const YamlRange value = yamlRange(q(bad), errorIn(bad));
  EXPECT_EQ(value.line, 2);
  EXPECT_EQ(value.from, 6);
  EXPECT_EQ(value.to, 10);
}

TEST(YamlFixesTest, OfferTheNearestKnownName) {
  EXPECT_EQ(mended("optimizer:\n  weight_decai: 0.1\n"), q("optimizer:\n  weight_decay: 0.1\n"));
  EXPECT_EQ(mended("model: {preset: tinyy}\n"), q("model: {preset: tiny}\n"));
}

TEST(YamlFixesTest, OfferToRemoveTheLine) {
  const char* twice = "seed: 1\nseed: 2\n";
  const auto fixes = yamlFixes(q(twice), errorIn(twice));
  ASSERT_FALSE(fixes.empty());
  EXPECT_EQ(fixes.back().text.count(q("seed")), 1);
}

TEST(CompleteYamlTest, OffersWhatIsMissingInTheSection) {
  const QString text = q("optimizer:\n  lr: 1e-3\n  we\n");
  const YamlCompletion names = completeYaml(text, 3, 4);
  EXPECT_EQ(names.typed, 2);
  EXPECT_EQ(names.items, (QStringList{q("weight_decay: "), q("weight_decay_follows: ")}));
  const YamlCompletion top = completeYaml(q("\n"), 1, 0);
  EXPECT_TRUE(top.items.contains(q("optimizer:")));
  EXPECT_TRUE(top.items.contains(q("max_duration: ")));
  EXPECT_FALSE(completeYaml(q("seed: 1\n\n"), 2, 0).items.contains(q("seed: "))) << "it is there already";
}

TEST(CompleteYamlTest, OffersTheValuesOfAField) {
  EXPECT_TRUE(completeYaml(q("model:\n  preset: \n"), 2, 10).items.contains(q("tiny")));
  EXPECT_EQ(completeYaml(q("log:\n  every_step: t\n"), 2, 15).items, QStringList{q("true")});
  EXPECT_TRUE(completeYaml(q("max_duration: 10\n"), 1, 16).items.contains(q("10ba")));
  EXPECT_TRUE(completeYaml(q("name: \n"), 1, 6).items.empty());
}

TEST(YamlFieldAtTest, KnowsTheFieldOfALine) {
  const QString text = q("optimizer:\n  lr: 1e-3\n# nothing\n");
  ASSERT_NE(yamlFieldAt(text, 2), nullptr);
  EXPECT_EQ(yamlFieldAt(text, 2)->path, "optimizer.lr");
  EXPECT_EQ(yamlFieldAt(text, 3), nullptr);
}

}  // namespace
}  // namespace batchwise
