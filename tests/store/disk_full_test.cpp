// SPDX-License-Identifier: GPL-3.0-or-later
// A full disk, played by a limit on the size of files: the system refuses to let them grow.
#include <gmock/gmock.h>

#include "core/base/file.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/journal/journal.h"
#include "core/store/workspace_folder.h"
#include "tests/store/store_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(DiskFullTest, RowsWaitUntilThereIsSpaceAgain) {
  const TempFolder folder;
  const auto workspace = openStore(folder / "w");
  const std::string run = makeRun(*workspace, "run");
  const auto writer = startRun(workspace, run);
  std::int64_t batch = 0;
  {
    const SmallDisk disk(300'000);
    Result<void> flushed;
    while (flushed.ok() && batch < 20'000) {
      for (int i = 0; i < 50; ++i) writer->publish(rowOf(++batch));
      flushed = writer->flush();
    }
    ASSERT_FALSE(flushed.ok()) << "the disk never got full";
    EXPECT_EQ(flushed.error().code, ErrorCode::DiskFull) << flushed.error().text();
    EXPECT_THAT(writer->writeError().value_or(Error()).text(), HasSubstr("no space left"));
    for (int i = 0; i < 45'000; ++i) writer->publish(rowOf(++batch));  // whoever trains may still be at it
    EXPECT_FALSE(writer->flush().ok());
    const auto committed = workspace->series(run, "loss");
    ASSERT_TRUE(committed.ok()) << "what was stored can be read";
    EXPECT_LT(static_cast<std::int64_t>(committed->size()), batch);
  }
  const auto after = checked(writer->flush());
  EXPECT_FALSE(writer->writeError().has_value());
  const auto loss = checked(workspace->series(run, "loss"));
  ASSERT_EQ(static_cast<std::int64_t>(loss->size()), batch) << "nothing is lost, nothing is doubled";
  for (std::int64_t i = 0; i < batch; ++i) ASSERT_EQ(loss->at(static_cast<std::size_t>(i)).batch, i + 1);
  EXPECT_THAT(*workspace->check(), IsEmpty());
}

TEST(DiskFullTest, ARunWhoseWriterCouldNotSignOffIsFreeInTheSameProcess) {
  const TempFolder folder;
  std::string run;
  {
    const auto workspace = openStore(folder / "w");
    run = makeRun(*workspace, "run");
    auto writer = startRun(workspace, run);
    writer->publish(rowOf(1));
    ASSERT_TRUE(writer->flush().ok());
    const auto elsewhere = openStore(folder / "w");
    EXPECT_EQ(*elsewhere->markDeadRuns(), 0);
    EXPECT_EQ(RunWriter::open(elsewhere, run, {}).error().code, ErrorCode::Busy) << "its writer is there";
    writer->publish(rowOf(2));
    const SmallDisk disk(4096);
    EXPECT_EQ(writer->flush().error().code, ErrorCode::DiskFull);
    writer.reset();
  }
  const auto workspace = openStore(folder / "w");
  EXPECT_EQ(workspace->findRun(run)->summary.status, RunStatus::Interrupted);
  const auto again = checked(RunWriter::open(workspace, run, {afterBatches(1), "", "{}", ""}));
  EXPECT_EQ((*again)->segment(), 1);
  EXPECT_EQ(*openStore(folder / "w")->markDeadRuns(), 0) << "the new one lives";
}

TEST(DiskFullTest, ARunThatCannotBeDeletedKeepsItsJournal) {
  const TempFolder folder;
  const std::string run = newRecordId();
  {
    const auto writer = checked(JournalWriter::create(folder / "w", run, {}, {}));
    for (std::int64_t batch = 1; batch <= 100; ++batch) (*writer)->publish(rowOf(batch));
    (*writer)->publish(RunFinished{RunStatus::Finished, "done", afterBatches(100), ""});
  }
  const auto workspace = openStore(folder / "w");
  ASSERT_TRUE(syncJournals(*workspace).ok());
  const auto journal = journalFile(folder / "w", run);
  {
    const SmallDisk disk(4096);
    const Error deleted = refused(workspace->deleteRun(run));
    EXPECT_EQ(deleted.code, ErrorCode::DiskFull) << deleted.text();
  }
  EXPECT_TRUE(workspace->findRun(run).ok());
  EXPECT_TRUE(std::filesystem::exists(journal));
  ASSERT_TRUE(workspace->deleteRun(run).ok());
  EXPECT_TRUE(std::filesystem::is_empty(journal.parent_path()));
}

TEST(DiskFullTest, ManySizesOfDisk) {
  for (std::uint64_t bytes = 60'000; bytes < 400'000; bytes += 23'000) {
    const TempFolder folder;
    std::int64_t acknowledged = 0;
    {
      const SmallDisk disk(bytes);
      const auto workspace = Workspace::open(folder / "w");
      if (!workspace.ok()) {
        EXPECT_EQ(workspace.error().code, ErrorCode::DiskFull) << workspace.error().text();
        continue;
      }
      NewRun run;
      run.name = "run";
      const auto id = (*workspace)->createRun(run);
      if (!id.ok()) continue;
      const auto writer = RunWriter::open(*workspace, *id, {});
      if (!writer.ok()) continue;
      for (std::int64_t batch = 1; batch <= 400; ++batch) {
        (*writer)->publish(rowOf(batch));
        if (batch % 20 == 0 && (*writer)->flush().ok()) acknowledged = batch;
      }
    }
    const auto workspace = openStore(folder / "w");
    EXPECT_THAT(*workspace->check(), IsEmpty()) << bytes;
    const auto run = workspace->findRun("run");
    if (!run.ok()) continue;
    EXPECT_GE(static_cast<std::int64_t>(workspace->series(run->summary.id, "loss")->size()), acknowledged) << bytes;
  }
}

TEST(DiskFullTest, ACheckpointThatDoesNotFitLeavesNothing) {
  const TempFolder folder;
  const std::vector<std::byte> content(3 << 20, std::byte{7});
  const CheckpointEntry entry{"weights", "bytes", {}, static_cast<std::int64_t>(content.size())};
  {
    const SmallDisk disk(1 << 20);
    auto writer = checked(CheckpointWriter::create(folder / "c.sqlite", entry.bytes));
    auto done = writer->add(entry, content);
    if (done.ok()) done = writer->finish({});
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, ErrorCode::DiskFull) << done.error().text();
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(DiskFullTest, ACheckpointLargerThanTheFreeSpaceIsNotBegun) {
  const TempFolder folder;
  const auto free = checked(freeBytes(folder.path()));
  const Error writer = refused(CheckpointWriter::create(folder / "c.sqlite", *free + (std::int64_t{1} << 40)));
  EXPECT_EQ(writer.code, ErrorCode::DiskFull);
  EXPECT_THAT(writer.message, HasSubstr("keep fewer checkpoints"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace batchwise::test
