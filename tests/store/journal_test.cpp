// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/journal/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "core/base/file.h"
#include "core/store/journal/journal_run.h"
#include "tests/store/store_fixture.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Five minutes ahead: who fell silent before is taken for dead.
class LaterClock final : public Clock {
 public:
  double monotonicSec() const override { return 0; }
  std::int64_t wallMs() const override { return Workspace::systemClock().wallMs() + 300'000; }
};

class JournalTest : public testing::Test {
 protected:
  std::unique_ptr<JournalWriter> begin() {
    NewRun run;
    run.name = "far away";
    run.configYaml = "version: 1\n";
    run.resolvedValues = {{"a", "1"}};
    run.references = {{"unigram_entropy", 6.5}};
    run.tags = {"slurm"};
    run.plannedBatches = 500;
    auto writer = JournalWriter::create(folder_.path(), id_, run, {});
    EXPECT_TRUE(writer.ok()) << writer.error().text();
    return std::move(*writer);
  }
  void write(JournalWriter& writer, std::int64_t from, std::int64_t to) {
    for (std::int64_t batch = from; batch <= to; ++batch) writer.publish(rowOf(batch));
    ASSERT_TRUE(writer.flush().ok());
  }
  JournalSync sync() {
    const auto workspace = openStore(folder_.path());
    auto done = syncJournals(*workspace);
    EXPECT_TRUE(done.ok()) << done.error().text();
    EXPECT_THAT(*workspace->check(), IsEmpty());
    return std::move(*done);
  }
  std::vector<SeriesPoint> loss() { return *openStore(folder_.path())->series(id_, "loss"); }
  void expectRows(std::int64_t count) {
    const auto points = loss();
    ASSERT_EQ(static_cast<std::int64_t>(points.size()), count);
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(points[static_cast<std::size_t>(i)].batch, i + 1);
      ASSERT_EQ(points[static_cast<std::size_t>(i)].value, rowOf(i + 1).loss);
    }
  }

  TempFolder folder_;
  std::string id_ = "abcdefghijkl";
  const LaterClock later_{};
  fs::path file_ = folder_ / "runs/abcdefghijkl.journal";
};

TEST_F(JournalTest, APinReachesTheWriterOfTheJournal) {
  const auto writer = begin();
  fs::create_directories(folder_ / "checkpoints");
  for (const char* id : {"c", "d"}) {
    const std::string file = std::string("checkpoints/") + id + ".sqlite";
    std::ofstream(folder_ / file) << "weights";
    ASSERT_TRUE(writer->addCheckpoint(checkpointOf(id, 100, file)).ok());
  }
  EXPECT_THAT(sync().notes, IsEmpty());
  const auto workspace = openStore(folder_.path());
  ASSERT_TRUE(workspace->setPinned("c", true).ok());
  EXPECT_TRUE(writer->checkpoints()->at(0).pinned);
  EXPECT_FALSE(writer->checkpoints()->at(1).pinned);
  ASSERT_TRUE(workspace->setPinned("c", false).ok());
  EXPECT_FALSE(writer->checkpoints()->at(0).pinned);
  ASSERT_TRUE(workspace->setPinned("c", true).ok());
  ASSERT_TRUE(workspace->deleteCheckpoint("c").ok());
  EXPECT_FALSE(fs::exists(folder_ / "checkpoints/c.sqlite.pin"));
}

TEST_F(JournalTest, WhatWasWrittenComesIntoTheDatabaseOnce) {
  {
    const auto writer = begin();
    write(*writer, 1, 2500);
    fs::create_directories(folder_ / "checkpoints");
    std::ofstream(folder_ / "checkpoints/c.sqlite") << "weights";
    CheckpointRecord record = checkpointOf("c", 100, "checkpoints/c.sqlite");
    record.metric = 3.25;
    ASSERT_TRUE(writer->addCheckpoint(record).ok());
    EXPECT_FALSE(fs::exists(folder_ / "workspace.sqlite")) << "the database belongs to another host";
    writer->publish(EvalResult{afterBatches(2500), 4.0, 54.6, 0.25, 640, 64'000, 1.5});
    writer->publish(RunFinished{RunStatus::Finished, "done", afterBatches(2500), "c"});
  }
  const auto first = sync();
  EXPECT_THAT(first.runs, ElementsAre(id_));
  EXPECT_THAT(first.notes, IsEmpty());
  EXPECT_EQ(first.records, 2 + 2500 + 3);
  for (int again = 0; again < 3; ++again) EXPECT_EQ(sync().records, 0);
  expectRows(2500);
  const auto workspace = openStore(folder_.path());
  const auto run = workspace->findRun("far away");
  ASSERT_TRUE(run.ok()) << run.error().text();
  EXPECT_EQ(run->summary.status, RunStatus::Finished);
  EXPECT_EQ(run->summary.evalLoss, 4.0);
  EXPECT_EQ(run->configYaml, "version: 1\n");
  EXPECT_THAT(run->summary.tags, ElementsAre("slurm"));
  EXPECT_EQ(workspace->findCheckpoint("c")->metric, 3.25);
  EXPECT_EQ(workspace->events(id_)->size(), 2U);
}

TEST_F(JournalTest, OnlyTheJournalsThatAreNamedAreTakenIn) {
  const auto writer = begin();
  write(*writer, 1, 10);
  const std::string other = newRecordId();
  NewRun run;
  run.name = "farther";
  const auto second = JournalWriter::create(folder_.path(), other, run, {});
  ASSERT_TRUE(second.ok());
  const auto workspace = openStore(folder_.path());
  const auto done = syncJournals(*workspace, {journalFile(folder_.path(), other)});
  ASSERT_TRUE(done.ok());
  EXPECT_THAT(done->runs, testing::ElementsAre(other));
  EXPECT_EQ(workspace->listRuns()->size(), 1U);
  std::stop_source stop;
  stop.request_stop();
  ASSERT_TRUE(syncJournals(*workspace, {journalFile(folder_.path(), id_)}, stop.get_token()).ok());
  EXPECT_EQ(workspace->listRuns()->size(), 1U) << "nothing is begun any more";
  ASSERT_TRUE(syncJournals(*workspace, {journalFile(folder_.path(), id_)}).ok());
  expectRows(10);
}

TEST_F(JournalTest, ARunKnownByItsJournalAloneTrainsElsewhere) {
  auto writer = begin();
  write(*writer, 1, 10);
  sync();
  const auto workspace = openStore(folder_.path());
  NewRun run;
  const std::string here = *workspace->createRun(run);
  const auto local = RunWriter::begin(workspace, here, {});
  ASSERT_TRUE(local.ok());
  const auto elsewhere = runsElsewhere(*workspace);
  ASSERT_TRUE(elsewhere.ok()) << elsewhere.error().text();
  EXPECT_THAT(*elsewhere, testing::ElementsAre(id_));
  writer->publish(RunFinished{RunStatus::Finished, "done", afterBatches(10), ""});
  writer.reset();
  sync();
  EXPECT_THAT(*runsElsewhere(*workspace), IsEmpty());
}

TEST_F(JournalTest, TwoThatTakeItInAtOnceStoreItOnce) {
  const auto writer = begin();
  const auto first = openStore(folder_.path()), second = openStore(folder_.path());
  for (int part = 0; part < 20; ++part) {
    write(*writer, 100 * part + 1, 100 * part + 100);
    writer->publish(RunNote{NoteLevel::Info, "part " + std::to_string(part), {}});
    ASSERT_TRUE(writer->flush().ok());
    std::jthread other([&] { EXPECT_TRUE(syncJournals(*second).ok()); });
    EXPECT_TRUE(syncJournals(*first).ok());
  }
  expectRows(2000);
  EXPECT_EQ(openStore(folder_.path())->events(id_)->size(), 20U);
}

TEST_F(JournalTest, ADeletedRunDoesNotComeBackAndOneThatIsWrittenStays) {
  auto writer = begin();
  write(*writer, 1, 10);
  EXPECT_EQ(sync().records, 12);
  const auto workspace = openStore(folder_.path());
  EXPECT_EQ(workspace->deleteRun(id_).error().code, ErrorCode::Busy);
  expectRows(10);
  writer->publish(RunFinished{RunStatus::Finished, "done", afterBatches(10), ""});
  writer.reset();
  EXPECT_EQ(sync().records, 1);
  ASSERT_TRUE(workspace->deleteRun(id_).ok());
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_EQ(sync().records, 0);
  EXPECT_THAT(*workspace->listRuns(), IsEmpty());
}

TEST_F(JournalTest, ItIsTakenInWhileItGrows) {
  const auto writer = begin();
  std::int64_t batch = 0;
  for (int part = 0; part < 5; ++part) {
    write(*writer, batch + 1, batch + 700);
    batch += 700;
    EXPECT_EQ(sync().records, 700 + (part == 0 ? 2 : 0));
  }
  expectRows(3500);
}

TEST_F(JournalTest, ItsRowsAreTakenOnceEvenIfTheMarkIsLost) {
  const auto writer = begin();
  write(*writer, 1, 2500);
  sync();
  ASSERT_TRUE(openStore(folder_.path())->saveSetting("journal." + id_, "0 0 -1").ok());
  sync();
  expectRows(2500);
}

TEST_F(JournalTest, ATornEndIsIgnoredAtAnyLength) {
  {
    const auto writer = begin();
    write(*writer, 1, 40);
  }
  const std::string whole = *readFile(file_);
  std::mt19937_64 random(41);
  for (int trial = 0; trial < repeats(30, 300); ++trial) {
    const TempFolder other;
    fs::create_directories(other / "runs");
    std::ofstream(other / "runs/abcdefghijkl.journal") << whole.substr(0, random() % whole.size());
    const auto workspace = openStore(other.path());
    const auto done = syncJournals(*workspace);
    ASSERT_TRUE(done.ok()) << done.error().text();
    EXPECT_THAT(done->notes, IsEmpty());
    const auto points = workspace->series(id_, "loss");
    if (!points.ok()) continue;  // not even its run was there
    for (std::size_t i = 0; i < points->size(); ++i)
      ASSERT_EQ(points->at(i).value, rowOf(static_cast<std::int64_t>(i) + 1).loss);
  }
}

TEST_F(JournalTest, DamageInTheMiddleIsToldAndNothingFalseIsTaken) {
  {
    const auto writer = begin();
    write(*writer, 1, 200);
  }
  const std::string whole = *readFile(file_);
  std::mt19937_64 random(42);
  int told = 0;
  for (int trial = 0; trial < repeats(30, 300); ++trial) {
    const TempFolder other;
    fs::create_directories(other / "runs");
    std::string damaged = whole;
    damaged[random() % (whole.size() - 2000)] ^= static_cast<char>(1 << (random() % 8));
    std::ofstream(other / "runs/abcdefghijkl.journal", std::ios::binary) << damaged;
    const auto workspace = openStore(other.path());
    const auto done = syncJournals(*workspace);
    ASSERT_TRUE(done.ok()) << done.error().text();
    told += done->notes.empty() ? 0 : 1;
    const auto points = workspace->series(id_, "loss");
    if (!points.ok()) continue;
    for (std::size_t i = 0; i < points->size(); ++i)
      ASSERT_EQ(points->at(i).value, rowOf(static_cast<std::int64_t>(i) + 1).loss);
  }
  EXPECT_GT(told, 20);
}

TEST_F(JournalTest, AWriterThatFellSilentIsInterrupted) {
  {
    const auto writer = begin();
    write(*writer, 1, 5);
  }
  sync();
  const auto workspace = openStore(folder_.path(), later_);
  EXPECT_EQ(workspace->findRun(id_)->summary.status, RunStatus::Interrupted);
}

TEST_F(JournalTest, HostileFilesAreLeftOut) {
  fs::create_directories(folder_ / "runs");
  std::ofstream(folder_ / "runs/empty.journal") << "";
  std::ofstream(folder_ / "runs/text.journal") << std::string(5000, 'x');
  std::ofstream(folder_ / "runs/huge.journal") << std::string("\xFF\xFF\xFF\xFF", 4) << std::string(5000, 'x');
  std::ofstream(folder_ / "runs/..%2f.journal") << std::string(5000, '\0');
  fs::create_symlink("/dev/zero", folder_ / "runs/zero.journal");
  fs::create_directory(folder_ / "runs/folder.journal");
  {
    const auto writer = begin();
    write(*writer, 1, 5);
  }
  fs::copy_file(file_, folder_ / "runs/othername.journal");
  const auto done = sync();
  EXPECT_THAT(done.runs, ElementsAre(id_));
  EXPECT_THAT(done.notes, testing::Contains(HasSubstr("another run than its name")));
  EXPECT_EQ(openStore(folder_.path())->listRuns()->size(), 1U);
  expectRows(5);
}

TEST_F(JournalTest, ARunThatGoesOnTellsItsHistoryAndSupersedesItsRows) {
  fs::create_directories(folder_ / "checkpoints");
  for (const char* name : {"a", "b"}) std::ofstream(folder_ / "checkpoints" / name) << "weights";
  {
    const auto writer = begin();
    write(*writer, 1, 100);
    ASSERT_TRUE(writer->addCheckpoint(checkpointOf("a", 50, "checkpoints/a")).ok());
    ASSERT_TRUE(writer->addCheckpoint(checkpointOf("b", 60, "checkpoints/b")).ok());
    ASSERT_TRUE(writer->removeCheckpoint(writer->checkpoints()->front()).ok());
    EXPECT_FALSE(fs::exists(folder_ / "checkpoints/a"));
    EXPECT_EQ(JournalWriter::resume(folder_.path(), id_, {}).error().code, ErrorCode::Busy);
  }
  std::ofstream(file_, std::ios::app) << std::string("\x50\0\0\0sums{\"eve", 13);  // of 80 bytes
  sync();
  EXPECT_EQ(*findJournal(folder_.path(), "far away"), file_);
  EXPECT_EQ(*findJournal(folder_.path(), "latest"), file_);
  EXPECT_EQ(findJournal(folder_.path(), "nobody").error().code, ErrorCode::NotFound);
  const auto before = readJournalRun(file_);
  ASSERT_TRUE(before.ok()) << before.error().text();
  EXPECT_EQ(before->losses.size(), 100U);
  ASSERT_EQ(before->checkpoints.size(), 1U);
  EXPECT_EQ(before->checkpoints.front().id, "b");
  {
    const auto writer = JournalWriter::resume(folder_.path(), id_, {afterBatches(60), "b", "{}", "name: changed\n"});
    ASSERT_TRUE(writer.ok()) << writer.error().text();
    EXPECT_EQ((*writer)->segment(), 1);
    EXPECT_EQ((*writer)->checkpoints()->front().id, "b");
    write(**writer, 61, 80);
    (*writer)->publish(RunFinished{RunStatus::Finished, "done", afterBatches(80), "b"});
  }
  const auto after = readJournalRun(file_);
  ASSERT_TRUE(after.ok()) << after.error().text();
  EXPECT_EQ(after->losses.size(), 80U);
  EXPECT_EQ(after->run.summary.status, RunStatus::Finished);
  EXPECT_THAT(sync().notes, IsEmpty()) << "the silent writer of its first segment does not hold it up";
  expectRows(80);
  const auto workspace = openStore(folder_.path());
  EXPECT_EQ(workspace->findRun(id_)->summary.status, RunStatus::Finished);
  EXPECT_EQ(workspace->findRun(id_)->resolvedYaml, "name: changed\n");
  EXPECT_EQ(workspace->checkpoints(id_)->size(), 1U);
}

TEST_F(JournalTest, ARunThatWasResumedInTwoPlacesIsTold) {
  {
    const auto writer = begin();
    write(*writer, 1, 10);
  }
  sync();
  ASSERT_TRUE(RunWriter::begin(openStore(folder_.path(), later_), id_, {afterBatches(5), "", "{}", ""}).ok());
  write(**JournalWriter::resume(folder_.path(), id_, {afterBatches(10), "", "{}", ""}), 11, 20);
  EXPECT_THAT(sync().notes, ElementsAre(HasSubstr("resumed in two places")));
  expectRows(5);
}

// A writer that is killed while it begins leaves any part of the first two records.
TEST_F(JournalTest, AJournalThatWasNotBegunIsGoneOnWith) {
  { const auto writer = begin(); }
  const std::string whole = *readFile(journalFile(folder_.path(), id_));
  std::int64_t runBytes = 0;
  {
    auto reader = JournalReader::open(journalFile(folder_.path(), id_));
    nlohmann::json record;
    ASSERT_TRUE(*reader->next(record));
    runBytes = reader->byte();
  }
  for (const std::int64_t cut : {std::int64_t{0}, std::int64_t{5}, runBytes - 1, runBytes, runBytes + 9,
                                 static_cast<std::int64_t>(whole.size()) - 1}) {
    for (const bool takenIn : {false, true}) {
      const TempFolder other;
      const std::filesystem::path file = journalFile(other.path(), id_);
      ASSERT_TRUE(makeFolders(file.parent_path()).ok());
      ASSERT_TRUE(writeFileAtomically(file, whole.substr(0, static_cast<std::size_t>(cut))).ok());
      if (takenIn) {
        ASSERT_TRUE(syncJournals(*openStore(other.path())).ok());
      }
      NewRun run;
      run.name = "far away, begun again";  // another length
      auto writer = JournalWriter::create(other.path(), id_, run, {});
      ASSERT_TRUE(writer.ok()) << cut << ": " << writer.error().text();
      write(**writer, 1, 3);
      writer->reset();
      const auto workspace = openStore(other.path());
      const auto synced = syncJournals(*workspace);
      ASSERT_TRUE(synced.ok());
      EXPECT_THAT(synced->notes, IsEmpty()) << cut;
      EXPECT_EQ(workspace->series(id_, "loss")->size(), 3U) << cut;
      EXPECT_EQ(workspace->findRun(id_)->segments.size(), 1U) << cut;
    }
  }
}

TEST_F(JournalTest, ASecondWriterOfTheSameRunIsRefused) {
  const auto writer = begin();
  const auto second = JournalWriter::create(folder_.path(), id_, {}, {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::Busy);
}

TEST_F(JournalTest, AJournalWithASegmentIsNotBegunAgain) {
  { const auto writer = begin(); }
  const auto second = JournalWriter::create(folder_.path(), id_, {}, {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::Busy);
  EXPECT_THAT(second.error().text(), HasSubstr("is there already"));
}

}  // namespace
}  // namespace batchwise::test
