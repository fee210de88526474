// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/store_fixture.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(WorkspaceTest, ARunFromStartToEndIsFoundAgain) {
  const TempFolder folder;
  std::string run;
  {
    const auto workspace = openStore(folder / "w");
    run = makeRun(*workspace, "first");
    const auto writer = startRun(workspace, run);
    writer->publish(RunStarted{run, "first", writer->segment(), {}, 3});
    for (std::int64_t batch = 1; batch <= 3; ++batch) writer->publish(rowOf(batch));
    writer->publish(EvalResult{afterBatches(3), 2.5, 12.0, 0.25, 10, 1000, 0.5});
    writer->publish(RunFinished{RunStatus::Finished, "max_duration reached", afterBatches(3), ""});
    ASSERT_TRUE(writer->flush().ok());
  }
  const auto workspace = openStore(folder / "w");
  const auto found = workspace->findRun("first");
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found->summary.id, run);
  EXPECT_EQ(found->summary.status, RunStatus::Finished);
  EXPECT_EQ(found->summary.reason, "max_duration reached");
  EXPECT_EQ(found->summary.at, afterBatches(3));
  EXPECT_EQ(found->summary.loss, 2.5);
  EXPECT_EQ(found->summary.evalLoss, 2.5);
  EXPECT_EQ(found->summary.plannedBatches, 3);
  const auto loss = workspace->series(run, "loss");
  ASSERT_TRUE(loss.ok()) << loss.error().text();
  ASSERT_EQ(loss->size(), 3U);
  EXPECT_EQ(loss->at(2).batch, 3);
  EXPECT_EQ(loss->at(2).value, 2.5);
  const auto events = workspace->events(run);
  ASSERT_TRUE(events.ok()) << events.error().text();
  EXPECT_EQ(events->size(), 3U);
}

}  // namespace
}  // namespace batchwise::test
