// SPDX-License-Identifier: GPL-3.0-or-later
// A run leaves one workspace as a file and arrives in another; a file that is not right arrives nowhere.
#include "core/store/archive/run_archive.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <random>

#include "core/base/file.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/database.h"
#include "core/store/integrity.h"
#include "core/store/run_queue.h"
#include "tests/store/store_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

using testing::HasSubstr;

enum class Checksums { Fitting, AsBefore };

class RunArchiveTest : public testing::Test {
 protected:
  std::string addCheckpoint(RunWriter& writer, std::int64_t batch) {
    const std::string id = newRecordId();
    const std::string file = "checkpoints/" + id + ".sqlite";
    auto made = test::checked(CheckpointWriter::create(here_->folder() / file, 1000));
    const std::vector<std::byte> weights(1000, static_cast<std::byte>(batch));
    EXPECT_TRUE(made->add({"model/weight", "fp32", {250}, 1000}, weights).ok());
    EXPECT_TRUE(made->finish({{"state", "{}"}}).ok());
    EXPECT_TRUE(writer.addCheckpoint(test::checkpointOf(id, batch, file)).ok());
    return id;
  }

  /// Two segments, one of them with sealed blocks; notes, tags, values that are no numbers.
  std::string makeRun() {
    NewRun run;
    run.name = "first <b>\"'; DROP";
    run.configYaml = "version: 1\n";
    run.resolvedYaml = "version: 1\nseed: 17\n";
    run.resolvedValues = {{"scheduler.t_max", "3ba"}};
    run.references = {{"unigram_entropy", 6.25}, {"none", std::nan("")}};
    run.tags = {"a", "b c"};
    run.why = "because";
    const std::string id = *here_->createRun(run);
    EXPECT_TRUE(here_->setNote(id, "# Title").ok());
    auto writer = test::startRun(here_, id);
    for (std::int64_t batch = 1; batch <= 2500; ++batch)
      writer->publish(test::rowOf(batch, batch == 7 ? std::nan("") : 10.0 / static_cast<double>(batch)));
    EvalResult eval;
    eval.at = test::afterBatches(2000);
    eval.loss = 0.5;
    writer->publish(eval);
    first_ = addCheckpoint(*writer, 2000);
    writer->publish(CheckpointSaved{first_, test::afterBatches(2000), 1000, 0.1, 0.01, CheckpointReason::Interval});
    addCheckpoint(*writer, 2500);
    writer->publish(RunFinished{RunStatus::Stopped, "at the user's request", test::afterBatches(2500), first_});
    EXPECT_TRUE(writer->flush().ok());
    writer.reset();
    auto second = test::checked(RunWriter::open(here_, id, {test::afterBatches(2000), first_, "{}", ""}));
    for (std::int64_t batch = 2001; batch <= 2300; ++batch) (*second)->publish(test::rowOf(batch));
    (*second)->publish(RunFinished{RunStatus::Finished, "max_duration reached", test::afterBatches(2300), first_});
    EXPECT_TRUE((*second)->flush().ok());
    return id;
  }

  std::filesystem::path exported(const std::string& run, const std::string& checkpoints = "latest") {
    const auto file = folder_ / "run.bwarchive";
    const auto written =
        test::checked(exportArchive(*here_, run, *parseCheckpointSelection(checkpoints), file, Replaces::AnyFiles));
    return file;
  }

  /// As `there_` was before anything came.
  void expectNothingCame() {
    EXPECT_TRUE(there_->listRuns(true)->empty());
    EXPECT_TRUE(std::filesystem::is_empty(there_->checkpointFolder()));
  }

  test::TempFolder folder_;
  std::shared_ptr<Workspace> here_ = test::openStore(folder_ / "here");
  std::shared_ptr<Workspace> there_ = test::openStore(folder_ / "there");
  std::string first_;
};

void expectSameSeries(const Workspace& left, const std::string& leftRun, const Workspace& right,
                      const std::string& rightRun, Workspace::Rows rows) {
  const auto names = left.seriesNames(leftRun);
  ASSERT_EQ(*names, *right.seriesNames(rightRun));
  for (const std::string& name : *names) {
    const auto before = test::checked(left.series(leftRun, name, rows));
    const auto after = test::checked(right.series(rightRun, name, rows));
    ASSERT_EQ(before->size(), after->size()) << name;
    for (std::size_t i = 0; i < before->size(); ++i) {
      EXPECT_EQ((*before)[i].batch, (*after)[i].batch);
      EXPECT_EQ(std::memcmp(&(*before)[i].value, &(*after)[i].value, sizeof(double)), 0) << name << " at " << i;
    }
  }
}

TEST_F(RunArchiveTest, EverythingArrives) {
  const std::string id = makeRun();
  const auto file = exported(id, "all");
  std::int64_t last = 0;
  const auto imported = test::checked(importArchive(*there_, file, "", [&](std::int64_t done, std::int64_t total) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, total);
    last = done;
  }));
  EXPECT_GT(last, imported->bytes);
  EXPECT_EQ(imported->run, id);
  const RunDetail before = *here_->findRun(id);
  const RunDetail after = *there_->findRun(id);
  EXPECT_EQ(after.summary.name, before.summary.name);
  EXPECT_EQ(after.summary.status, RunStatus::Finished);
  EXPECT_EQ(after.summary.at, before.summary.at);
  EXPECT_EQ(after.summary.loss, before.summary.loss);
  EXPECT_EQ(after.summary.evalLoss, before.summary.evalLoss);
  EXPECT_EQ(after.summary.note, "# Title");
  EXPECT_EQ(after.summary.tags, before.summary.tags);
  EXPECT_EQ(after.summary.createdMs, before.summary.createdMs);
  EXPECT_EQ(after.why, before.why);
  EXPECT_EQ(after.configYaml, before.configYaml);
  EXPECT_EQ(after.resolvedYaml, before.resolvedYaml);
  EXPECT_EQ(after.resolvedValues, before.resolvedValues);
  EXPECT_EQ(after.references.at("unigram_entropy"), 6.25);
  EXPECT_TRUE(std::isnan(after.references.at("none")));
  ASSERT_EQ(after.segments.size(), 2U);
  EXPECT_EQ(after.segments[1].from, before.segments[1].from);
  EXPECT_EQ(after.segments[1].checkpoint, there_->checkpoints(id)->front().id);
  expectSameSeries(*here_, id, *there_, id, Workspace::Rows::Current);
  expectSameSeries(*here_, id, *there_, id, Workspace::Rows::WithSuperseded);
  EXPECT_EQ(there_->events(id)->size(), here_->events(id)->size());
  EXPECT_TRUE(there_->check()->empty());
}

TEST_F(RunArchiveTest, TextsArriveAsTheyAre) {
  NewRun run;
  run.name = "pasted";
  run.why = "log: \x1B[31mred\n";
  run.tags = {"two\nlines", "two lines", std::string(300, 'x')};
  const auto id = test::checked(here_->createRun(run));
  const auto imported = test::checked(importArchive(*there_, exported(*id), ""));
  const auto there = test::checked(there_->findRun(*id));
  EXPECT_EQ(there->why, run.why);
  EXPECT_EQ(there->summary.tags, run.tags);
}

TEST_F(RunArchiveTest, RowsThatLieFarApartAreFoundWithoutASearchBetweenThem) {
  constexpr std::int64_t kFar = 1'000'000'000'000'000;
  const std::string id = test::makeRun(*here_, "sparse");
  auto writer = test::startRun(here_, id);
  for (std::int64_t i = 0; i < 2100; ++i) {
    EvalResult eval;
    eval.at.batch = i * kFar;
    eval.loss = static_cast<double>(i);
    writer->publish(eval);
  }
  ASSERT_TRUE(writer->flush().ok());
  writer.reset();
  const auto imported = test::checked(importArchive(*there_, exported(id), ""));
  expectSameSeries(*here_, id, *there_, id, Workspace::Rows::WithSuperseded);
  EXPECT_EQ(there_->series(id, "eval.loss")->size(), 2100U);
}

TEST_F(RunArchiveTest, TheChosenCheckpointsArriveVerified) {
  const std::string id = makeRun();
  ASSERT_EQ(here_->checkpoints(id)->size(), 2U);
  for (const auto& [choice, count] :
       std::vector<std::pair<std::string, std::size_t>>{{"none", 0}, {"latest", 1}, {"all", 2}, {first_, 1}}) {
    SCOPED_TRACE(choice);
    const auto imported = test::checked(importArchive(*there_, exported(id, choice), ""));
    const auto records = *there_->checkpoints(imported->run);
    ASSERT_EQ(records.size(), count);
    for (const CheckpointRecord& record : records)
      EXPECT_TRUE(CheckpointReader::open(there_->folder() / record.file)->verify().ok());
    // The second segment left the checkpoint at 2500 behind.
    if (count == 1) {
      EXPECT_EQ(records.front().at.batch, 2000);
    }
  }
  EXPECT_EQ(test::refused(exportArchive(*here_, id, *parseCheckpointSelection("nosuch"), folder_ / "x")).code,
            ErrorCode::NotFound);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
  EXPECT_FALSE(parseCheckpointSelection(",").ok());
}

TEST_F(RunArchiveTest, ARunThatIsThereAlreadyGetsANewIdAndKeepsTheOldAsANote) {
  const std::string id = makeRun();
  const auto file = exported(id);
  const auto again = test::checked(importArchive(*here_, file, ""));
  EXPECT_NE(again->run, id);
  const RunDetail copy = *here_->findRun(again->run);
  EXPECT_EQ(copy.summary.name, "first <b>\"'; DROP-2");
  EXPECT_THAT(copy.summary.note, HasSubstr("`" + id + "`"));
  EXPECT_THAT(copy.summary.note, HasSubstr("# Title"));
  EXPECT_EQ(test::checked(importArchive(*here_, file, "colleague"))->name, "colleague");
  for (const char* bad : {"latest", "a\nb"}) EXPECT_FALSE(importArchive(*here_, file, bad).ok()) << bad;
  EXPECT_EQ(here_->listRuns()->size(), 3U);
}

TEST_F(RunArchiveTest, ARunThatGoesOnArrivesAsInterrupted) {
  const std::string id = test::makeRun(*here_, "live");
  const auto writer = test::startRun(here_, id);
  writer->publish(test::rowOf(1));
  ASSERT_TRUE(writer->flush().ok());
  const auto imported = test::checked(importArchive(*there_, exported(id), ""));
  EXPECT_EQ(there_->findRun(id)->summary.status, RunStatus::Interrupted);
}

TEST_F(RunArchiveTest, ARunOfTheQueueArrivesAsInterruptedAndInNoQueue) {
  const auto ids = test::checked(RunQueue(here_).add({parseConfig("name: waits", "test", {})}));
  ASSERT_TRUE(importArchive(*there_, exported(ids->front()), "").ok());
  EXPECT_EQ(there_->findRun("waits")->summary.status, RunStatus::Interrupted);
  EXPECT_TRUE(RunQueue(there_).read()->entries.empty());
}

TEST_F(RunArchiveTest, DamageIsFoundBeforeAnythingIsEnteredOrChangesNothing) {
  const std::string id = makeRun();
  const std::string whole = *readFile(exported(id));
  ASSERT_TRUE(importArchive(*there_, folder_ / "run.bwarchive", "").ok());
  const auto contentOf = [&](const std::string& run) {  // but for the metrics
    const RunDetail found = *there_->findRun(run);
    const CheckpointRecord record = there_->checkpoints(run)->front();
    std::string text = found.summary.name + found.summary.note + found.summary.reason + found.why + found.configYaml +
                       found.resolvedYaml + std::to_string(found.summary.endedMs) + stateName(found.summary).data();
    for (const std::string& tag : found.summary.tags) text += tag;
    for (const StoredEvent& event : *there_->events(run)) text += eventToLine(event.event);
    for (std::size_t at = 0; (at = text.find(record.id)) != std::string::npos;) text.erase(at, record.id.size());
    return text + *readFile(there_->folder() / record.file);
  };
  const std::string expected = contentOf(id);
  ASSERT_TRUE(there_->deleteRun(id).ok());
  expectNothingCame();
  const auto broken = folder_ / "broken";
  std::mt19937_64 random(11);
  int refused = 0;
  for (int i = 0; i < test::repeats(60, 600); ++i) {
    std::string bytes = whole;
    const std::size_t place = random() % bytes.size();
    if (i % 3 == 0)
      bytes.resize(place);
    else
      bytes[place] = static_cast<char>(bytes[place] ^ (1 << (random() % 8)));
    ASSERT_TRUE(writeFileAtomically(broken, bytes).ok());
    const auto imported = importArchive(*there_, broken, "");
    if (imported.ok()) {  // a byte that holds nothing
      EXPECT_NE(i % 3, 0) << "cut at byte " << place;
      ASSERT_EQ(contentOf(id), expected) << "byte " << place;
      expectSameSeries(*here_, id, *there_, id, Workspace::Rows::WithSuperseded);
      ASSERT_TRUE(there_->deleteRun(id).ok());
      continue;
    }
    ++refused;
    EXPECT_THAT(imported.error().code, testing::AnyOf(ErrorCode::Corrupt, ErrorCode::Unsupported));
    EXPECT_THAT(imported.error().message, HasSubstr(broken.native()));
  }
  EXPECT_GT(refused, test::repeats(30, 300));
  expectNothingCame();
}

// What SCHEMA.md says of an archive, by SQLite alone.
TEST_F(RunArchiveTest, AnArchiveIsAnSqliteFileOfTheWorkspacesTables) {
  const auto file = exported(makeRun(), "all");
  SQLite::Database archive(file.native());
  EXPECT_EQ(archive.execAndGet("PRAGMA integrity_check").getString(), "ok");
  EXPECT_EQ(archive.execAndGet("SELECT name || ' ' || note FROM run").getString(), "first <b>\"'; DROP # Title");
  EXPECT_EQ(archive.execAndGet("SELECT count(*) FROM checkpoint").getInt(), 2);
  EXPECT_EQ(archive.execAndGet("SELECT sum(length(data)) = (SELECT sum(bytes) FROM checkpoint) FROM checkpoint_data")
                .getInt(),
            1);
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::status(folder_ / "here/workspace.sqlite").permissions());
}

TEST_F(RunArchiveTest, WhatIsGivenUpLeavesNothing) {
  const std::string id = makeRun();
  const auto whole = exported(id, "all");
  const auto target = folder_ / "given-up";
  for (const double share : {0.0, 0.3, 0.6, 0.9}) {
    std::stop_source stop;
    const ArchiveProgress stopsThere = [&](std::int64_t done, std::int64_t total) {
      if (static_cast<double>(done) >= share * static_cast<double>(total)) stop.request_stop();
    };
    const auto written = exportArchive(*here_, id, *parseCheckpointSelection("all"), target, Replaces::Nothing,
                                       stopsThere, stop.get_token());
    ASSERT_FALSE(written.ok()) << share;
    EXPECT_EQ(written.error().code, ErrorCode::Stopped);
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / ""))
      EXPECT_FALSE(entry.path().filename().native().starts_with("given-up")) << entry.path();
    stop = std::stop_source();
    const auto imported = importArchive(*there_, whole, "", stopsThere, stop.get_token());
    ASSERT_FALSE(imported.ok()) << share;
    EXPECT_EQ(imported.error().code, ErrorCode::Stopped);
    expectNothingCame();
  }
}

TEST_F(RunArchiveTest, AnImportThatIsKilledLeavesNothing) {
  const auto whole = exported(makeRun(), "all");
  here_.reset();
  there_.reset();  // a fork copies no thread
  for (const double share : {0.55, 0.75, 0.999}) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto killed = [&](std::int64_t done, std::int64_t total) {
        if (static_cast<double>(done) >= share * static_cast<double>(total)) ::_exit(7);
      };
      (void)importArchive(**Workspace::open(folder_ / "there"), whole, "", killed);
      ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(WEXITSTATUS(status), 7) << share;
    there_ = test::openStore(folder_ / "there");
    expectNothingCame();
    there_.reset();
  }
}

TEST_F(RunArchiveTest, WhatNoImportWouldTakeIsNotExported) {
  const std::string id = makeRun();
  {
    const auto database = openDatabase(here_->folder() / "workspace.sqlite", DatabaseUse::Write);
    ASSERT_EQ(execute(*database, "UPDATE run SET name='first'||char(10)||'b'"), 1);
  }
  const auto file = folder_ / "run.bwarchive";
  EXPECT_EQ(test::refused(exportArchive(*here_, id, *parseCheckpointSelection("none"), file, Replaces::Nothing)).code,
            ErrorCode::Corrupt);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(RunArchiveTest, AnArchivedRunIsInTheListOnceImported) {
  const std::string id = makeRun();
  ASSERT_TRUE(here_->setArchived(id, true).ok());
  ASSERT_TRUE(importArchive(*there_, exported(id), "").ok());
  ASSERT_EQ(there_->listRuns()->size(), 1U);
  EXPECT_FALSE(there_->listRuns()->front().archived);
}

/// Changes with checksums that fit.
class HostileArchiveTest : public RunArchiveTest {
 protected:
  void SetUp() override { file_ = exported(makeRun()); }

  Result<ArchiveSummary> importChanged(const std::string& sql, Checksums checksums = Checksums::Fitting) {
    const auto file = folder_ / "hostile";
    std::filesystem::copy_file(file_, file, std::filesystem::copy_options::overwrite_existing);
    {
      SQLite::Database archive(file.native(), SQLite::OPEN_READWRITE);
      archive.exec(sql);
      if (checksums == Checksums::Fitting) reseal(archive);
    }
    return importArchive(*there_, file, "");
  }
  static void reseal(SQLite::Database& archive) {
    SQLite::Statement runs(archive, "SELECT number FROM run");
    while (runs.executeStep()) storeChecksums(archive, runs.getColumn(0).getInt64());
    std::int64_t crc = 0;
    for (const std::string& table : queryTexts(
             archive, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'setting' ORDER BY name")) {
      SQLite::Statement rows(archive, "SELECT * FROM " + table);
      while (rows.executeStep()) crc = checksumOfColumns(rows, 0, rows.getColumnCount(), crc);
    }
    execute(archive, "UPDATE setting SET value=?", std::to_string(crc));
  }

  std::filesystem::path file_;
};

TEST_F(HostileArchiveTest, ImpossibleContentsAreRefused) {
  for (const char* change :
       {"UPDATE run SET id='../../../etc'",
        "UPDATE run SET name='first'||char(10)||'b'",
        "UPDATE run SET name=printf('%300c', 'x')",
        "UPDATE run SET status='unheard of'",
        "UPDATE run SET at=replace(at, '2300', '-1')",
        "UPDATE run SET at='['",
        "DELETE FROM run",
        "INSERT INTO run SELECT 9, 'other', 'other', status, reason, cause, paused, created_ms, ended_ms, NULL, "
        "planned_batches, "
        "parent, "
        "archived, note, why, config_yaml, resolved_yaml, source, source_path, at, loss, eval_loss, learning_rate, "
        "samples_per_sec, "
        "tokens_per_sec, 0, 0, 0, 0, 0 FROM run",
        "UPDATE segment SET number=7 WHERE number=1",
        "DELETE FROM segment WHERE number=0",
        "UPDATE checkpoint SET segment=9",
        "UPDATE checkpoint SET bytes=bytes+1",
        "UPDATE checkpoint SET id='a/b'",
        "UPDATE event SET segment=9",
        "UPDATE event SET json='{}'",
        "DELETE FROM checkpoint_data",
        "DELETE FROM metric_row WHERE position=2300",
        "DELETE FROM metric_block WHERE number=0",
        "DELETE FROM series",
        "UPDATE metric_row SET segment=9 WHERE segment=1 AND position=2300",
        "UPDATE metric_row SET kind=9 WHERE segment=1 AND position=2300",
        "UPDATE metric_row SET position=-1 WHERE segment=1 AND position=2300",
        "UPDATE metric_row SET data=x''",
        "UPDATE series SET name='eval.x.'||name",
        "DELETE FROM metric_extent",
        "CREATE VIEW v AS SELECT 1",
        "CREATE TABLE more(x)",
        "DROP TABLE run_tag",
        "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END",
        "PRAGMA application_id = 0x42745773",
        "PRAGMA user_version = 99"}) {
    const auto imported = importChanged(change);
    ASSERT_FALSE(imported.ok()) << change;
    EXPECT_THAT(imported.error().code, testing::AnyOf(ErrorCode::Corrupt, ErrorCode::Unsupported)) << change;
    EXPECT_THAT(imported.error().message, HasSubstr((folder_ / "hostile").native())) << change;
  }
  expectNothingCame();
  ASSERT_TRUE(importChanged("UPDATE run SET why='as well'").ok()) << "the checksums do fit";
}

TEST_F(HostileArchiveTest, AChangeWithoutItsChecksumIsRefused) {
  for (const char* change :
       {"UPDATE run SET note='another'", "UPDATE run_tag SET tag='another'", "UPDATE run SET status='failed'",
        "UPDATE checkpoint_data SET data=zeroblob(length(data))"})
    EXPECT_EQ(importChanged(change, Checksums::AsBefore).error().code, ErrorCode::Corrupt) << change;
  expectNothingCame();
}

TEST_F(HostileArchiveTest, ACheckpointThatIsNoneIsRefusedAndTakenBack) {
  EXPECT_EQ(test::refused(importChanged("UPDATE checkpoint_data SET data=zeroblob(length(data))")).code,
            ErrorCode::Corrupt);
  expectNothingCame();
}

TEST_F(HostileArchiveTest, AnotherFileIsNoArchive) {
  for (const std::string& bytes :
       {std::string(), std::string("PK\x03\x04"), *readFile(folder_ / "here/workspace.sqlite")}) {
    ASSERT_TRUE(writeFileAtomically(folder_ / "other", bytes).ok());
    EXPECT_THAT(test::refused(importArchive(*there_, folder_ / "other", "")).message,
                HasSubstr("is not an archive of a run"));
  }
}

}  // namespace
}  // namespace batchwise
