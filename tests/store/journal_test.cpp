// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/journal/journal.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <span>
#include <thread>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/database.h"
#include "core/store/workspace_folder.h"
#include "tests/store/store_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
    return *checked(JournalWriter::create(folder_.path(), id_, run, {}));
  }
  void write(JournalWriter& writer, std::int64_t from, std::int64_t to) {
    for (std::int64_t batch = from; batch <= to; ++batch) writer.publish(rowOf(batch));
    ASSERT_TRUE(writer.flush().ok());
  }
  JournalSyncResult sync() {
    const auto workspace = openStore(folder_.path());
    auto done = checked(syncJournals(*workspace));
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
  fs::path file_ = folder_ / "runs/abcdefghijkl.jsonl";
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
  EXPECT_EQ(first.records, 1 + 2500 + 3);
  for (int again = 0; again < 3; ++again) EXPECT_EQ(sync().records, 0);
  expectRows(2500);
  const auto workspace = openStore(folder_.path());
  const auto run = checked(workspace->findRun("far away"));
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
  const auto second = checked(JournalWriter::create(folder_.path(), other, run, {}));
  const auto workspace = openStore(folder_.path());
  const auto done = checked(syncJournals(*workspace, {journalFile(folder_.path(), other)}));
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
  const auto local = checked(RunWriter::open(workspace, here, {}));
  EXPECT_THAT(*checked(journalOnlyRuns(*workspace)), testing::ElementsAre(id_));
  writer->publish(RunFinished{RunStatus::Finished, "done", afterBatches(10), ""});
  writer.reset();
  sync();
  EXPECT_THAT(*journalOnlyRuns(*workspace), IsEmpty());
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
  EXPECT_EQ(sync().records, 11);
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

TEST_F(JournalTest, WhatACrashLeavesOfADeletedRunGoesAndANewRunOfItsIdStays) {
  {
    const auto writer = begin();
    write(*writer, 1, 10);
  }
  const std::string journal = *readFile(file_);
  const fs::path checkpoint = folder_ / "checkpoints" / (id_ + "-0-5.sqlite");
  const auto leave = [&](const std::string& text) {  // as if killed before the files were deleted
    sync();
    ASSERT_TRUE(openStore(folder_.path(), later_)->deleteRun(id_).ok());
    EXPECT_TRUE(fs::is_empty(folder_ / "runs"));
    std::ofstream(file_) << text;
    std::ofstream(checkpoint) << "left behind";
    const auto sum = nlohmann::json::parse(journal.substr(0, journal.find('\n'))).at("crc").dump();
    ASSERT_TRUE(openStore(folder_.path())->saveSetting("journal." + id_, sum).ok());
  };
  leave(journal);
  EXPECT_EQ(sync().records, 0);
  EXPECT_TRUE(fs::is_empty(folder_ / "runs"));
  EXPECT_FALSE(fs::exists(checkpoint));
  { const auto again = begin(); }
  leave(*readFile(file_));
  EXPECT_EQ(sync().records, 1) << "another run";
  EXPECT_TRUE(fs::exists(checkpoint));
}

TEST_F(JournalTest, OneThatIsTakenAwayWhileItIsWrittenIsNoticed) {
  const auto writer = begin();
  write(*writer, 1, 5);
  EXPECT_EQ(writer->storedBatch(), 5);
  fs::rename(file_, folder_ / "away");
  writer->publish(rowOf(6));
  EXPECT_EQ(refused(writer->flush()).code, ErrorCode::NotFound);
  EXPECT_EQ(writer->storedBatch(), 5);
  fs::rename(folder_ / "away", file_);
  EXPECT_TRUE(writer->flush().ok());
  EXPECT_EQ(writer->storedBatch(), 6);
}

TEST_F(JournalTest, ACheckpointWhoseRemovalCannotBeWrittenStaysUntilItIs) {
  const auto writer = begin();
  fs::create_directories(folder_ / "checkpoints");
  std::ofstream(folder_ / "checkpoints/a") << "weights";
  ASSERT_TRUE(writer->addCheckpoint(checkpointOf("a", 50, "checkpoints/a")).ok());
  fs::rename(file_, folder_ / "away");
  EXPECT_FALSE(writer->removeCheckpoint(writer->checkpoints()->front()).ok());
  EXPECT_TRUE(fs::exists(folder_ / "checkpoints/a"));
  EXPECT_EQ(writer->checkpoints()->size(), 1U);
  fs::rename(folder_ / "away", file_);
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_FALSE(fs::exists(folder_ / "checkpoints/a"));
  EXPECT_THAT(*writer->checkpoints(), IsEmpty());
  EXPECT_THAT(readJournalRun(file_)->checkpoints, IsEmpty());
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
    std::ofstream(other / "runs/abcdefghijkl.jsonl") << whole.substr(0, random() % whole.size());
    const auto workspace = openStore(other.path());
    EXPECT_THAT(checked(syncJournals(*workspace))->notes, IsEmpty());
    const auto points = workspace->series(id_, "loss");
    if (!points.ok()) continue;  // not even its run was there
    for (std::size_t i = 0; i < points->size(); ++i)
      ASSERT_EQ(points->at(i).value, rowOf(static_cast<std::int64_t>(i) + 1).loss);
  }
}

/// Where each line of a journal begins, and its end.
std::vector<std::size_t> linesOf(const std::string& journal) {
  std::vector<std::size_t> begins{0};
  for (std::size_t end = journal.find('\n'); end != std::string::npos; end = journal.find('\n', end + 1))
    begins.push_back(end + 1);
  return begins;
}

/// A journal of 41 lines: its segment, then rows 1 to 40.
class BrokenJournalTest : public JournalTest {
 protected:
  void SetUp() override {
    {
      const auto writer = begin();
      write(*writer, 1, 40);
    }
    whole_ = *readFile(file_);
    lines_ = linesOf(whole_);
    ASSERT_EQ(lines_.size(), 42U);
  }
  /// Resumes behind `rows` rows and trains on to 60. Returns the notices.
  std::vector<std::string> resumeTo60(std::int64_t rows) {
    auto writer = checked(JournalWriter::resume(folder_.path(), id_, {afterBatches(rows), "", "{}", ""}));
    write(**writer, rows + 1, 60);
    return (*writer)->notices();
  }
  void put(const std::string& bytes) { std::ofstream(file_, std::ios::binary) << bytes; }
  /// The rows 1 to 60, those in `lost` left out.
  static void expectAllBut(const std::vector<SeriesPoint>& points, const std::set<std::int64_t>& lost) {
    std::vector<std::int64_t> batches;
    for (const SeriesPoint& point : points) {
      batches.push_back(point.batch);
      EXPECT_EQ(point.value, rowOf(point.batch).loss);
    }
    std::vector<std::int64_t> expected;
    for (std::int64_t batch = 1; batch <= 60; ++batch)
      if (!lost.contains(batch)) expected.push_back(batch);
    ASSERT_EQ(batches, expected);
  }

  std::string whole_;
  std::vector<std::size_t> lines_;
};

TEST_F(BrokenJournalTest, AnyTailThatIsNotWholeIsCutOffAndTheRunGoesOn) {
  const std::string last = whole_.substr(lines_[40]);
  const std::vector<std::pair<std::string, std::string>> tails = {
      {"zeros", std::string(5000, '\0')},
      {"half a line", last.substr(0, last.size() / 2)},
      {"a line without its end", last.substr(0, last.size() - 1)},
      {"garbage", std::string(777, '\xA5')},
      {"lines without checksums", "{\"event\": {}}\n{\"event\": {}}\n"},
      {"a hole within lines", last.substr(0, 100) + std::string(512, '\0') + last.substr(90)},
  };
  for (const auto& [what, tail] : tails) {
    SCOPED_TRACE(what);
    put(whole_ + tail);
    EXPECT_THAT(resumeTo60(40), ElementsAre(HasSubstr("are cut off")));
    const auto run = checked(readJournalRun(file_));
    ASSERT_EQ(run->losses.size(), 60U);
    for (std::int64_t i = 0; i < 60; ++i) EXPECT_EQ(run->losses[static_cast<std::size_t>(i)].value, rowOf(i + 1).loss);
  }
  EXPECT_THAT(sync().notes, IsEmpty());
  expectRows(60);
}

// Whatever a crash of the machine leaves of the last write: any cut, any stretch of zeros from some byte on.
TEST_F(BrokenJournalTest, ACutOrAHoleAnywhereLeavesTheLinesBeforeIt) {
  std::mt19937_64 random(43);
  for (int trial = 0; trial < repeats(40, 1000); ++trial) {
    const std::size_t at = lines_[1] + random() % (whole_.size() - lines_[1]);
    std::string broken = whole_.substr(0, at);
    if (trial % 2 == 0) broken.resize(whole_.size(), '\0');
    put(broken);
    const auto end = std::upper_bound(lines_.begin(), lines_.end(), at) - 1;
    EXPECT_EQ(resumeTo60(end - lines_.begin() - 1).size(), broken.size() > *end ? 1U : 0U) << at;
    const auto run = checked(readJournalRun(file_));
    ASSERT_EQ(run->losses.size(), 60U);
    for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(run->losses[i].value, rowOf(static_cast<std::int64_t>(i) + 1).loss);
  }
}

TEST_F(BrokenJournalTest, AFlippedBitLosesItsLineAloneAndIsTold) {
  std::mt19937_64 random(44);
  for (int trial = 0; trial < repeats(30, 300); ++trial) {
    const TempFolder other;
    fs::create_directories(other / "runs");
    const std::size_t hit = 1 + random() % 39;
    const std::size_t at = lines_[hit] + random() % (lines_[hit + 1] - lines_[hit]);
    std::string damaged = whole_;
    damaged[at] ^= static_cast<char>(1 << (random() % 8));
    std::set<std::int64_t> lost{static_cast<std::int64_t>(hit)};
    if (at + 1 == lines_[hit + 1]) lost.insert(static_cast<std::int64_t>(hit) + 1);  // the end of a line
    const fs::path file = journalFile(other.path(), id_);
    std::ofstream(file, std::ios::binary) << damaged;
    const auto told = testing::AllOf(HasSubstr("line"), HasSubstr(std::to_string(hit + 1)), HasSubstr(file.native()));
    const auto store = openStore(other.path());
    EXPECT_THAT(syncJournals(*store)->notes, ElementsAre(told));
    {
      auto resumed = checked(JournalWriter::resume(other.path(), id_, {afterBatches(40), "", "{}", ""}));
      EXPECT_EQ((*resumed)->notices().size(), 1U);
      write(**resumed, 41, 60);
    }
    EXPECT_EQ(readFile(file)->substr(0, lines_[40]), damaged.substr(0, lines_[40])) << "nothing is deleted";
    expectAllBut(readJournalRun(file)->losses, lost);
    EXPECT_THAT(syncJournals(*store)->notes, IsEmpty()) << "told once";
    expectAllBut(*store->series(id_, "loss"), lost);
  }
}

TEST_F(BrokenJournalTest, AHoleLosesItsLinesAlone) {
  for (const auto& [first, last] : std::vector<std::pair<std::size_t, std::size_t>>{{5, 5}, {5, 12}, {20, 39}}) {
    std::string holed = whole_;
    const std::size_t begin = lines_[first] + 7, end = first == last ? begin + 1 : lines_[last] + 9;
    std::fill(holed.begin() + static_cast<std::ptrdiff_t>(begin), holed.begin() + static_cast<std::ptrdiff_t>(end),
              '\0');
    put(holed);
    EXPECT_THAT(resumeTo60(40), ElementsAre(HasSubstr("line " + std::to_string(first + 1) + " of")));
    std::set<std::int64_t> lost;
    for (std::size_t line = first; line <= last; ++line) lost.insert(static_cast<std::int64_t>(line));
    const auto run = checked(readJournalRun(file_));
    expectAllBut(run->losses, lost);
    const TempFolder other;
    fs::create_directories(other / "runs");
    fs::copy_file(file_, journalFile(other.path(), id_));
    const auto store = openStore(other.path());
    EXPECT_EQ(syncJournals(*store)->notes.size(), 1U);
    expectAllBut(*store->series(id_, "loss"), lost);
  }
}

// Whose lines follow would not be known.
TEST_F(BrokenJournalTest, ADamagedStartOfASegmentIsRefusedAndNothingChanges) {
  resumeTo60(40);
  const std::string whole = *readFile(file_);
  for (const std::size_t at : {std::size_t{9}, whole_.size() + 9}) {  // of segment 0, of segment 1
    std::string damaged = whole;
    damaged[at] = '\0';
    put(damaged);
    const Error resumed = refused(JournalWriter::resume(folder_.path(), id_, {afterBatches(60), "", "{}", ""}));
    EXPECT_EQ(resumed.code, ErrorCode::Corrupt);
    EXPECT_THAT(resumed.text(), HasSubstr("segment"));
    EXPECT_EQ(JournalWriter::create(folder_.path(), id_, {}, {}).error().code, ErrorCode::Busy);
    EXPECT_EQ(*findJournal(folder_.path(), id_), file_);
    EXPECT_EQ(*readFile(file_), damaged);
  }
  EXPECT_THAT(sync().notes, testing::Contains(HasSubstr("begins its segment")));
  expectRows(40);
}

TEST_F(BrokenJournalTest, SoMuchDamageThatNobodyLooksBehindItIsLeftAlone) {
  fs::resize_file(file_, 300 << 20);
  EXPECT_THAT(refused(JournalWriter::resume(folder_.path(), id_, {afterBatches(40), "", "{}", ""})).text(),
              HasSubstr("no intact one follows"));
  EXPECT_EQ(fs::file_size(file_), 300U << 20);
}

// A machine that writes to a shared file system may show its last bytes before those in the middle.
TEST_F(BrokenJournalTest, AHoleInAJournalThatIsBeingWrittenIsWaitedFor) {
  const auto writer = checked(JournalWriter::resume(folder_.path(), id_, {afterBatches(40), "", "{}", ""}));
  write(**writer, 41, 60);
  const std::string whole = *readFile(file_);
  const auto lines = linesOf(whole);
  const auto withHole = [&](std::size_t first, std::size_t last) {
    std::string holed = whole;
    std::fill(holed.begin() + static_cast<std::ptrdiff_t>(lines[first]),
              holed.begin() + static_cast<std::ptrdiff_t>(lines[last]), '\0');
    return holed;
  };
  const auto put = [&](const std::string& bytes) {  // the same file, which stays locked
    std::fstream file(file_, std::ios::binary | std::ios::in | std::ios::out);
    file << bytes;
  };
  put(withHole(45, 48));
  EXPECT_THAT(sync().notes, IsEmpty());
  expectRows(43);
  put(whole);
  EXPECT_THAT(sync().notes, IsEmpty());
  expectRows(60);
  put(withHole(19, 22));
  expectAllBut(readJournalRun(file_)->losses, {19, 20, 21, 22});  // in a segment that has ended
}

TEST_F(BrokenJournalTest, TheLastLineThatWasTakenInIsDamagedLater) {
  sync();
  std::string damaged = whole_;
  damaged[lines_[40] + 5] = '\0';
  put(damaged);
  resumeTo60(40);
  EXPECT_THAT(sync().notes, IsEmpty());
  expectRows(60);
}

// More lines than one transaction takes lie before what is new.
TEST_F(JournalTest, TheLinesBehindADamagedOneThatWasTakenInAreTakenIn) {
  const auto writer = begin();
  write(*writer, 1, 5000);
  sync();
  std::string damaged = *readFile(file_);
  write(*writer, 5001, 5010);
  damaged[linesOf(damaged)[5000] + 5] = '\0';
  damaged += readFile(file_)->substr(damaged.size());
  const TempFolder other;
  fs::copy(folder_.path(), other.path(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  std::ofstream(journalFile(other.path(), id_), std::ios::binary) << damaged;  // which nobody writes
  const auto store = openStore(other.path());
  EXPECT_EQ(syncJournals(*store)->records, 10);
  EXPECT_EQ(store->series(id_, "loss")->size(), 5010U);
}

// The file server lost a whole segment that had been taken in, and another one has its number.
TEST_F(BrokenJournalTest, ASegmentInPlaceOfOneThatWasTakenInIsRefused) {
  resumeTo60(40);
  sync();
  put(whole_.substr(0, lines_[31]));
  resumeTo60(30);
  EXPECT_THAT(sync().notes, ElementsAre(HasSubstr("has segment 1 from elsewhere")));
  EXPECT_EQ(openStore(folder_.path())->findRun(id_)->segments.back().from.batch, 40);
}

// A loss of power on the file server took lines that had been imported.
TEST_F(BrokenJournalTest, AJournalThatLostImportedLinesGoesOnWithItsNextSegment) {
  sync();
  put(whole_.substr(0, lines_[31]));
  EXPECT_THAT(resumeTo60(30), IsEmpty());
  EXPECT_THAT(sync().notes, IsEmpty());
  expectRows(60);
  EXPECT_EQ(openStore(folder_.path())->findRun(id_)->segments.size(), 2U);
}

// What the document says of a line, by another program.
TEST_F(BrokenJournalTest, EachLineIsJsonWithItsChecksum) {
  for (std::size_t i = 0; i + 1 < lines_.size(); ++i) {
    const std::string line = whole_.substr(lines_[i], lines_[i + 1] - lines_[i] - 1);
    const auto object = nlohmann::json::parse(line);
    EXPECT_EQ(object.at("event"), i == 0 ? "segment" : "metrics");
    const std::size_t end = line.find(",\"crc\":");
    EXPECT_EQ(object.at("crc"), crc32c(std::as_bytes(std::span{line}).first(end)));
    if (i == 0) continue;
    EXPECT_EQ(std::get<MetricsRow>(*checked(eventFromLine(line))), rowOf(static_cast<std::int64_t>(i)));
  }
}

TEST_F(JournalTest, AWriterThatIsSilentButHoldsItsJournalIsNotInterrupted) {
  auto writer = begin();
  write(*writer, 1, 5);
  sync();
  EXPECT_EQ(openStore(folder_.path(), later_)->findRun(id_)->summary.status, RunStatus::Running);
  writer.reset();
  EXPECT_EQ(openStore(folder_.path(), later_)->findRun(id_)->summary.status, RunStatus::Interrupted);
}

TEST_F(JournalTest, ALockThatLastsForWeeksOfSilenceIsThatOfALostHost) {
  const auto writer = begin();
  write(*writer, 1, 5);
  sync();
  const LaterClock nextMonth(30 * 24 * 60);
  EXPECT_EQ(openStore(folder_.path(), nextMonth)->findRun(id_)->summary.status, RunStatus::Interrupted);
}

// As on a host that cannot see the lock: nobody has locked a copy.
TEST_F(JournalTest, AWriterThatWasTakenForDeadAndWritesGoesOn) {
  const auto writer = begin();
  const TempFolder other;
  fs::create_directories(other / "runs");
  const auto syncCopy = [&] {
    fs::copy_file(file_, journalFile(other.path(), id_), fs::copy_options::overwrite_existing);
    const auto done = checked(syncJournals(*openStore(other.path())));
  };
  write(*writer, 1, 5);
  syncCopy();
  EXPECT_EQ(openStore(other.path(), later_)->findRun(id_)->summary.status, RunStatus::Interrupted);
  write(*writer, 6, 10);
  syncCopy();
  const auto workspace = openStore(other.path());
  const auto run = checked(workspace->findRun(id_));
  EXPECT_EQ(run->summary.status, RunStatus::Running);
  EXPECT_EQ(run->summary.reason, "");
  EXPECT_THAT(*journalOnlyRuns(*workspace), ElementsAre(id_));
  EXPECT_EQ(workspace->series(id_, "loss")->size(), 10U);
}

TEST_F(JournalTest, ASegmentWhoseStartCannotBeReadIsNotStoredInPart) {
  {
    const auto writer = begin();
    write(*writer, 1, 10);
  }
  sync();
  {
    const auto database = openDatabase(folder_ / "workspace.sqlite", DatabaseUse::Write);
    ASSERT_EQ(execute(*database, "UPDATE metric_row SET data=x'00' WHERE position=10"), 1);
  }
  {
    const auto writer = checked(JournalWriter::resume(folder_.path(), id_, {afterBatches(10), "", "{}", ""}));
    write(**writer, 11, 12);
  }
  const auto workspace = openStore(folder_.path());
  EXPECT_EQ(checked(syncJournals(*workspace))->notes.size(), 1U);
  EXPECT_EQ(checked(workspace->findRun(id_))->segments.size(), 1U);
  EXPECT_EQ(workspace->events(id_)->size(), 0U) << "nobody was interrupted";
}

TEST_F(JournalTest, HostileFilesAreLeftOut) {
  fs::create_directories(folder_ / "runs");
  std::ofstream(folder_ / "runs/empty.jsonl") << "";
  std::ofstream(folder_ / "runs/text.jsonl") << std::string(5000, 'x') << "\n";
  std::ofstream(folder_ / "runs/huge.jsonl") << std::string(kLongestJournalLine + (1 << 20), 'x');
  std::ofstream(folder_ / "runs/..%2f.jsonl") << std::string(5000, '\0');
  fs::create_symlink("/dev/zero", folder_ / "runs/zero.jsonl");
  fs::create_directory(folder_ / "runs/folder.jsonl");
  {
    const auto writer = begin();
    write(*writer, 1, 5);
  }
  fs::copy_file(file_, folder_ / "runs/othername.jsonl");
  const auto done = sync();
  EXPECT_THAT(done.runs, ElementsAre(id_));
  EXPECT_THAT(done.notes, testing::Contains(HasSubstr("another run than its name")));
  EXPECT_THAT(done.notes, testing::Contains(HasSubstr("line 1 of '" + (folder_ / "runs/text.jsonl").native())));
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
  std::ofstream(file_, std::ios::app) << "{\"eve";
  sync();
  EXPECT_EQ(*findJournal(folder_.path(), "far away"), file_);
  EXPECT_EQ(*findJournal(folder_.path(), "latest"), file_);
  EXPECT_EQ(findJournal(folder_.path(), "nobody").error().code, ErrorCode::NotFound);
  const auto before = checked(readJournalRun(file_));
  EXPECT_EQ(before->losses.size(), 100U);
  ASSERT_EQ(before->checkpoints.size(), 1U);
  EXPECT_EQ(before->checkpoints.front().id, "b");
  {
    const auto writer =
        checked(JournalWriter::resume(folder_.path(), id_, {afterBatches(60), "b", "{}", "name: changed\n"}));
    EXPECT_EQ((*writer)->segment(), 1);
    EXPECT_EQ((*writer)->checkpoints()->front().id, "b");
    write(**writer, 61, 80);
    (*writer)->publish(RunFinished{RunStatus::Finished, "done", afterBatches(80), "b"});
  }
  const auto after = checked(readJournalRun(file_));
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
  ASSERT_TRUE(RunWriter::open(openStore(folder_.path(), later_), id_, {afterBatches(5), "", "{}", ""}).ok());
  write(**JournalWriter::resume(folder_.path(), id_, {afterBatches(10), "", "{}", ""}), 11, 20);
  EXPECT_THAT(sync().notes, ElementsAre(HasSubstr("resumed in two places")));
  expectRows(5);
}

// A writer that is killed while it begins leaves any part of the first line.
TEST_F(JournalTest, AJournalThatWasNotBegunIsGoneOnWith) {
  { const auto writer = begin(); }
  const std::string whole = *readFile(journalFile(folder_.path(), id_));
  for (const std::size_t cut : {std::size_t{0}, std::size_t{5}, whole.size() / 2, whole.size() - 2}) {
    for (const bool takenIn : {false, true}) {
      const TempFolder other;
      const std::filesystem::path file = journalFile(other.path(), id_);
      ASSERT_TRUE(makeFolders(file.parent_path()).ok());
      ASSERT_TRUE(writeFileAtomically(file, whole.substr(0, cut)).ok());
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
      EXPECT_THAT(checked(syncJournals(*workspace))->notes, IsEmpty()) << cut;
      EXPECT_EQ(workspace->series(id_, "loss")->size(), 3U) << cut;
      EXPECT_EQ(workspace->findRun(id_)->segments.size(), 1U) << cut;
    }
  }
}

TEST_F(JournalTest, AJournalWithASegmentIsNotBegunAgainAlsoWhileItIsWritten) {
  auto writer = begin();
  EXPECT_EQ(JournalWriter::create(folder_.path(), id_, {}, {}).error().code, ErrorCode::Busy);
  writer.reset();
  const Error second = refused(JournalWriter::create(folder_.path(), id_, {}, {}));
  EXPECT_EQ(second.code, ErrorCode::Busy);
  EXPECT_THAT(second.text(), HasSubstr("already exists"));
}

}  // namespace
}  // namespace batchwise::test
