// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/integrity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/store/schema.h"
#include "tests/support/message_texts.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

class RowSealTest : public testing::Test {
 protected:
  RowSealTest() {
    const auto made = createDatabase(folder_ / "w.sqlite", workspaceMigrations());
    EXPECT_TRUE(made.ok());
    database_ = openDatabase(folder_ / "w.sqlite", DatabaseUse::Write);
    checksumRowsOnWrite(*database_);
    for (const char* name : {"first", "second", "third"}) {
      SQLite::Statement insert(
          *database_,
          "INSERT INTO run(id, name, status, created_ms, planned_batches, parent, why, config_yaml, "
          "resolved_yaml) VALUES(?1, ?1, 'created', 1, 0, '', '', '', '')");
      insert.bind(1, name);
      insert.exec();
    }
    database_->exec("INSERT INTO run_tag(run, position, tag) VALUES(1, 0, 'a'), (1, 1, 'b'), (2, 0, 'a')");
  }
  std::int64_t ask(const std::string& sql) { return queryInteger(*database_, sql.c_str()).value_or(-1); }
  /// The code of what SQLite throws; 0 if it throws nothing.
  int failureOf(const std::string& sql) {
    try {
      (void)ask(sql);
    } catch (const SQLite::Exception& failure) {
      return failure.getErrorCode();
    }
    return 0;
  }
  /// As another program would: without triggers of ours.
  void asAVisitor(const std::string& sql) {
    SQLite::Database visitor((folder_ / "w.sqlite").native(), SQLite::OPEN_READWRITE);
    visitor.exec(sql);
  }
  static constexpr int kCorrupt = 11;  // SQLITE_CORRUPT

  TempFolder folder_;
  std::unique_ptr<SQLite::Database> database_;
};

TEST_F(RowSealTest, EveryTableIsSealedAndCounted) {
  const auto tables = checksummedTables(*database_);
  EXPECT_EQ(static_cast<std::int64_t>(tables.size()),
            ask("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"));
  std::vector<Message> problems;
  checkAllRows(*database_, problems);
  EXPECT_THAT(test::textsOf(problems), testing::IsEmpty());
  requireRowCount(*database_, {"run"});
  requireRowCount(*database_, {"run_tag", {1}});
  requireRowCount(*database_, {"run_tag", {3}});
  for (const ChecksummedTable& table : tables) {
    if (table.name == "table_count") continue;
    EXPECT_NO_THROW(requireRowCounts(*database_, table.name)) << table.name;
  }
}

TEST_F(RowSealTest, RowsThatAFilterLeavesOutAreNotTakenForDamaged) {
  EXPECT_EQ(ask("SELECT count(*) FROM run_checked WHERE status = 'created'"), 3);
  EXPECT_EQ(ask("SELECT count(*) FROM run_tag_checked WHERE tag = 'b'"), 1);
  EXPECT_EQ(ask("SELECT count(*) FROM run_checked JOIN run_tag_checked ON run = number WHERE tag = 'a'"), 2);
}

TEST_F(RowSealTest, ChangesAndRemovalsKeepChecksumsAndCounts) {
  database_->exec("UPDATE run SET note = 'x', loss = 1.5 WHERE number = 2");
  database_->exec("DELETE FROM run_tag WHERE run = 1 AND position = 1");
  database_->exec("DELETE FROM run WHERE number = 2");  // takes its tags with it
  EXPECT_EQ(ask("SELECT count(*) FROM run_checked"), 2);
  EXPECT_EQ(ask("SELECT rows FROM table_count_checked WHERE name = 'run_tag' AND a = 1"), 1);
  EXPECT_EQ(ask("SELECT count(*) FROM table_count_checked WHERE name = 'run_tag' AND a = 2"), 0);
  std::vector<Message> problems;
  checkAllRows(*database_, problems);
  EXPECT_THAT(test::textsOf(problems), testing::IsEmpty());
}

TEST_F(RowSealTest, AChangedRowIsAnErrorAndIsNeverSealedAnew) {
  asAVisitor("UPDATE run SET name = 'other' WHERE number = 2");
  EXPECT_EQ(failureOf("SELECT count(*) FROM run_checked"), kCorrupt);
  EXPECT_EQ(ask("SELECT number FROM run_checked WHERE number = 1"), 1) << "the others are whole";
  EXPECT_THROW(database_->exec("UPDATE run SET note = 'y' WHERE number = 2"), SQLite::Exception);
  EXPECT_EQ(failureOf("SELECT number FROM run_checked WHERE number = 2"), kCorrupt);
}

TEST_F(RowSealTest, AMissingAndAnAddedRowAreNoticed) {
  asAVisitor("DELETE FROM run_tag WHERE run = 1 AND position = 0");
  EXPECT_THROW(requireRowCount(*database_, {"run_tag", {1}}), SQLite::Exception);
  EXPECT_NO_THROW(requireRowCount(*database_, {"run_tag", {2}}));
  EXPECT_THROW(requireRowCounts(*database_, "run_tag"), SQLite::Exception);
  asAVisitor("INSERT INTO run_tag(run, position, tag) VALUES(3, 0, 'c')");
  EXPECT_THROW(requireRowCount(*database_, {"run_tag", {3}}), SQLite::Exception);
  std::vector<Message> problems;
  checkAllRows(*database_, problems);
  EXPECT_THAT(test::textsOf(problems),
              testing::ElementsAre("1 row of table 'run_tag' fails its checksum",
                                   "table 'run_tag' does not hold the rows that were stored in it"));
}

}  // namespace
}  // namespace batchwise::test
