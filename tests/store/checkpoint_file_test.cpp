// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/checkpoints/checkpoint_file.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <random>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/random.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/records.h"
#include "tests/store/store_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Content = std::vector<std::byte>;

Content randomContent(std::size_t size, std::uint64_t seed) {
  Content content(size);
  for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<std::byte>(randomBits(seed, i / 8) >> (8 * (i % 8)));
  return content;
}

CheckpointEntry entryOf(const std::string& name, const Content& content) {
  return {name, "bytes", {}, static_cast<std::int64_t>(content.size())};
}

/// Entries that end inside, at and after the end of a chunk, and an empty one.
std::map<std::string, Content> sampleContents() {
  constexpr std::size_t kChunk = 8 << 20;
  return {{"empty", {}},
          {"small", randomContent(1234, 1)},
          {"one chunk", randomContent(kChunk, 2)},
          {"model/two chunks and a bit", randomContent(2 * kChunk + 5, 3)}};
}

void writeSample(const fs::path& path, const std::map<std::string, Content>& contents) {
  auto writer = checked(CheckpointWriter::create(path, 40 << 20));
  for (const auto& [name, content] : contents) ASSERT_TRUE(writer->add(entryOf(name, content), content).ok());
  const auto done = checked(writer->finish({{"clock", "{\"ba\": 7}"}, {"empty", ""}}));
}

/// A small file for tests that read it many times.
void writeSmall(const fs::path& path) {
  writeSample(path, {{"a", randomContent(30'000, 4)}, {"b", randomContent(70'000, 5)}});
}

bool readsAs(const fs::path& path, const std::map<std::string, Content>& contents) {
  const auto reader = CheckpointReader::open(path);
  if (!reader.ok() || !reader->verify().ok()) return false;
  for (const auto& [name, content] : contents) {
    Content read(content.size());
    if (!reader->read(name, read).ok() || read != content) return false;
  }
  return reader->facts().at("clock") == "{\"ba\": 7}";
}

TEST(CheckpointFileTest, EverythingIsReadBack) {
  const TempFolder folder;
  const auto contents = sampleContents();
  writeSample(folder / "c.sqlite", contents);
  EXPECT_TRUE(readsAs(folder / "c.sqlite", contents));
  const auto reader = CheckpointReader::open(folder / "c.sqlite");
  EXPECT_THAT(reader->entries(), SizeIs(4));
  EXPECT_THAT(reader->facts(), SizeIs(2));
  Content target(1234);
  EXPECT_EQ(reader->read("nothing", target).error().code, ErrorCode::NotFound);
  EXPECT_FALSE(reader->read("one chunk", target).ok()) << "a target of another size";
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "no side files";
}

TEST(CheckpointFileTest, TypesAndShapesAreKept) {
  const TempFolder folder;
  const Content content(24);
  auto writer = CheckpointWriter::create(folder / "c.sqlite", 100);
  ASSERT_TRUE(writer->add({"w", "fp32", {2, 3}, 24}, content).ok());
  EXPECT_FALSE(writer->add({"w", "fp32", {2, 3}, 24}, content).ok()) << "the same name again";
  EXPECT_FALSE(writer->add({"v", "fp32", {2, 3}, 25}, content).ok()) << "the size is not that of the bytes";
  ASSERT_TRUE(writer->finish({}).ok());
  const auto reader = checked(CheckpointReader::open(folder / "c.sqlite"));
  ASSERT_THAT(reader->entries(), SizeIs(1));
  EXPECT_EQ(reader->entries()[0].type, "fp32");
  EXPECT_EQ(reader->entries()[0].shape, (std::vector<std::int64_t>{2, 3}));
}

TEST(CheckpointFileTest, TheFileIsWhatItsDescriptionSays) {
  const TempFolder folder;
  writeSmall(folder / "c.sqlite");
  SQLite::Database database(folder / "c.sqlite");
  EXPECT_EQ(database.execAndGet("PRAGMA page_size").getInt(), 65536);
  EXPECT_EQ(database.execAndGet("PRAGMA journal_mode").getString(), "delete") << "no WAL beside it";
  EXPECT_EQ(database.execAndGet("PRAGMA application_id").getInt(), 0x4274436B);
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), 1);
  EXPECT_EQ(database.execAndGet("PRAGMA integrity_check").getString(), "ok");
}

TEST(CheckpointFileTest, AnUnfinishedWriterLeavesNothing) {
  const TempFolder folder;
  writeSmall(folder / "c.sqlite");
  const auto before = readFile(folder / "c.sqlite");
  {
    auto writer = CheckpointWriter::create(folder / "c.sqlite", 1000);
    const Content content = randomContent(1000, 9);
    ASSERT_TRUE(writer->add(entryOf("x", content), content).ok());
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  EXPECT_EQ(*readFile(folder / "c.sqlite"), *before) << "the old one stays until the new one is complete";
}

TEST(CheckpointFileTest, FilesOfDeadWritersAreSwept) {
  const TempFolder folder;
  const auto startWriting = [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      auto writer = CheckpointWriter::create(folder / "c.sqlite", 1000);
      (void)writer->add(entryOf("x", Content(1000)), Content(1000));
      ::raise(SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
  };
  startWriting();
  ASSERT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "the partial file of the dead child";
  auto living = CheckpointWriter::create(folder / "d.sqlite", 1000);
  removeAbandonedCheckpointFiles(folder.path());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nobody has locked it";
  EXPECT_TRUE(living->finish({}).ok());
}

TEST(CheckpointFileTest, EveryFlippedBitIsFoundOrHarmless) {
  const TempFolder folder;
  writeSmall(folder / "c.sqlite");
  const std::map<std::string, Content> contents{{"a", randomContent(30'000, 4)}, {"b", randomContent(70'000, 5)}};
  ASSERT_TRUE(readsAs(folder / "c.sqlite", contents));
  const auto whole = readFile(folder / "c.sqlite");
  std::mt19937_64 random(1);
  int refused = 0;
  for (int trial = 0; trial < repeats(300, 2000); ++trial) {
    std::string damaged = *whole;
    damaged[random() % damaged.size()] ^= static_cast<char>(1 << (random() % 8));
    std::ofstream(folder / "damaged.sqlite", std::ios::binary) << damaged;
    const auto reader = CheckpointReader::open(folder / "damaged.sqlite");
    if (!reader.ok() || !reader->verify().ok()) {
      ++refused;
      continue;
    }
    ASSERT_TRUE(readsAs(folder / "damaged.sqlite", contents)) << "damage that verify() did not see";
  }
  EXPECT_GT(refused, 0);
}

TEST(CheckpointFileTest, TruncationIsFound) {
  const TempFolder folder;
  writeSmall(folder / "c.sqlite");
  const auto whole = readFile(folder / "c.sqlite");
  std::mt19937_64 random(2);
  for (int trial = 0; trial < repeats(60, 500); ++trial) {
    const std::size_t length = trial == 0 ? 0 : trial == 1 ? whole->size() - 1 : random() % whole->size();
    std::ofstream(folder / "cut.sqlite", std::ios::binary) << whole->substr(0, length);
    const auto reader = CheckpointReader::open(folder / "cut.sqlite");
    EXPECT_FALSE(reader.ok() && reader->verify().ok()) << length;
  }
}

struct Hostile {
  const char* name;
  const char* sql;
};

/// Files made by somebody who wants to be read as something else.
class HostileCheckpointTest : public testing::TestWithParam<Hostile> {};

TEST_P(HostileCheckpointTest, IsRefusedSoon) {
  const TempFolder folder;
  writeSmall(folder / "c.sqlite");
  {
    SQLite::Database database(folder / "c.sqlite", SQLite::OPEN_READWRITE);
    database.exec(GetParam().sql);
  }
  const auto begun = std::chrono::steady_clock::now();
  const auto reader = CheckpointReader::open(folder / "c.sqlite");
  const bool fine = reader.ok() && reader->verify().ok();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{1});
  EXPECT_FALSE(fine);
}

INSTANTIATE_TEST_SUITE_P(
    Tricks, HostileCheckpointTest,
    testing::Values(
        Hostile{"AView", "ALTER TABLE fact RENAME TO x; CREATE VIEW fact AS SELECT * FROM x"},
        Hostile{"AnEndlessView",
                "DROP TABLE fact; CREATE VIEW fact(name, value) AS WITH RECURSIVE c(i) AS "
                "(SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i, i FROM c"},
        Hostile{"ATrigger", "CREATE TRIGGER t AFTER INSERT ON fact BEGIN DELETE FROM entry; END"},
        Hostile{"AnExtraTable", "CREATE TABLE extra(a)"}, Hostile{"AnIndex", "CREATE INDEX i ON entry(name)"},
        Hostile{"AMissingTable", "DROP TABLE fact"}, Hostile{"ADefault", "ALTER TABLE fact ADD COLUMN more TEXT"},
        Hostile{"AHugeEntry", "UPDATE entry SET bytes = 9000000000000000000"},
        Hostile{"ANegativeEntry", "UPDATE entry SET bytes = -1"},
        Hostile{"AnotherName", "UPDATE entry SET name = 'z' WHERE number = 0"},
        Hostile{"ADoubleName", "UPDATE entry SET name = 'a'"}, Hostile{"AShape", "UPDATE entry SET shape = '[1,'"},
        Hostile{"AWrongFact", "UPDATE fact SET value = 'x' WHERE name = 'clock'"},
        Hostile{"AMissingChunk", "DELETE FROM chunk WHERE number = 1"},
        Hostile{"SwappedChunks",
                "UPDATE chunk SET number = -1 WHERE number = 0; UPDATE chunk SET number = 0 WHERE "
                "number = 1; UPDATE chunk SET number = 1 WHERE number = -1"},
        Hostile{"AHugeChunk", "UPDATE chunk SET data = zeroblob(100000000) WHERE number = 0"},
        Hostile{"AnEmptyManifest", "DELETE FROM manifest"}, Hostile{"ANewerFormat", "PRAGMA user_version = 2"},
        Hostile{"AnotherProgram", "PRAGMA application_id = 1"}),
    [](const auto& trick) { return std::string{trick.param.name}; });

// ---- Pages that lead in circles: a small file with rows without end.

void putNumber(std::string& bytes, std::size_t at, std::size_t count, std::uint64_t value) {
  for (std::size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<char>(value >> (8 * (count - 1 - i)));
}

constexpr std::size_t kBombPage = 4096;

/// An inner page all of whose children are `child`. `cell`: what follows the child's number in each cell.
std::string innerPage(char type, std::uint64_t child, const std::string& cell) {
  std::string page(kBombPage, '\0');
  page[0] = type;
  const std::size_t bytes = 4 + cell.size();
  const std::size_t count = (kBombPage - 12) / (bytes + 2);
  putNumber(page, 3, 2, count);
  putNumber(page, 5, 2, kBombPage - count * bytes);
  putNumber(page, 8, 4, child);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = kBombPage - (i + 1) * bytes;
    putNumber(page, 12 + 2 * i, 2, at);
    putNumber(page, at, 4, child);
    page.replace(at + 4, cell.size(), cell);
  }
  return page;
}

/// About 90 kB: `levels` inner pages, each a thousand times the next one, lead from the root of `table` to itself.
void writeBomb(const fs::path& path, const std::string& table, int levels) {
  constexpr std::array kTables{
      "CREATE TABLE manifest(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
      "CREATE TABLE fact(name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
      "CREATE TABLE entry(number INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, shape TEXT NOT NULL, "
      "bytes INTEGER NOT NULL, first_chunk INTEGER NOT NULL, hash BLOB NOT NULL) STRICT",
      "CREATE TABLE chunk(number INTEGER PRIMARY KEY, hash BLOB NOT NULL, data BLOB NOT NULL) STRICT"};
  std::size_t root = 1;
  {
    SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec("PRAGMA page_size = 4096; PRAGMA application_id = 1114923851; PRAGMA user_version = 1");
    for (const char* sql : kTables) database.exec(sql);
    if (table != "sqlite_schema")
      root = static_cast<std::size_t>(
          database.execAndGet("SELECT rootpage FROM sqlite_schema WHERE name = '" + table + "'").getInt());
  }
  std::string bytes = *readFile(path);
  const std::size_t first = bytes.size() / kBombPage + 1;
  // A row of an index: two texts of one byte each. A table's inner cells hold a key only.
  const bool isIndex = table == "manifest" || table == "fact";
  const std::string cell = isIndex ? std::string(
                                         "\x05\x03\x0F\x0F"
                                         "ab",
                                         6)
                                   : std::string("\x01", 1);
  const char type = isIndex ? '\x02' : '\x05';
  for (int level = 0; level < levels; ++level)
    bytes += innerPage(type, level + 1 < levels ? first + static_cast<std::size_t>(level) + 1 : 2, cell);
  const std::string head = bytes.substr((root - 1) * kBombPage, root == 1 ? 100 : 0);
  std::string page = innerPage(type, first, cell);
  if (root == 1) {
    page = std::string(100, '\0') + page.substr(0, kBombPage - 100);  // cells point past the end: refused at once
    page.replace(0, 100, head);
  }
  bytes.replace((root - 1) * kBombPage, kBombPage, page);
  putNumber(bytes, 28, 4, bytes.size() / kBombPage);
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(CheckpointFileTest, PagesThatLeadInCirclesComeToAnEnd) {
  for (const char* table : {"manifest", "fact", "entry", "sqlite_schema"}) {
    const TempFolder folder;
    writeBomb(folder / "c.sqlite", table, 17);
    ASSERT_LT(fs::file_size(folder / "c.sqlite"), 100'000U);
    const auto started = std::chrono::steady_clock::now();
    const auto reader = CheckpointReader::open(folder / "c.sqlite");
    EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds{10}) << table;
    ASSERT_FALSE(reader.ok()) << table;
    EXPECT_EQ(reader.error().code, ErrorCode::Corrupt) << table << ": " << reader.error().text();
  }
}

TEST(CheckpointFileTest, AStopEndsAVerification) {
  const TempFolder folder;
  writeSmall(folder / "c.sqlite");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(CheckpointReader::open(folder / "c.sqlite")->verify(stop.get_token()).error().code, ErrorCode::Stopped);
}

TEST(CheckpointFileTest, EntriesTogetherAreNoLargerThanTheFile) {
  const TempFolder folder;
  writeSmall(folder / "c.sqlite");
  {
    SQLite::Database database(folder / "c.sqlite", SQLite::OPEN_READWRITE);
    database.exec("UPDATE entry SET bytes = " + std::to_string(fs::file_size(folder / "c.sqlite") - 1));
  }
  EXPECT_THAT(CheckpointReader::open(folder / "c.sqlite").error().text(), HasSubstr("is invalid"));
}

TEST(CheckpointFileTest, WhatIsNoCheckpointIsRefused) {
  const TempFolder folder;
  EXPECT_EQ(CheckpointReader::open(folder / "none").error().code, ErrorCode::NotFound);
  std::ofstream(folder / "empty") << "";
  EXPECT_EQ(CheckpointReader::open(folder / "empty").error().code, ErrorCode::Corrupt);
  std::ofstream(folder / "text") << std::string(1000, 'x');
  EXPECT_THAT(CheckpointReader::open(folder / "text").error().text(), HasSubstr("not a checkpoint"));
  EXPECT_FALSE(CheckpointReader::open(folder.path()).ok());
}

TEST(CheckpointFileTest, AFolderThatCannotBeMadeIsSaid) {
  const TempFolder folder;
  std::ofstream(folder / "file") << "x";
  EXPECT_THAT(refused(CheckpointWriter::create(folder / "file" / "c.sqlite", 10)).text(), HasSubstr("file"));
}

CheckpointRecord checkpoint(std::int64_t batch, std::optional<double> metric = std::nullopt) {
  CheckpointRecord record;
  record.id = std::to_string(batch);
  record.at.batch = record.at.step = batch;
  record.at.token = batch * 10;
  record.metric = metric;
  return record;
}

/// Of a run with one segment, unless others are given.
std::vector<std::string> removed(const std::vector<CheckpointRecord>& records, const RetentionPolicy& policy,
                                 const std::vector<RunSegment>& segments = {RunSegment{}}) {
  std::vector<std::string> ids;
  for (const CheckpointRecord& record : selectForRemoval(segments, records, policy)) ids.push_back(record.id);
  return ids;
}

const std::vector<CheckpointRecord> kFive{checkpoint(1, 5.0), checkpoint(2, 2.0), checkpoint(3, 4.0),
                                          checkpoint(4, 3.0), checkpoint(5, 3.5)};

TEST(RetentionTest, TheLastAndTheBestStay) {
  EXPECT_THAT(removed(kFive, {.keepLast = 2, .keepBest = 1}), ElementsAre("1", "3"));
  EXPECT_THAT(removed(kFive, {.keepLast = 2, .keepBest = 0}), ElementsAre("1", "2", "3"));
  EXPECT_THAT(removed(kFive, {.keepLast = 1, .keepBest = 2, .lowerIsBetter = false}), ElementsAre("2", "4"));
  EXPECT_THAT(removed(kFive, {.keepLast = 5, .keepBest = 0}), IsEmpty());
  EXPECT_THAT(removed(kFive, {.keepLast = 100, .keepBest = 100}), IsEmpty());
  EXPECT_THAT(removed(kFive, {.keepLast = -1}), IsEmpty()) << "a negative number keeps all";
  EXPECT_THAT(removed(kFive, {.keepLast = 0, .keepBest = 0}), ElementsAre("1", "2", "3", "4")) << "the newest stays";
  EXPECT_THAT(removed({}, {}), IsEmpty());
}

TEST(BestCheckpointTest, IsTheOneWithTheBestFiniteMetric) {
  auto records = kFive;
  EXPECT_EQ(bestCheckpoint(records, true)->id, "2");
  EXPECT_EQ(bestCheckpoint(records, false)->id, "1");
  records[1].metric = std::nan("");
  EXPECT_EQ(bestCheckpoint(records, true)->id, "4");
  EXPECT_EQ(bestCheckpoint({checkpoint(1)}, true), nullptr);
}

TEST(RetentionTest, PinnedOnesStayAndDoNotCount) {
  auto records = kFive;
  records[0].pinned = true;
  EXPECT_THAT(removed(records, {.keepLast = 1, .keepBest = 0}), ElementsAre("2", "3", "4"));
}

TEST(RetentionTest, NonFiniteOnesAreNeitherLastNorBest) {
  auto records = kFive;
  records[3].finite = records[4].finite = false;
  records[3].metric = 0.5;
  records[2].metric = std::nan("");
  EXPECT_THAT(removed(records, {.keepLast = 1, .keepBest = 1}), ElementsAre("1", "4"))
      << "3 is the newest good one, 2 the best, 5 the newest of all";
}

TEST(RetentionTest, AnAverageIsNeitherTheNewestNorTheBest) {
  auto records = kFive;
  records[3].finite = records[4].finite = false;
  records.push_back(checkpoint(6, 0.5));
  records.back().reason = CheckpointReason::Average;
  EXPECT_THAT(removed(records, {.keepLast = 1, .keepBest = 1}), ElementsAre("1", "4", "6"))
      << "5 is the newest, 3 the newest good one, 2 the best";
}

TEST(RetentionTest, WhatAResumeMayTryStaysBeforeWhatItSuperseded) {
  std::vector<CheckpointRecord> records{checkpoint(100), checkpoint(200), checkpoint(300), checkpoint(150)};
  records.back().segment = 1;
  RunSegment first, second;
  second.number = 1;
  second.from.step = 100;
  EXPECT_THAT(removed(records, {.keepLast = 3, .keepBest = 0}, {first, second}), ElementsAre("200"))
      << "the place that is left goes to the newest that was superseded";
  EXPECT_THAT(removed(records, {.keepLast = 2, .keepBest = 0}, {first, second}), ElementsAre("200", "300"));
  EXPECT_THAT(removed(records, {.keepLast = 1, .keepBest = 0}, {first, second}), ElementsAre("100", "200", "300"));
}

TEST(RetentionTest, OneOfEachStretchStays) {
  std::vector<CheckpointRecord> records;
  for (const std::int64_t batch : {3, 9, 10, 14, 20, 41, 45, 50}) records.push_back(checkpoint(batch));
  RetentionPolicy policy{.keepLast = 1, .keepBest = 0, .keepEvery = Time::of(10, TimeUnit::Batch)};
  EXPECT_THAT(removed(records, policy), ElementsAre("3", "9", "14", "45"));
  policy.keepEvery = Time::of(100, TimeUnit::Token);
  EXPECT_THAT(removed(records, policy), ElementsAre("3", "9", "14", "45")) << "the same in tokens";
  policy.keepEvery = Time::of(0, TimeUnit::Batch);
  EXPECT_THAT(removed(records, policy), ElementsAre("3", "9", "10", "14", "20", "41", "45")) << "0 asks for nothing";
}

class AveragedCheckpointTest : public testing::Test {
 protected:
  AveragedCheckpointTest()
      : workspace_(openStore(folder_.path())), run_(makeRun(*workspace_, "run")), writer_(startRun(workspace_, run_)) {}

  /// A checkpoint with one weight and one moment, of these values.
  void add(const std::string& id, std::int64_t batch, const std::vector<float>& weights,
           const std::string& name = "model/weight") {
    const std::string file = "checkpoints/" + id + ".sqlite";
    const auto bytes = std::as_bytes(std::span(weights));
    const auto size = static_cast<std::int64_t>(bytes.size());
    auto checkpoint = checked(CheckpointWriter::create(folder_ / file, 1 << 16));
    for (const std::string& entry : {name, std::string("optimizer/exp_avg/weight")})
      ASSERT_TRUE(checkpoint->add({entry, "fp32", {std::ssize(weights)}, size}, bytes).ok());
    ASSERT_TRUE(checkpoint->finish({{"state", state_.empty() ? id : state_}}).ok());
    CheckpointRecord record = checkpointOf(id, batch, file);
    if (!state_.empty()) record.bytes = static_cast<std::int64_t>(std::filesystem::file_size(folder_ / file));
    ASSERT_TRUE(writer_->addCheckpoint(record).ok());
  }

  std::vector<float> read(const CheckpointRecord& record, const std::string& name) {
    const auto reader = CheckpointReader::openIn(folder_.path(), record.file);
    EXPECT_TRUE(reader.ok() && reader->verify().ok());
    std::vector<float> values(3);
    EXPECT_TRUE(reader->read(name, std::as_writable_bytes(std::span(values))).ok());
    facts_ = reader->facts();
    return values;
  }

  TempFolder folder_;
  std::shared_ptr<Workspace> workspace_;
  std::string run_;
  std::unique_ptr<RunWriter> writer_;
  std::map<std::string, std::string> facts_;
  std::string state_;  // the fact of the next checkpoint; empty: its id
};

TEST_F(AveragedCheckpointTest, HasTheMeanWeightsOfTheLastAndTheRestOfTheNewest) {
  add("aaaaaaaaaaaa", 1, {100, 100, 100});
  add("bbbbbbbbbbbb", 2, {1, 2, 3});
  add("cccccccccccc", 3, {2, 5, -3});
  const auto record = checked(addAveragedCheckpoint(*workspace_, "run", 2));
  EXPECT_EQ(record->reason, CheckpointReason::Average);
  EXPECT_EQ(record->at.batch, 3);
  EXPECT_EQ(read(*record, "model/weight"), (std::vector<float>{1.5F, 3.5F, 0}));
  EXPECT_EQ(read(*record, "optimizer/exp_avg/weight"), (std::vector<float>{2, 5, -3}));
  EXPECT_EQ(facts_.at("state"), "cccccccccccc");
  EXPECT_EQ(facts_.at("average_of"), R"(["cccccccccccc","bbbbbbbbbbbb"])");
  EXPECT_EQ(workspace_->checkpoints(run_)->size(), 4U);
  EXPECT_THAT(entriesOf(workspace_->checkpointFolder()), testing::SizeIs(4)) << "nothing else is left there";
}

TEST_F(AveragedCheckpointTest, IsNeitherResumedNorRemovedNorAveragedByItself) {
  add("bbbbbbbbbbbb", 2, {1, 2, 3});
  add("cccccccccccc", 3, {2, 5, -3});
  const auto first = checked(addAveragedCheckpoint(*workspace_, "run", 2));
  const auto records = *workspace_->checkpoints(run_);
  const auto segments = workspace_->findRun(run_)->segments;
  const auto order = resumeOrder(segments, records);
  ASSERT_EQ(order.size(), 2U);
  EXPECT_EQ(order.front().id, "cccccccccccc");
  const auto removed = selectForRemoval(segments, records, {.keepLast = 1, .keepBest = 0});
  ASSERT_EQ(removed.size(), 1U) << "it does not count as the last";
  EXPECT_EQ(removed.front().id, "bbbbbbbbbbbb");
  const auto second = checked(addAveragedCheckpoint(*workspace_, "run", 2));
  EXPECT_EQ(read(*second, "model/weight"), read(*first, "model/weight"));
}

TEST_F(AveragedCheckpointTest, RefusesTooFewAndOthers) {
  add("bbbbbbbbbbbb", 2, {1, 2, 3});
  for (const auto& [count, why] : {std::pair{1, "2 or more checkpoints, and 1 was requested"},
                                   std::pair{2, "has 1 checkpoint to average, and 2 were requested"}}) {
    EXPECT_THAT(refused(addAveragedCheckpoint(*workspace_, "run", count)).text(), HasSubstr(why));
  }
  add("cccccccccccc", 3, {2, 5, -3}, "model/another");
  EXPECT_THAT(refused(addAveragedCheckpoint(*workspace_, "run", 2)).text(), HasSubstr("model/another"));
  EXPECT_EQ(workspace_->checkpoints(run_)->size(), 2U);
}

TEST_F(AveragedCheckpointTest, RefusesWeightsWhoseBytesAreNoWholeNumbers) {
  std::int64_t batch = 0;
  for (const std::string id : {"bbbbbbbbbbbb", "cccccccccccc"}) {
    const std::string file = "checkpoints/" + id + ".sqlite";
    auto checkpoint = checked(CheckpointWriter::create(folder_ / file, 1 << 16));
    ASSERT_TRUE(checkpoint->add({"model/weight", "fp32", {6}, 27}, std::vector<std::byte>(27)).ok());
    ASSERT_TRUE(checkpoint->finish({{"state", id}}).ok());
    ASSERT_TRUE(writer_->addCheckpoint(checkpointOf(id, ++batch, file)).ok());
  }
  EXPECT_EQ(refused(addAveragedCheckpoint(*workspace_, "run", 2)).code, ErrorCode::Corrupt);
  EXPECT_EQ(workspace_->checkpoints(run_)->size(), 2U);
}

TEST_F(AveragedCheckpointTest, TheCheckOfContentsFindsDamageAndAnotherCheckpointInTheFile) {
  const auto problems = [&] { return *checked(checkCheckpointContents(*workspace_, [](double, double) {})); };
  const auto atStep = [](std::int64_t step) { return "{\"clock\": " + timestampText(afterBatches(step)) + "}"; };
  state_ = atStep(1);
  add("aaaaaaaaaaaa", 1, {100, 100, 100});
  state_ = atStep(2);
  add("bbbbbbbbbbbb", 2, {1, 2, 3});
  ASSERT_TRUE(writer_->flush().ok());
  EXPECT_TRUE(problems().empty());
  const auto first = folder_ / "checkpoints/aaaaaaaaaaaa.sqlite", second = folder_ / "checkpoints/bbbbbbbbbbbb.sqlite";
  std::filesystem::copy_file(second, first, std::filesystem::copy_options::overwrite_existing);
  ASSERT_EQ(problems().size(), 1U);
  EXPECT_THAT(problems()[0], HasSubstr("holds the state at step 2, but step 1 was written"));
  std::string bytes = *readFile(second);
  const std::size_t weights = bytes.rfind(std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  ASSERT_NE(weights, std::string::npos);
  bytes[weights + 3] = '\x40';
  ASSERT_TRUE(writeFileAtomically(second, bytes).ok());
  EXPECT_EQ(problems().size(), 2U);
}

}  // namespace
}  // namespace batchwise::test
