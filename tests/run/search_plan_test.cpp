// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/search_plan.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/store/run_queue.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

using test::checked;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(SearchPlanTest, DrawsFromARangeAreSpreadOverItsRatiosAndFollowFromTheSeed) {
  const auto axis = checked(drawableAxis("optimizer.lr=1e-4..1e-2 log"));
  const auto drawn = checked(drawArms({*axis}, {}, 200, 7));
  ASSERT_THAT(*drawn, SizeIs(1));
  EXPECT_EQ(drawn->front().field, "optimizer.lr");
  ASSERT_THAT(drawn->front().values, SizeIs(200));
  int below = 0;
  for (const std::string& text : drawn->front().values) {
    const double value = std::stod(text);
    EXPECT_GE(value, 1e-4);
    EXPECT_LE(value, 1e-2);
    below += value < 1e-3 ? 1 : 0;
  }
  EXPECT_NEAR(below, 100, 30);
  EXPECT_EQ(*checked(drawArms({*axis}, {}, 200, 7)), *drawn);
  EXPECT_NE(*checked(drawArms({*axis}, {}, 200, 8)), *drawn);
}

TEST(SearchPlanTest, ArmsAreDifferentAndZippedFieldsAdvanceTogether) {
  const std::vector<SweepAxis> axes = {{"seed", {"1", "2", "3"}}, {"optimizer.lr", {"1e-3", "2e-3", "3e-3"}}};
  const auto all = checked(drawArms(axes, {}, 9, 1));
  std::set<std::string> seen;
  for (std::size_t i = 0; i < 9; ++i) seen.insert((*all)[0].values[i] + " " + (*all)[1].values[i]);
  EXPECT_THAT(seen, SizeIs(9));
  const auto zipped = checked(drawArms(axes, {"seed", "optimizer.lr"}, 3, 1));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ((*zipped)[0].values[i].front(), (*zipped)[1].values[i].front());
  EXPECT_THAT(test::refused(drawArms(axes, {"seed", "optimizer.lr"}, 4, 1)).text(), HasSubstr("3 different arms"));
  EXPECT_FALSE(drawArms({}, {}, 2, 1).ok());
  for (const char* bad : {"optimizer.lr", "nothing=1,2", "optimizer.lr=1e-3", "optimizer.lr=a..b"})
    EXPECT_FALSE(drawableAxis(bad).ok()) << bad;
}

TEST(SearchPlanTest, TheBestGoOn) {
  EXPECT_EQ(armsKept(9, 1.0 / 3), 3);
  EXPECT_EQ(armsKept(5, 0.5), 2);
  EXPECT_EQ(armsKept(1, 0.5), 1);
  const std::vector<std::optional<double>> losses = {3.0, std::nullopt, 2.0, std::nan(""), 2.0, 2.5};
  EXPECT_THAT(bestArms(losses, 3), ElementsAre(2, 4, 5));
  EXPECT_THAT(bestArms(losses, 1), ElementsAre(2)) << "the first of equal ones";
  EXPECT_THAT(bestArms(losses, 9), ElementsAre(0, 2, 4, 5)) << "not those that failed or diverged";
}

TEST(SearchPlanTest, MissingSeedsAreThoseOfTheOtherGroupsFirst) {
  EXPECT_THAT(missingSeeds({{17}, {17, 4}}, 3), ElementsAre(ElementsAre(1, 4), ElementsAre(1)));
  EXPECT_THAT(missingSeeds({{1, 2, 3}, {5}}, 3), ElementsAre(IsEmpty(), ElementsAre(1, 2)));
  EXPECT_THAT(missingSeeds({{1, 2}}, 2), ElementsAre(IsEmpty()));
}

TEST(SearchPlanTest, MoreSeedsAreTheSameForAllAndCountThoseThatWait) {
  const test::TempFolder folder;
  const auto workspace = *checked(Workspace::open(folder / "w"));
  RunQueue queue(workspace);
  const auto run = [](const std::string& name, const std::string& more) {
    return parseConfig("name: " + name + "\ndata: {train: [a.txt]}\n" + more, "test", {});
  };
  const auto ids =
      checked(queue.add({run("base", "seed: 5\nlaunch: {stop_at: 0.5dur}\n"), run("ramp", "optimizer: {lr: 1e-3}\n"),
                         run("ramp-seed=5", "optimizer: {lr: 1e-3}\nseed: 5\n")}));
  const auto added = checked(runsOfMoreSeeds(workspace, {"base", "ramp-seed=5"}, 0));
  std::vector<std::string> names;
  for (const LoadedConfig& one : added->runs) {
    names.push_back(one.config.name);
    EXPECT_EQ(one.config.launch.stopAt, std::nullopt) << "the whole length";
    EXPECT_TRUE(one.ok()) << one.errorText();
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("base-seed=1", "base-seed=17", "ramp-seed=1"))
      << "three of each, paired";
  for (std::size_t i = 0; i < added->of.size(); ++i)
    EXPECT_EQ(added->of[i], added->runs[i].config.name.starts_with("base") ? (*ids)[0] : (*ids)[2]);
  ASSERT_TRUE(queue.add(added->runs).ok());
  EXPECT_THAT(checked(runsOfMoreSeeds(workspace, {"base", "ramp"}, 3))->runs, IsEmpty());
  EXPECT_THAT(checked(runsOfMoreSeeds(workspace, {"base", "ramp"}, 0))->runs, SizeIs(2))
      << "all have three: one more each";
  EXPECT_EQ(runsOfMoreSeeds(workspace, {"nobody"}, 3).error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace batchwise
