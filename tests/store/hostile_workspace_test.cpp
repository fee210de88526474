// SPDX-License-Identifier: GPL-3.0-or-later
// Workspace files that somebody made to do harm: each is refused, or opened and restored from with bounded work and
// memory.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>

#include "core/base/file.h"
#include "core/store/restore/restore.h"
#include "tests/store/forged_rows.h"
#include "tests/store/store_fixture.h"
#include "tests/support/resource_usage.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;

enum class Fate {
  Refused,  // by opening, and as a backup
  Opened,   // or its rows are refused when they are read
};

struct Trick {
  const char* name;
  Fate fate;
  std::function<void(const fs::path& file)> play;
};

/// SQL of the attacker.
std::function<void(const fs::path&)> sql(const std::string& text) {
  return [text](const fs::path& file) {
    SQLite::Database database(file, SQLite::OPEN_READWRITE);
    database.exec(text);
  };
}

/// The same, with checksums that fit.
std::function<void(const fs::path&)> rows(const std::string& text) {
  return [text](const fs::path& file) { forgeRows(file, text); };
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
      {"AViewUnderTheNameOfATable", Fate::Refused,
       sql("ALTER TABLE setting RENAME TO x; CREATE VIEW setting AS SELECT * FROM x")},
      {"AnEndlessView", Fate::Refused,
       sql("DROP TABLE setting; CREATE VIEW setting(key, value) AS " + kEndless + "SELECT i, i FROM c")},
      {"AnEndlessViewOfRuns", Fate::Refused,
       sql("ALTER TABLE run RENAME TO x; CREATE VIEW run AS " + kEndless + "SELECT x.* FROM x, c")},
      {"ATrigger", Fate::Refused, sql("CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END")},
      {"ATriggerOnUpdate", Fate::Refused,
       sql("CREATE TRIGGER t BEFORE UPDATE ON run BEGIN SELECT randomblob(1000000000); END")},
      {"AnExtraTable", Fate::Refused, sql("CREATE TABLE extra(a)")},
      {"AnIndexWithAnExpression", Fate::Refused, sql("CREATE INDEX i ON run(abs(number))")},
      {"APartialIndex", Fate::Refused, sql("CREATE INDEX i ON run(number) WHERE number > 5")},
      {"AGeneratedColumn", Fate::Refused,
       sql("ALTER TABLE setting ADD COLUMN bomb TEXT AS (hex(zeroblob(100000000)))")},
      {"AFullTextTable", Fate::Refused, sql("CREATE VIRTUAL TABLE f USING fts3(a)")},
      {"AMissingTable", Fate::Refused, sql("DROP TABLE event")},
      {"AnotherProgram", Fate::Refused, sql("PRAGMA application_id = 1")},
      {"ANewerVersion", Fate::Refused, sql("PRAGMA user_version = 99")},
      {"AVersionBelowOne", Fate::Refused, sql("PRAGMA user_version = -7")},
      {"DeepSqlInTheSchema", Fate::Refused,
       schemaText("UPDATE sqlite_schema SET sql = 'CREATE TABLE setting(key CHECK(" + deep(900) +
                  "))' WHERE name = 'setting'")},
      {"LongSqlInTheSchema", Fate::Refused,
       schemaText("UPDATE sqlite_schema SET sql = 'CREATE TABLE setting(key, value)' || hex(zeroblob(3000000)) WHERE "
                  "name = 'setting'")},
      {"TwoTablesOnOnePage", Fate::Refused,
       schemaText("UPDATE sqlite_schema SET sql = 'CREATE TABLE setting(a, b)', rootpage = 2 WHERE name = 'setting'")},
      {"ATableOnAPageBeyondTheEnd", Fate::Refused,
       schemaText("UPDATE sqlite_schema SET rootpage = 1000000000 WHERE name = 'run'")},
      {"AHugePageCount", Fate::Refused, bytesAt(28, std::string("\xFF\xFF\xFF\xFE", 4))},
      {"APageSizeOfNothing", Fate::Refused, bytesAt(16, std::string(2, '\0'))},
      {"AReservedSpaceOfAlmostThePage", Fate::Refused, bytesAt(20, "\xFF")},
      {"AFormatOfTheFuture", Fate::Refused, bytesAt(18, "\x63\x63")},
      {"ATextLongerThanAllowed", Fate::Opened, sql("INSERT INTO setting VALUES('big', hex(zeroblob(10000000)))")},
      {"AZeroblobOfAGigabyte", Fate::Refused, sql("ALTER TABLE run ADD COLUMN bomb BLOB AS (zeroblob(1000000000))")},
      {"ManyLargeTexts", Fate::Opened,
       sql("INSERT INTO setting SELECT 'k' || value, hex(zeroblob(1000000)) FROM (WITH c(value) AS (VALUES(1) UNION "
           "ALL SELECT value + 1 FROM c WHERE value < 12) SELECT value FROM c)")},
      {"ARunNamedLikeAPath", Fate::Opened, rows("UPDATE run SET id = '../../etc/passwd', name = '../' || char(10)")},
      {"ACheckpointElsewhere", Fate::Opened, rows("UPDATE checkpoint SET file = '../../../etc/passwd'")},
      {"ACheckpointWithAnAbsolutePath", Fate::Opened, rows("UPDATE checkpoint SET file = '/etc/passwd'")},
      {"NumbersOfTheWrongKind", Fate::Opened,
       rows("UPDATE run SET loss = 'NaN', at = '{\"ba\": 1e400}', status = 'grand'")},
      {"MetricsThatAreNone", Fate::Opened, sql("UPDATE metric_row SET data = zeroblob(1000000) WHERE position < 20")},
      {"ABlockThatPromisesTooMuch", Fate::Opened,
       sql("INSERT INTO metric_block(series, segment, number, data) VALUES(1, 0, 0, x'FFFFFFFF00000000')")},
      {"EventsOfDeepJson", Fate::Opened, sql("UPDATE event SET json = replace(hex(zeroblob(200000)), '0', '[')")},
      {"RowsOfManyRunsThatAreNot", Fate::Opened,
       sql("PRAGMA foreign_keys = OFF; INSERT INTO run_tag WITH c(i) AS (VALUES(2) UNION ALL SELECT i + 1 FROM c WHERE "
           "i < 12000) SELECT i, 0, 'x' FROM c")},
      {"ASegmentOfTheFuture", Fate::Opened,
       rows("INSERT INTO segment SELECT run, 9223372036854775807, from_at, -9223372036854775807, 0, checkpoint, 0, "
            "host, 0, environment FROM segment")},
      {"APageThatLeadsToItself", Fate::Opened,
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
  const auto restored = restoreWorkspace(folder / "new", file);
  const auto opened = Workspace::open(folder / "w");
  for (const fs::path& each : {folder / "new", folder / "w"}) {
    const auto workspace = Workspace::open(each, Workspace::Mode::ReadOnly);
    if (!workspace.ok()) continue;
    (void)(*workspace)->check();
    const auto runs = (*workspace)->listRuns(true);
    if (!runs.ok()) continue;
    for (const RunSummary& run : *runs) {
      EXPECT_EQ(run.id.find('/'), std::string::npos);
      (void)(*workspace)->events(run.id);
      (void)(*workspace)->series(run.id, "loss");
    }
  }
  EXPECT_LT(test::peakKilobytes(RUSAGE_SELF) - before, test::kMaxKilobytes) << "memory without bounds";
  EXPECT_LT(test::cpuSeconds() - started, kMostSeconds);
  if (trick.fate == Fate::Refused) {
    EXPECT_FALSE(opened.ok());
    EXPECT_FALSE(restored.ok());
    EXPECT_FALSE(fs::exists(folder / "new" / "workspace.sqlite"));
  }
}

INSTANTIATE_TEST_SUITE_P(Tricks, HostileWorkspaceTest, testing::Range(std::size_t{0}, tricks().size()),
                         [](const auto& which) { return std::string{tricks()[which.param].name}; });

}  // namespace
}  // namespace batchwise::test
