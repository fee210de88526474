// SPDX-License-Identifier: GPL-3.0-or-later
// Workspace files that somebody made to do harm: each is refused, or copied with bounded work and memory, and what is
// copied is a sound workspace.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>

#include "core/base/file.h"
#include "core/store/salvage/salvage.h"
#include "tests/store/store_fixture.h"
#include "tests/support/resource_usage.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;

enum class Fate {
  Refused,   // by opening and by copying
  Salvaged,  // by opening; copying takes the rows, which need no description of their tables
  Copied,    // copying takes what is sound
};

struct Trick {
  const char* name;
  Fate fate;
  std::function<void(const fs::path& file)> play;
};

/// SQL of the attacker, who knows how rows get their checksums.
std::function<void(const fs::path&)> sql(const std::string& text) {
  return [text](const fs::path& file) {
    SQLite::Database database(file, SQLite::OPEN_READWRITE);
    checksumRowsOnWrite(database);
    database.exec(text);
  };
}

/// Replaces the text of a table's or index's description.
std::function<void(const fs::path&)> schemaText(const std::string& change) {
  return sql("PRAGMA writable_schema = ON; " + change + "; PRAGMA writable_schema = OFF");
}

std::function<void(const fs::path&)> bytesAt(std::size_t offset, const std::string& bytes) {
  return [offset, bytes](const fs::path& file) {
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(static_cast<std::streamoff>(offset));
    stream << bytes;
  };
}

std::function<void(const fs::path&)> inPlace(const std::function<void(const fs::path&)>& make) {
  return [make](const fs::path& file) {
    fs::remove(file);
    make(file);
  };
}

/// Deep nesting: "((((…1…))))".
std::string deep(int levels) {
  return std::string(static_cast<std::size_t>(levels), '(') + "1" + std::string(static_cast<std::size_t>(levels), ')');
}

const std::string kEndless = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) ";

std::vector<Trick> tricks() {
  return {
      {"AViewUnderTheNameOfATable", Fate::Salvaged,
       sql("ALTER TABLE setting RENAME TO x; CREATE VIEW setting AS SELECT * FROM x")},
      {"AnEndlessView", Fate::Salvaged,
       sql("DROP TABLE setting; CREATE VIEW setting(key, value) AS " + kEndless + "SELECT i, i FROM c")},
      {"AnEndlessViewOfRuns", Fate::Salvaged,
       sql("ALTER TABLE run RENAME TO x; CREATE VIEW run AS " + kEndless + "SELECT x.* FROM x, c")},
      {"ATrigger", Fate::Salvaged, sql("CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END")},
      {"ATriggerOnUpdate", Fate::Salvaged,
       sql("CREATE TRIGGER t BEFORE UPDATE ON run BEGIN SELECT randomblob(1000000000); END")},
      {"AnExtraTable", Fate::Salvaged, sql("CREATE TABLE extra(a)")},
      {"AnIndexWithAnExpression", Fate::Salvaged, sql("CREATE INDEX i ON run(abs(number))")},
      {"APartialIndex", Fate::Salvaged, sql("CREATE INDEX i ON run(number) WHERE number > 5")},
      {"AGeneratedColumn", Fate::Salvaged,
       sql("ALTER TABLE setting ADD COLUMN bomb TEXT AS (hex(zeroblob(100000000)))")},
      {"AFullTextTable", Fate::Salvaged, sql("CREATE VIRTUAL TABLE f USING fts3(a)")},
      {"AMissingTable", Fate::Salvaged, sql("DROP TABLE event")},
      {"AnotherProgram", Fate::Refused, sql("PRAGMA application_id = 1")},
      {"ANewerVersion", Fate::Refused, sql("PRAGMA user_version = 99")},
      {"AVersionBelowOne", Fate::Refused, sql("PRAGMA user_version = -7")},
      {"DeepSqlInTheSchema", Fate::Salvaged,
       schemaText("UPDATE sqlite_schema SET sql = 'CREATE TABLE setting(key CHECK(" + deep(900) +
                  "))' WHERE name = 'setting'")},
      {"LongSqlInTheSchema", Fate::Salvaged,
       schemaText("UPDATE sqlite_schema SET sql = 'CREATE TABLE setting(key, value)' || hex(zeroblob(3000000)) WHERE "
                  "name = 'setting'")},
      {"TwoTablesOnOnePage", Fate::Salvaged,
       schemaText("UPDATE sqlite_schema SET sql = 'CREATE TABLE setting(a, b)', rootpage = 2 WHERE name = 'setting'")},
      {"ATableOnAPageBeyondTheEnd", Fate::Salvaged,
       schemaText("UPDATE sqlite_schema SET rootpage = 1000000000 WHERE name = 'run'")},
      {"AHugePageCount", Fate::Salvaged, bytesAt(28, std::string("\xFF\xFF\xFF\xFE", 4))},
      {"APageSizeOfNothing", Fate::Salvaged, bytesAt(16, std::string(2, '\0'))},
      {"AReservedSpaceOfAlmostThePage", Fate::Salvaged, bytesAt(20, "\xFF")},
      {"AFormatOfTheFuture", Fate::Salvaged, bytesAt(18, "\x63\x63")},
      {"ATextLongerThanAllowed", Fate::Copied, sql("INSERT INTO setting(key, value) VALUES('big', hex(zeroblob(10000000)))")},
      {"AZeroblobOfAGigabyte", Fate::Salvaged, sql("ALTER TABLE run ADD COLUMN bomb BLOB AS (zeroblob(1000000000))")},
      {"ManyLargeTexts", Fate::Copied,
       sql("INSERT INTO setting(key, value) SELECT 'k' || value, hex(zeroblob(1000000)) FROM (WITH c(value) AS (VALUES(1) UNION "
           "ALL SELECT value + 1 FROM c WHERE value < 12) SELECT value FROM c)")},
      {"ARunNamedLikeAPath", Fate::Copied, sql("UPDATE run SET id = '../../etc/passwd', name = '../' || char(10)")},
      {"ACheckpointElsewhere", Fate::Copied, sql("UPDATE checkpoint SET file = '../../../etc/passwd'")},
      {"ACheckpointWithAnAbsolutePath", Fate::Copied, sql("UPDATE checkpoint SET file = '/etc/passwd'")},
      {"NumbersOfTheWrongKind", Fate::Copied,
       sql("UPDATE run SET loss = 'NaN', at = '{\"ba\": 1e400}', status = 'grand'")},
      {"MetricsThatAreNone", Fate::Copied, sql("UPDATE metric_row SET data = zeroblob(1000000) WHERE position < 20")},
      {"ABlockThatPromisesTooMuch", Fate::Copied,
       sql("INSERT INTO metric_block(series, segment, first, last, data) VALUES(1, 0, 1, 2, x'FFFFFFFF00000000')")},
      {"EventsOfDeepJson", Fate::Copied, sql("UPDATE event SET json = replace(hex(zeroblob(200000)), '0', '[')")},
      {"RowsOfManyRunsThatAreNot", Fate::Copied,
       sql("PRAGMA foreign_keys = OFF; INSERT INTO run_tag(run, position, tag) WITH c(i) AS (VALUES(2) UNION ALL SELECT i + 1 FROM c WHERE "
           "i < 12000) SELECT i, 0, 'x' FROM c")},
      {"ASegmentOfTheFuture", Fate::Copied,
       sql("INSERT INTO segment SELECT run, 9223372036854775807, from_at, -9223372036854775807, 0, checkpoint, 0, "
           "host, 0, environment, 0 FROM segment")},
      {"APageThatLeadsToItself", Fate::Copied,
       [](const fs::path& file) {
         SQLite::Database database(file, SQLite::OPEN_READWRITE);
         const auto page =
             database.execAndGet("SELECT rootpage FROM sqlite_schema WHERE name = 'metric_row'").getInt64();
         std::string bytes = *readFile(file);
         for (int i = 0; i < 400; ++i) {  // every child of the root is the root
           const std::size_t at = static_cast<std::size_t>(page - 1) * 4096 + 3000 + static_cast<std::size_t>(i) * 2;
           bytes[at] = static_cast<char>(page >> 8);
           bytes[at + 1] = static_cast<char>(page);
         }
         std::ofstream(file, std::ios::binary) << bytes;
       }},
      {"AFifo", Fate::Refused, inPlace([](const fs::path& file) { ::mkfifo(file.c_str(), 0600); })},
      {"ADevice", Fate::Refused, inPlace([](const fs::path& file) { fs::create_symlink("/dev/zero", file); })},
      {"ALinkToItself", Fate::Refused,
       inPlace([](const fs::path& file) { fs::create_symlink(file.filename(), file); })},
      {"ASparseGigabyte", Fate::Refused, inPlace([](const fs::path& file) {
         std::ofstream(file) << "SQLite format 3";
         fs::resize_file(file, std::uintmax_t{1} << 30);
       })},
  };
}

constexpr double kMostSeconds = 10;

class HostileWorkspaceTest : public testing::TestWithParam<std::size_t> {};

TEST_P(HostileWorkspaceTest, IsRefusedOrBounded) {
  const Trick trick = tricks()[GetParam()];
  const TempFolder folder;
  const fs::path file = folder / "w" / "workspace.sqlite";
  fillStore(openStore(folder / "w"), 60);
  SQLite::Database(file, SQLite::OPEN_READWRITE).exec("PRAGMA journal_mode = DELETE");
  trick.play(file);
  const std::int64_t before = test::peakKilobytes(RUSAGE_SELF);
  const double started = test::cpuSeconds();
  const auto copied = salvageWorkspace(folder / "w", folder / "new");
  EXPECT_LT(test::peakKilobytes(RUSAGE_SELF) - before, test::kMaxKilobytes) << "memory without bounds";
  EXPECT_LT(test::cpuSeconds() - started, kMostSeconds);
  ASSERT_EQ(copied.ok(), trick.fate != Fate::Refused) << (copied.ok() ? "copied" : copied.error().text());
  if (trick.fate != Fate::Copied) {
    const auto opened = Workspace::open(folder / "w");
    EXPECT_FALSE(opened.ok());
  }
  if (trick.fate == Fate::Refused) {
    EXPECT_FALSE(fs::exists(folder / "new"));
    return;
  }
  const auto workspace = openStore(folder / "new");
  EXPECT_THAT(*workspace->check(), testing::IsEmpty());
  const auto runs = workspace->listRuns(true);
  ASSERT_TRUE(runs.ok()) << runs.error().text();
  ASSERT_FALSE(runs->empty());
  for (const RunSummary& run : *runs) {
    EXPECT_EQ(run.id.find('/'), std::string::npos);
    EXPECT_EQ(run.name.find('\n'), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Tricks, HostileWorkspaceTest, testing::Range(std::size_t{0}, tricks().size()),
                         [](const auto& which) { return std::string{tricks()[which.param].name}; });

}  // namespace
}  // namespace batchwise::test
