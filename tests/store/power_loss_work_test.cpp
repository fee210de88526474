// SPDX-License-Identifier: GPL-3.0-or-later
// The machine loses its power while more than a run is written: folders are made, journals grow and are taken in,
// archives come in, checkpoints go, a backup is restored.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/store/archive/run_archive.h"
#include "core/store/backups.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/journal/journal.h"
#include "core/store/restore/restore.h"
#include "tests/store/power_loss_expect.h"
#include "tests/store/store_fixture.h"
#include "tests/store/watched_files.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

constexpr std::int64_t kGroups = 6;
constexpr std::int64_t kRowsOfGroup = 20;
const std::string kRunId = "abcdefghijkl";

using Expect = std::function<void(const fs::path& folder, const Known& known)>;

class PowerLossWorkTest : public testing::Test {
 protected:
  PowerLossWorkTest() { fs::create_directory(live_); }

  /// Takes the power away before `count` operations of what was recorded, drawn by chance, or before each if there are
  /// not more; and a quarter as often after the last.
  void loseAt(std::vector<FileOp> ops, int count, const Expect& expect) {
    PowerLoss disk(std::move(ops));
    const std::size_t length = disk.size() - disk.first();
    std::vector<std::size_t> points(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < points.size(); ++i)
      points[i] = disk.first() + (points.size() > length ? i % (length + 1) : random_() % (length + 1));
    points.resize(points.size() + points.size() / 4, disk.size());  // everything was acknowledged
    std::sort(points.begin(), points.end());
    const FreeSyncs quick;
    Known known;
    for (const std::size_t point : points) {
      known.add(disk.advance(point));
      const fs::path found = folder_ / "found";
      fs::remove_all(found);
      disk.write(found, random_, [](const std::string&) { return true; });
      ASSERT_NO_FATAL_FAILURE(restart(found));
      expect(found, known);
      ASSERT_FALSE(HasFailure()) << "power lost before operation " << point << " of " << disk.size();
    }
  }

  /// The machine is back after a while.
  static void restart(const fs::path& found) {
    for (const auto& entry : fs::recursive_directory_iterator(found))
      if (entry.path().extension() == ".partial")
        fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours{1});
  }

  std::mt19937_64 random_{47};
  TempFolder folder_;
  fs::path live_ = folder_ / "live";
};

CheckpointRecord makeRunCheckpoint(const fs::path& workspace, std::int64_t batch) {
  return makeCheckpoint(workspace, kRunId + "-0-" + std::to_string(batch), batch, 20'000);
}

void writeRows(RunRecorder& writer, std::int64_t& batch) {
  for (std::int64_t i = 0; i < kRowsOfGroup; ++i) writer.publish(rowOf(++batch));
  const auto done = writer.flush();
  ASSERT_TRUE(done.ok()) << done.error().text();
  mark("row " + std::to_string(batch));
}

/// Some groups of rows, each with a checkpoint; of these the last two and the best stay.
void writeAndKeepTwo(const fs::path& workspace, RunRecorder& writer, std::int64_t& batch) {
  for (std::int64_t group = 0; group < kGroups; ++group) {
    ASSERT_NO_FATAL_FAILURE(writeRows(writer, batch));
    CheckpointRecord made = makeRunCheckpoint(workspace, batch);
    made.metric = static_cast<double>((batch * 7) % 11);
    ASSERT_TRUE(writer.addCheckpoint(made).ok());
    mark("checkpoint " + made.id);
    const RetentionPolicy two{.keepLast = 2, .keepBest = 1};
    RunSegment segment;
    segment.number = writer.segment();
    for (const CheckpointRecord& old : selectForRemoval({segment}, *writer.checkpoints(), two)) {
      mark("removing " + old.id);
      ASSERT_TRUE(writer.removeCheckpoint(old).ok());
      mark("removed " + old.id);
    }
  }
}

TEST_F(PowerLossWorkTest, ANewWorkspaceKeepsItsFoldersAndRetentionTakesTheRowFirst) {
  const fs::path inner = "projects/2031/w";
  startRecording(live_);
  {
    const auto workspace = openStore(live_ / inner);
    const auto writer = startRun(workspace, makeRun(*workspace, "run"));
    std::int64_t batch = 0;
    ASSERT_NO_FATAL_FAILURE(writeAndKeepTwo(live_ / inner, *writer, batch));
  }
  loseAt(stopRecording(), repeats(120, 3000), [&](const fs::path& folder, const Known& known) {
    const auto workspace = openStore(folder / inner);
    const auto run = workspace->findRun("run");
    if (!known.has("row") && !run.ok()) return;
    ASSERT_TRUE(run.ok()) << run.error().text();
    ASSERT_NO_FATAL_FAILURE(expectRows(*workspace, run->summary.id, known.row));
    ASSERT_NO_FATAL_FAILURE(expectCheckpoints(*workspace, run->summary.id, known.checkpoints));
    EXPECT_THAT(*workspace->check(), IsEmpty());
  });
}

void recordJournal(const fs::path& place) {
  std::int64_t batch = 0;
  {
    NewRun run;
    run.name = "far";
    const auto writer = JournalWriter::create(place, kRunId, run, {});
    ASSERT_TRUE(writer.ok()) << writer.error().text();
    mark("created");
    ASSERT_NO_FATAL_FAILURE(writeAndKeepTwo(place, **writer, batch));
  }
  for (int session = 0; session < 2; ++session) {
    const auto writer = JournalWriter::resume(place, kRunId, {afterBatches(batch), "", "{}", ""});
    ASSERT_TRUE(writer.ok()) << writer.error().text();
    ASSERT_NO_FATAL_FAILURE(writeRows(**writer, batch));
    const auto workspace = openStore(place);
    ASSERT_TRUE(syncJournals(*workspace).ok());
    mark("taken");
    ASSERT_NO_FATAL_FAILURE(writeRows(**writer, batch));
    (*writer)->publish(RunFinished{RunStatus::Finished, "done", afterBatches(batch), ""});
  }
  const auto workspace = openStore(place);
  ASSERT_TRUE(syncJournals(*workspace).ok());
  mark("deleting");
  const auto deleted = workspace->deleteRun(kRunId);
  ASSERT_TRUE(deleted.ok()) << deleted.error().text();
  mark("deleted");
}

TEST_F(PowerLossWorkTest, AJournalIsWrittenResumedTakenInAndDeleted) {
  const fs::path inner = "shared/w";
  startRecording(live_);
  recordJournal(live_ / inner);
  loseAt(stopRecording(), repeats(120, 3000), [&](const fs::path& folder, const Known& known) {
    if (known.has("created") && !known.has("deleting") && random_() % 2 == 0) {
      const auto writer = JournalWriter::resume(folder / inner, kRunId, {afterBatches(known.row), "", "{}", ""});
      ASSERT_TRUE(writer.ok()) << "the run cannot be resumed: " << writer.error().text();
    }
    const auto workspace = openStore(folder / inner);
    const bool tookBefore = workspace->findRun(kRunId).ok();
    EXPECT_TRUE(tookBefore || !known.has("taken") || known.has("deleting")) << "what was taken in is lost";
    const auto synced = syncJournals(*workspace);
    ASSERT_TRUE(synced.ok()) << synced.error().text();
    const auto run = workspace->findRun(kRunId);
    EXPECT_FALSE(run.ok() && known.has("deleted")) << "a deleted run is back";
    if (known.has("deleting") || !known.has("created")) return;
    ASSERT_TRUE(run.ok()) << run.error().text();
    ASSERT_NO_FATAL_FAILURE(expectRows(*workspace, kRunId, known.row, RowsBehind::MayBeMissing));
    ASSERT_NO_FATAL_FAILURE(expectCheckpoints(*workspace, kRunId, known.checkpoints));
    EXPECT_THAT(*workspace->check(), IsEmpty());
  });
}

TEST_F(PowerLossWorkTest, AnImportIsThereAsAWholeOrNotAtAll) {
  {
    const auto source = openStore(folder_ / "source");
    const std::string run = makeRun(*source, "run");
    const auto writer = startRun(source, run);
    std::int64_t batch = 0;
    ASSERT_NO_FATAL_FAILURE(writeRows(*writer, batch));
    for (const std::int64_t at : {10, 20})
      ASSERT_TRUE(writer->addCheckpoint(makeRunCheckpoint(source->folder(), at)).ok());
    CheckpointSelection all;
    all.kind = CheckpointSelection::Kind::All;
    const auto written = exportArchive(*source, run, all, folder_ / "run.bwrun");
    ASSERT_TRUE(written.ok()) << written.error().text();
  }
  startRecording(live_);
  for (const char* name : {"first", "second"}) {
    const auto workspace = openStore(live_ / "w");
    const auto taken = importArchive(*workspace, folder_ / "run.bwrun", name);
    ASSERT_TRUE(taken.ok()) << taken.error().text();
    mark(name);
  }
  loseAt(stopRecording(), repeats(80, 2000), [&](const fs::path& folder, const Known& known) {
    const auto workspace = openStore(folder / "w");
    for (const char* name : {"first", "second"}) {
      const auto run = workspace->findRun(name);
      EXPECT_TRUE(run.ok() || !known.has(name)) << "an acknowledged import is lost";
      if (!run.ok()) continue;
      ASSERT_NO_FATAL_FAILURE(expectRows(*workspace, run->summary.id, kRowsOfGroup));
      EXPECT_EQ(workspace->checkpoints(run->summary.id)->size(), 2U);
      ASSERT_NO_FATAL_FAILURE(expectCheckpoints(*workspace, run->summary.id, {}));
    }
    EXPECT_THAT(*workspace->check(), IsEmpty());
  });
}

TEST_F(PowerLossWorkTest, WhatARestoreReportsIsThereAndTheFormerDatabaseStays) {
  constexpr std::int64_t kRows = 300;
  const std::string id = fillStore(openStore(live_ / "w"), kRows);
  ASSERT_TRUE(backUpWorkspace(live_ / "w", 1'790'000'000'000).ok());
  const fs::path backup = backupsOf(live_ / "w").front().file.lexically_relative(live_);
  ASSERT_TRUE(openStore(live_ / "w")->setNote(id, "newer").ok());
  startRecording(live_);
  const auto report = restoreWorkspace(live_ / "w", live_ / backup);
  ASSERT_TRUE(report.ok()) << report.error().text();
  mark("restored");
  loseAt(stopRecording(), repeats(40, 800), [&](const fs::path& folder, const Known& known) {
    ASSERT_TRUE(fs::exists(folder / backup));
    {
      const auto workspace = openStore(folder / "w");
      const auto run = workspace->findRun("run");
      ASSERT_TRUE(run.ok()) << run.error().text();
      ASSERT_NO_FATAL_FAILURE(expectRows(*workspace, run->summary.id, kRows));
      ASSERT_NO_FATAL_FAILURE(expectCheckpoints(*workspace, run->summary.id, {"c1"}));
      EXPECT_THAT(*workspace->check(), IsEmpty());
      if (run->summary.note == "newer") {
        EXPECT_FALSE(known.has("restored"));
        return;
      }
      const auto entries = entriesOf(folder / "w");
      EXPECT_TRUE(std::any_of(entries.begin(), entries.end(), [](const fs::path& entry) {
        return entry.filename().native().starts_with("workspace.replaced-") && entry.extension() == ".sqlite";
      }));
    }
  });
}

}  // namespace
}  // namespace batchwise::test
