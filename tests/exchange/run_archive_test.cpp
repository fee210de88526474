// SPDX-License-Identifier: GPL-3.0-or-later
// A run leaves one workspace as a file and arrives in another; a file that is not right arrives nowhere.
#include "core/exchange/run_archive.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

#include "core/base/file.h"
#include "core/exchange/archive_records.h"
#include "core/exchange/archive_text.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "tests/store/store_fixture.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

using testing::HasSubstr;

class RunArchiveTest : public testing::Test {
 protected:
  std::string addCheckpoint(RunWriter& writer, std::int64_t batch) {
    const std::string id = newRecordId();
    const std::string file = "checkpoints/" + id + ".sqlite";
    auto made = CheckpointWriter::create(here_->folder() / file, 1000);
    EXPECT_TRUE(made.ok());
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
    writer->publish(CheckpointSaved{first_, test::afterBatches(2000), 1000, 0.1, 0.01, "interval"});
    addCheckpoint(*writer, 2500);
    writer->publish(RunFinished{RunStatus::Stopped, "stopped by the user", test::afterBatches(2500), first_});
    EXPECT_TRUE(writer->flush().ok());
    writer.reset();
    auto second = RunWriter::open(here_, id, {test::afterBatches(2000), first_, "{}", ""});
    EXPECT_TRUE(second.ok());
    for (std::int64_t batch = 2001; batch <= 2300; ++batch) (*second)->publish(test::rowOf(batch));
    (*second)->publish(RunFinished{RunStatus::Finished, "max_duration reached", test::afterBatches(2300), first_});
    EXPECT_TRUE((*second)->flush().ok());
    return id;
  }

  std::filesystem::path exported(const std::string& run, const std::string& checkpoints = "latest") {
    const auto file = folder_ / "run.bwarchive";
    const auto written = exportArchive(*here_, run, *parseCheckpointSelection(checkpoints), file, Replaces::AnyFiles);
    EXPECT_TRUE(written.ok()) << written.error().text();
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
    const auto before = left.series(leftRun, name, rows);
    const auto after = right.series(rightRun, name, rows);
    ASSERT_TRUE(before.ok() && after.ok());
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
  const auto imported = importArchive(*there_, file, "", [&](std::int64_t done, std::int64_t total) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, total);
    last = done;
  });
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  EXPECT_EQ(last, 2 * imported->bytes);
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

TEST_F(RunArchiveTest, TextsThatNoArchiveHoldsArriveAsPlainOnes) {
  NewRun run;
  run.name = "pasted";
  run.why = "log: \x1B[31mred\n";
  run.tags = {"two\nlines", "two lines", std::string(300, 'x')};
  const auto id = here_->createRun(run);
  ASSERT_TRUE(id.ok()) << id.error().text();
  const auto imported = importArchive(*there_, exported(*id), "");
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  const auto there = there_->findRun(*id);
  ASSERT_TRUE(there.ok()) << there.error().text();
  EXPECT_EQ(there->why, "log: [31mred\n");
  EXPECT_THAT(there->summary.tags, testing::ElementsAre("two lines", std::string(200, 'x')));
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
  const auto imported = importArchive(*there_, exported(id), "");
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  expectSameSeries(*here_, id, *there_, id, Workspace::Rows::WithSuperseded);
  EXPECT_EQ(there_->series(id, "eval.loss")->size(), 2100U);
}

TEST_F(RunArchiveTest, TheChosenCheckpointsArriveVerified) {
  const std::string id = makeRun();
  ASSERT_EQ(here_->checkpoints(id)->size(), 2U);
  for (const auto& [choice, count] :
       std::vector<std::pair<std::string, std::size_t>>{{"none", 0}, {"latest", 1}, {"all", 2}, {first_, 1}}) {
    SCOPED_TRACE(choice);
    const auto imported = importArchive(*there_, exported(id, choice), "");
    ASSERT_TRUE(imported.ok()) << imported.error().text();
    const auto records = *there_->checkpoints(imported->run);
    ASSERT_EQ(records.size(), count);
    for (const CheckpointRecord& record : records)
      EXPECT_TRUE(CheckpointReader::open(there_->folder() / record.file)->verify().ok());
    // The second segment left the checkpoint at 2500 behind.
    if (count == 1) {
      EXPECT_EQ(records.front().at.batch, 2000);
    }
  }
  const auto unknown = exportArchive(*here_, id, *parseCheckpointSelection("nosuch"), folder_ / "x");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::NotFound);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
  EXPECT_FALSE(parseCheckpointSelection(",").ok());
}

TEST_F(RunArchiveTest, ARunThatIsThereAlreadyGetsANewIdAndKeepsTheOldAsANote) {
  const std::string id = makeRun();
  const auto file = exported(id);
  const auto again = importArchive(*here_, file, "");
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_NE(again->run, id);
  const RunDetail copy = *here_->findRun(again->run);
  EXPECT_EQ(copy.summary.name, "first <b>\"'; DROP-2");
  EXPECT_THAT(copy.summary.note, HasSubstr("`" + id + "`"));
  EXPECT_THAT(copy.summary.note, HasSubstr("# Title"));
  const auto named = importArchive(*here_, file, "colleague");
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(named->name, "colleague");
  for (const char* bad : {"latest", "a\nb"}) EXPECT_FALSE(importArchive(*here_, file, bad).ok()) << bad;
  EXPECT_EQ(here_->listRuns()->size(), 3U);
}

TEST_F(RunArchiveTest, ARunThatGoesOnArrivesAsInterrupted) {
  const std::string id = test::makeRun(*here_, "live");
  const auto writer = test::startRun(here_, id);
  writer->publish(test::rowOf(1));
  ASSERT_TRUE(writer->flush().ok());
  const auto imported = importArchive(*there_, exported(id), "");
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  EXPECT_EQ(there_->findRun(id)->summary.status, RunStatus::Interrupted);
}

TEST_F(RunArchiveTest, DamageIsFoundBeforeAnythingIsEntered) {
  const std::string whole = *readFile(exported(makeRun()));
  const auto broken = folder_ / "broken";
  std::mt19937_64 random(11);
  for (int i = 0; i < test::repeats(60, 600); ++i) {
    std::string bytes = whole;
    const std::size_t place = random() % bytes.size();
    if (i % 3 == 0)
      bytes.resize(place);
    else
      bytes[place] = static_cast<char>(bytes[place] ^ (1 << (random() % 8)));
    ASSERT_TRUE(writeFileAtomically(broken, bytes).ok());
    const auto imported = importArchive(*there_, broken, "");
    ASSERT_FALSE(imported.ok()) << "byte " << place;
    EXPECT_THAT(imported.error().code, testing::AnyOf(ErrorCode::Corrupt, ErrorCode::Unsupported));
    EXPECT_THAT(imported.error().message, HasSubstr(broken.native()));
  }
  ASSERT_TRUE(writeFileAtomically(broken, whole + "more").ok());
  EXPECT_FALSE(importArchive(*there_, broken, "").ok());
  expectNothingCame();
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

TEST_F(RunArchiveTest, AnArchivedRunIsInTheListOnceImported) {
  const std::string id = makeRun();
  ASSERT_TRUE(here_->setArchived(id, true).ok());
  ASSERT_TRUE(importArchive(*there_, exported(id), "").ok());
  ASSERT_EQ(there_->listRuns()->size(), 1U);
  EXPECT_FALSE(there_->listRuns()->front().archived);
}

/// A frame that is right around contents that are not.
class HostileArchiveTest : public RunArchiveTest {
 protected:
  using Records = std::vector<std::pair<ArchiveKind, std::string>>;

  Records goodRecords() {
    auto reader = ArchiveReader::open(exported(makeRun()));
    Records records;
    while (true) {
      const auto record = reader->next();
      EXPECT_TRUE(record.ok());
      if (record->kind == ArchiveKind::End) return records;
      records.emplace_back(record->kind, std::string(record->text()));
    }
  }

  Result<ArchiveSummary> importOf(const Records& records) {
    const auto file = folder_ / "hostile";
    const auto written = replaceFile(file, [&](const FileSink& sink) -> Result<void> {
      ArchiveWriter archive(sink);
      EXPECT_TRUE(archive.begin().ok());
      for (const auto& [kind, content] : records) EXPECT_TRUE(archive.add(kind, content).ok());
      return archive.end();
    });
    EXPECT_TRUE(written.ok());
    return importArchive(*there_, file, "");
  }
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(HostileArchiveTest, ImpossibleDescriptionsAreRefused) {
  const Records good = goodRecords();
  ASSERT_EQ(good[0].first, ArchiveKind::Run);
  ASSERT_EQ(good[1].first, ArchiveKind::Checkpoint);
  struct Change {
    std::size_t record;
    std::string from, to;
  };
  const std::string id = here_->listRuns()->front().id;
  for (const Change& change : std::vector<Change>{{0, id, "../../../etc"},
                                                  {0, id, "abc"},
                                                  {0, "first <b>", "first\\nb"},
                                                  {0, "first <b>", std::string(300, 'x')},
                                                  {0, "because", "\\u001b[31mbecause"},
                                                  {0, "\"b c\"", "\"b\\nc\""},
                                                  {0, "\"finished\"", "\"unheard of\""},
                                                  {0, "\"archived\":false", "\"archived\":1"},
                                                  {0, "\"number\":1", "\"number\":7"},
                                                  {0, "\"ba\":2300", "\"ba\":-1"},
                                                  {0, "\"ba\":2300", "\"ba\":18446744073709551615"},
                                                  {0, "{", "{\"name\":\"twice\","},
                                                  {0, "{", "[[[[[[[[[[{"},
                                                  {1, "\"segment\":0", "\"segment\":9"},
                                                  {1, "\"bytes\":", "\"bytes\":9"},
                                                  {1, "\"pinned\":false", "\"pinned\":null"}}) {
    SCOPED_TRACE(change.from + " -> " + change.to);
    Records records = good;
    records[change.record].second = replaced(records[change.record].second, change.from, change.to);
    const auto imported = importOf(records);
    ASSERT_FALSE(imported.ok());
    EXPECT_EQ(imported.error().code, ErrorCode::Corrupt);
  }
  expectNothingCame();
}

TEST_F(HostileArchiveTest, RecordsThatDoNotBelongTogetherAreRefused) {
  const Records good = goodRecords();
  for (std::size_t left = 0; left < good.size(); ++left) {
    Records records = good;
    records.erase(records.begin() + static_cast<std::ptrdiff_t>(left));
    if (good[left].first != ArchiveKind::Rows && good[left].first != ArchiveKind::Events) {
      EXPECT_FALSE(importOf(records).ok()) << "without record " << left;
    }
    records = good;
    records.insert(records.begin() + static_cast<std::ptrdiff_t>(left), good[left]);
    if (good[left].first != ArchiveKind::Events) {
      EXPECT_FALSE(importOf(records).ok()) << "record " << left << " twice";
    }
  }
  expectNothingCame();
}

TEST_F(HostileArchiveTest, RowsOutOfBoundsAreRefused) {
  const Records good = goodRecords();
  const auto rows =
      std::find_if(good.begin(), good.end(), [](const auto& one) { return one.first == ArchiveKind::Rows; });
  ASSERT_NE(rows, good.end());
  const std::vector<TransferRow> bad = {{9, 0, 1, {{0, 1.0}}},  {0, 9, 1, {{0, 1.0}}},
                                        {0, 0, -1, {{0, 1.0}}}, {0, 0, 1, {{9999, 1.0}}},
                                        {0, 0, 1, {}},          {0, 0, 1, {{0, 1.0}, {0, 2.0}}}};
  for (std::size_t i = 0; i < bad.size(); ++i) {
    std::vector<std::byte> bytes;
    appendArchivedRow(bad[i], bytes);
    Records records = good;
    records[static_cast<std::size_t>(rows - good.begin())].second =
        std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    EXPECT_FALSE(importOf(records).ok()) << i;
  }
  expectNothingCame();
}

TEST_F(HostileArchiveTest, ACheckpointThatIsNoneIsRefusedAndTakenBack) {
  Records records = goodRecords();
  const auto data =
      std::find_if(records.begin(), records.end(), [](const auto& one) { return one.first == ArchiveKind::Data; });
  ASSERT_NE(data, records.end());
  data->second[data->second.size() / 2] ^= 1;
  std::string& text = data->second;
  text.replace(text.size() - 2000, 1000, std::string(1000, '\x5A'));
  const auto imported = importOf(records);
  ASSERT_FALSE(imported.ok());
  EXPECT_EQ(imported.error().code, ErrorCode::Corrupt);
  expectNothingCame();
}

}  // namespace
}  // namespace batchwise
