// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/config/run_stages.h"

namespace batchwise {
namespace {

const Field& stages() {
  return *findField("batch.rampup.stages");
}

TEST(SectionListTest, TakesAListApartAndPutsItTogetherAgain) {
  const std::string text = "[{at: 0ba, global_train_batch_size: 8}, {at: 0.1dur, global_train_batch_size: 64}]";
  const auto sections = parseSectionList(text);
  ASSERT_TRUE(sections.has_value());
  ASSERT_EQ(sections->size(), 2u);
  EXPECT_EQ((*sections)[1][0], (std::pair<std::string, std::string>{"at", "0.1dur"}));
  EXPECT_EQ(sectionListText(*sections), text);
  EXPECT_EQ(sectionListText({}), "[]");
}

TEST(SectionListTest, OtherTextIsNoListOfSections) {
  for (const char* text : {"", "8", "[8, 9]", "[{at: 0ba}], [{at: 1ba}]", "[{at: 0ba}", "{at: 0ba}"})
    EXPECT_FALSE(parseSectionList(text).has_value()) << text;
}

TEST(SectionListTest, ValuesThatWouldBreakTheTextAreQuotedAndEmptyOnesAreLeftOut) {
  const std::string text = sectionListText({{{"at", "0ba, 1ba"}, {"global_train_batch_size", ""}}, {{"at", "}"}}});
  const auto sections = parseSectionList(text);
  ASSERT_TRUE(sections.has_value()) << text;
  ASSERT_EQ(sections->size(), 2u);
  EXPECT_EQ((*sections)[0].size(), 1u);
}

TEST(SectionListTest, ListsInAPartStayLists) {
  const std::string text = "[{name: multistep, duration: rest, milestones: [0.1dur, 0.5dur]}]";
  EXPECT_EQ(sectionListText(*parseSectionList(text)), text);
}

TEST(SectionListTest, TellsTheSectionAndKeyOfAProblem) {
  const auto problems =
      checkSectionList(stages(), "[{at: 0ba, global_train_batch_size: 8}, {at: soon, global_train_batch_size: 0}, {}]");
  ASSERT_EQ(problems.size(), 4u);
  EXPECT_EQ(problems[0].index, 1u);
  EXPECT_EQ(problems[0].key, "at");
  EXPECT_EQ(problems[1].key, "global_train_batch_size");
  EXPECT_EQ(problems[2].index, 2u);
  EXPECT_TRUE(checkSectionList(stages(), "[]").empty());
}

TEST(SectionListTest, ReadsPlaces) {
  EXPECT_EQ(sectionPlace("batch.rampup.stages[1].at"), (std::pair<std::size_t, std::string>{1, "at"}));
  EXPECT_EQ(sectionPlace("[12]"), (std::pair<std::size_t, std::string>{12, ""}));
  EXPECT_FALSE(sectionPlace("batch.rampup.stages").has_value());
}

TEST(SectionListTest, KnowsTheKeysAndChoicesOfItsFields) {
  EXPECT_EQ(requiredKeys(stages()).front(), "at");
  EXPECT_TRUE(requiredKeys(*findField("seed")).empty());
  EXPECT_FALSE(keyChoices(*findField("scheduler.parts"), "name").empty());
  EXPECT_TRUE(keyChoices(stages(), "at").empty());
}

}  // namespace
}  // namespace batchwise
