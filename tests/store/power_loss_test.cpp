// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/store/archive/run_archive.h"
#include "core/store/backups.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/journal/journal.h"
#include "core/store/restore/restore.h"
#include "core/store/workspace.h"
#include "tests/store/store_fixture.h"
#include "tests/store/watched_files.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

/// What was acknowledged when the power went, from marks such as "row 40", "checkpoint ID", "removing ID".
struct Known {
  std::set<std::string> words;  ///< the first of each mark
  std::int64_t row = 0;
  std::vector<std::string> checkpoints;  ///< oldest first

  void add(const std::vector<std::string>& marks);
  bool has(const std::string& word) const { return words.contains(word); }
};

void Known::add(const std::vector<std::string>& marks) {
  for (const std::string& mark : marks) {
    std::istringstream text(mark);
    std::string what, value;
    text >> what >> value;
    if (what == "row") row = std::stoll(value);
    if (what == "checkpoint") checkpoints.push_back(value);
    if (what == "removing") std::erase(checkpoints, value);
    words.insert(what);
  }
}

/// A checkpoint file of `bytes` bytes, and the record for its row.
CheckpointRecord makeCheckpoint(const std::filesystem::path& workspace, const std::string& id, std::int64_t batch,
                                std::int64_t bytes) {
  const std::string file = "checkpoints/" + id + ".sqlite";
  const std::vector<std::byte> content(static_cast<std::size_t>(bytes), static_cast<std::byte>(batch));
  auto target = CheckpointWriter::create(workspace / file, bytes);
  EXPECT_TRUE(target.ok() && target->add({"weights", "bytes", {}, bytes}, content).ok());
  EXPECT_TRUE(target->finish({{"batch", std::to_string(batch)}}).ok());
  return checkpointOf(id, batch, file);
}

/// Rows from the first on without a gap, as written by rowOf(), and no fewer than `atLeast`. A journal may lack some
/// behind those.
enum class RowsBehind { Follow, MayBeMissing };
void expectRows(const Workspace& workspace, const std::string& run, std::int64_t atLeast,
                RowsBehind behind = RowsBehind::Follow) {
  const auto loss = checked(workspace.series(run, "loss"));
  EXPECT_GE(static_cast<std::int64_t>(loss->size()), atLeast) << "acknowledged rows are lost";
  for (std::size_t i = 0; i < loss->size(); ++i) {
    if (behind == RowsBehind::Follow || static_cast<std::int64_t>(i) < atLeast) {
      ASSERT_EQ(loss->at(i).batch, static_cast<std::int64_t>(i) + 1);
    }
    ASSERT_EQ(loss->at(i).value, rowOf(loss->at(i).batch).loss);
  }
}

/// Each row for which `written` is true has its whole file, and each of the checkpoints `known` its row.
void expectCheckpoints(
    const Workspace& workspace, const std::string& run, const std::vector<std::string>& known,
    const std::function<bool(const CheckpointRecord&)>& written = [](const CheckpointRecord&) { return true; }) {
  const auto records = checked(workspace.checkpoints(run));
  std::set<std::string> found;
  for (const CheckpointRecord& record : *records) {
    found.insert(record.id);
    if (!written(record)) continue;
    const auto reader = CheckpointReader::open(workspace.folder() / record.file);
    ASSERT_TRUE(reader.ok()) << "a row promises a checkpoint: " << reader.error().text();
    ASSERT_TRUE(reader->verify().ok());
    const auto batch = reader->facts().find("batch");
    if (batch == reader->facts().end()) continue;
    ASSERT_EQ(batch->second, std::to_string(record.at.batch)) << record.id;
  }
  for (const std::string& id : known) EXPECT_TRUE(found.contains(id)) << id << " is lost";
}

// The machine loses its power at any moment: what the store has acknowledged is there afterwards, and nothing is
// damaged.

constexpr std::int64_t kSessions = 6;
constexpr std::int64_t kSessionGroups = 12;
constexpr std::int64_t kRowsOfSessionGroup = 40;

void saveCheckpoint(const Workspace& workspace, RunWriter& writer, std::int64_t batch) {
  const CheckpointRecord made = makeCheckpoint(workspace.folder(), "c" + std::to_string(batch), batch, 150'000);
  ASSERT_TRUE(writer.addCheckpoint(made).ok());
  mark("checkpoint " + made.id);
}

/// Several sessions of one run, with what the store acknowledged as marks. Each end of a session moves the WAL.
std::vector<FileOp> recordWork(const fs::path& folder) {
  startRecording(folder);
  std::int64_t batch = 0;
  std::string run;
  for (std::int64_t session = 0; session < kSessions; ++session) {
    const auto workspace = openStore(folder);
    if (session == 0) {
      run = makeRun(*workspace, "run");
      mark("run");
    }
    const auto writer = startRun(workspace, run, afterBatches(batch));
    for (std::int64_t group = 0; group < kSessionGroups; ++group) {
      for (std::int64_t i = 0; i < kRowsOfSessionGroup; ++i) writer->publish(rowOf(++batch));
      EXPECT_TRUE(writer->flush().ok());
      mark("row " + std::to_string(batch));
      if (group % 4 == 3) saveCheckpoint(*workspace, *writer, batch);
    }
  }
  return stopRecording();
}

bool isWanted(const std::string& path, const Known& known) {
  if (!path.starts_with("checkpoints/")) return true;
  const std::size_t newest = known.checkpoints.size() < 2 ? 0 : known.checkpoints.size() - 2;
  return path.find(".partial") != std::string::npos ||
         std::any_of(known.checkpoints.begin() + static_cast<std::ptrdiff_t>(newest), known.checkpoints.end(),
                     [&](const std::string& id) { return path.find(id) != std::string::npos; });
}

void expectWhole(const fs::path& folder, const Known& known, bool everything) {
  const auto workspace = checked(Workspace::open(folder));
  const auto run = (*workspace)->findRun("run");
  if (!known.has("run") && !run.ok()) return;
  ASSERT_TRUE(run.ok()) << run.error().text();
  ASSERT_NO_FATAL_FAILURE(expectRows(**workspace, run->summary.id, known.row));
  ASSERT_NO_FATAL_FAILURE(expectCheckpoints(**workspace, run->summary.id, known.checkpoints, [&](const auto& record) {
    return isWanted(record.file, known) &&
           std::count(known.checkpoints.begin(), known.checkpoints.end(), record.id) > 0;
  }));
  if (!everything) return;
  const auto problems = checked((*workspace)->check());
  for (const std::string& problem : *problems)
    ASSERT_NE(problem.find("No such file"), std::string::npos)
        << problem;  // checkpoints that were not written out here
}

TEST(PowerLossTest, NothingAcknowledgedIsLostAndNothingIsDamaged) {
  const TempFolder folder;
  fs::create_directory(folder / "live");
  PowerLoss disk(recordWork(folder / "live"));
  ASSERT_GT(disk.size(), 2000U) << "hardly anything was recorded";
  std::mt19937_64 random(31);
  std::vector<std::size_t> points(static_cast<std::size_t>(repeats(1000, 10'000)));
  for (std::size_t& point : points) point = random() % (disk.size() + 1);
  std::sort(points.begin(), points.end());
  const FreeSyncs quick;
  Known known;
  int number = 0;
  for (const std::size_t point : points) {
    known.add(disk.advance(point));
    const fs::path found = folder / "found";
    fs::remove_all(found);
    fs::create_directories(found);
    disk.write(found, random, [&](const std::string& path) { return isWanted(path, known); });
    ASSERT_NO_FATAL_FAILURE(expectWhole(found, known, ++number % 10 == 0)) << "power lost before operation " << point;
  }
  EXPECT_EQ(known.checkpoints.size(), static_cast<std::size_t>(kSessions * kSessionGroups / 4));
}

// The machine loses its power while more than a run is written: folders are made, journals grow and are taken in,
// archives come in, checkpoints go, a backup is restored.

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
  const auto done = checked(writer.flush());
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
    const auto writer = checked(JournalWriter::create(place, kRunId, run, {}));
    mark("created");
    ASSERT_NO_FATAL_FAILURE(writeAndKeepTwo(place, **writer, batch));
  }
  for (int session = 0; session < 2; ++session) {
    const auto writer = checked(JournalWriter::resume(place, kRunId, {afterBatches(batch), "", "{}", ""}));
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
  const auto deleted = checked(workspace->deleteRun(kRunId));
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
    const auto synced = checked(syncJournals(*workspace));
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
    const auto written = checked(exportArchive(*source, run, all, folder_ / "run.bwrun"));
  }
  startRecording(live_);
  for (const char* name : {"first", "second"}) {
    const auto workspace = openStore(live_ / "w");
    const auto taken = checked(importArchive(*workspace, folder_ / "run.bwrun", name));
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
  const auto report = checked(restoreWorkspace(live_ / "w", live_ / backup));
  mark("restored");
  loseAt(stopRecording(), repeats(40, 800), [&](const fs::path& folder, const Known& known) {
    ASSERT_TRUE(fs::exists(folder / backup));
    {
      const auto workspace = openStore(folder / "w");
      const auto run = checked(workspace->findRun("run"));
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
