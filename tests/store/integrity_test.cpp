// SPDX-License-Identifier: GPL-3.0-or-later
// What another program changes in a workspace is noticed where it is read, and never gets a checksum.
#include "core/store/integrity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/store_fixture.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class IntegrityTest : public testing::Test {
 protected:
  IntegrityTest() {
    run_ = fillStore(openStore(folder_ / "whole"), 2200);
    EXPECT_THAT(*openStore(folder_ / "whole")->check(), IsEmpty());
  }
  /// Opens a copy that another program has changed.
  std::shared_ptr<Workspace> changed(const std::string& sql) {
    fs::remove_all(folder_ / "w");
    fs::copy(folder_ / "whole", folder_ / "w", fs::copy_options::recursive);
    SQLite::Database visitor(folder_ / "w" / "workspace.sqlite", SQLite::OPEN_READWRITE);
    EXPECT_GT(visitor.exec(sql), 0) << sql;
    return openStore(folder_ / "w");
  }

  TempFolder folder_;
  std::string run_;
};

template <typename Value>
bool isCorrupt(const Result<Value>& result) {
  return !result.ok() && result.error().code == ErrorCode::Corrupt;
}

TEST_F(IntegrityTest, WhatARunIsResumedFrom) {
  for (const char* sql :
       {"UPDATE run SET config_yaml = 'seed: 2'", "UPDATE run SET resolved_yaml = resolved_yaml || ' '",
        "UPDATE run_value SET value = '33' WHERE name = 'batch.microbatch'", "DELETE FROM run_value",
        "UPDATE run_reference SET value = 6.5", "UPDATE segment SET environment = '{\"resolved\": {}}'",
        "DELETE FROM segment"}) {
    const auto workspace = changed(sql);
    EXPECT_TRUE(isCorrupt(workspace->findRun(run_))) << sql;
    EXPECT_THAT(*workspace->check(), testing::Contains(HasSubstr("run number 1: the checksum of its "))) << sql;
  }
}

TEST_F(IntegrityTest, FiguresInTheListOfRuns) {
  for (const char* sql : {"UPDATE run SET loss = 1.0", "UPDATE run SET eval_loss = NULL", "UPDATE run SET at = '{}'"})
    EXPECT_TRUE(isCorrupt(changed(sql)->listRuns())) << sql;
}

TEST_F(IntegrityTest, Checkpoints) {
  for (const char* sql : {"UPDATE checkpoint SET file = 'checkpoints/c2.sqlite'", "UPDATE checkpoint SET metric = 3.0",
                          "UPDATE checkpoint SET pinned = 1"}) {
    const auto workspace = changed(sql);
    EXPECT_TRUE(isCorrupt(workspace->checkpoints(run_))) << sql;
    EXPECT_TRUE(isCorrupt(workspace->findCheckpoint("c1"))) << sql;
  }
  EXPECT_TRUE(isCorrupt(changed("DELETE FROM checkpoint")->checkpoints(run_)));
}

TEST_F(IntegrityTest, Metrics) {
  for (const char* sql :
       {"UPDATE segment SET from_batch = 5", "UPDATE series SET name = 'lost' WHERE name = 'loss'",
        "DELETE FROM series WHERE name = 'loss'", "DELETE FROM metric_extent", "DELETE FROM metric_row",
        "DELETE FROM metric_row WHERE position = 2190", "UPDATE metric_row SET position = 9999 WHERE position = 2190",
        "DELETE FROM metric_block", "UPDATE metric_block SET number = 1", "UPDATE metric_block SET segment = 1",
        "UPDATE metric_extent SET data = x'00'"}) {
    const auto workspace = changed(sql);
    EXPECT_TRUE(isCorrupt(workspace->series(run_, "loss"))) << sql;
    EXPECT_THAT(*workspace->check(), testing::Not(IsEmpty())) << sql;
  }
}

TEST_F(IntegrityTest, Events) {
  for (const char* sql : {"UPDATE event SET json = replace(json, '6', '7')", "UPDATE event SET segment = 1"})
    EXPECT_TRUE(isCorrupt(changed(sql)->events(run_))) << sql;
  EXPECT_THAT(*changed("UPDATE event SET wall_ms = wall_ms + 1 WHERE id = 1")->check(),
              testing::Contains("event 1: its checksum differs"));
}

TEST_F(IntegrityTest, DamageIsNeverGivenAChecksum) {
  EXPECT_TRUE(isCorrupt(changed("UPDATE checkpoint SET metric = 3.0")->setPinned("c1", true)));
  const auto workspace = changed("UPDATE run SET loss = 1.0");
  {
    const auto opened = RunWriter::open(workspace, run_, {afterBatches(2200), "", "{}", ""});
    ASSERT_TRUE(opened.ok()) << "which sets all figures anew: " << opened.error().text();
  }
  EXPECT_EQ(workspace->findRun(run_)->summary.loss, rowOf(2200).loss);
  EXPECT_TRUE(isCorrupt(RunWriter::open(changed("UPDATE segment SET from_step = 5"), run_, {})));
}

}  // namespace
}  // namespace batchwise::test
