// SPDX-License-Identifier: GPL-3.0-or-later
// A run that was stopped, archived and taken in elsewhere goes on there as if it had never moved.
#include <gtest/gtest.h>

#include "core/store/archive/run_archive.h"
#include "core/store/workspace.h"
#include "tests/run/small_run.h"

namespace batchwise {
namespace {

using test::SmallRuns;

TEST(ArchiveResumeTest, AnImportedRunContinuesBitForBit) {
  const std::vector<std::string> changes = {"batch.rampup={duration: 4ba, initial_global_train_batch_size: 4}"};
  const SmallRuns here;
  const SmallRuns there;
  const SmallRuns::Outcome straight = here.train(here.fresh(changes));
  ASSERT_TRUE(straight.end.ok()) << straight.end.error().text();
  const SmallRuns::Outcome first = here.train(here.fresh(changes), 9);
  ASSERT_TRUE(first.end.ok()) << first.end.error().text();
  const auto file = here.folder() / "run.bwarchive";
  const auto written = exportArchive(*here.workspace(), first.run(), {}, file);
  ASSERT_TRUE(written.ok()) << written.error().text();
  const auto elsewhere = Workspace::open(there.folder() / "workspace");
  ASSERT_TRUE(elsewhere.ok()) << elsewhere.error().text();
  const auto imported = importArchive(**elsewhere, file, "moved");
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  const SmallRuns::Outcome second = there.train(there.resume(imported->run, changes));
  ASSERT_TRUE(second.end.ok()) << second.end.error().text();
  EXPECT_EQ(second.end->status, RunStatus::Finished) << second.end->reason;
  test::expectSameRows(straight.log.rows, test::joined(first.log.rows, second.log.rows));
  EXPECT_EQ(test::stateDifference(here.newest(straight.run()), there.newest(imported->run), test::kAnySeconds), "");
}

}  // namespace
}  // namespace batchwise
