// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/output_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/small_disk.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OutputFileTest : public testing::Test {
 protected:
  fs::path make(const std::string& name, const std::string& content) const {
    const fs::path file = folder_ / name;
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const fs::path& entry : entriesOf(folder_.path())) all.push_back(entry.filename());
    return all;
  }

  test::TempFolder folder_;
};

TEST_F(OutputFileTest, AppearsWhenItIsCommittedAndNotBefore) {
  const fs::path file = folder_ / "table.csv";
  {
    auto output = OutputFile::open(file, Replaces::Nothing);
    ASSERT_TRUE(output.ok()) << output.error().text();
    ASSERT_TRUE(output->write(std::as_bytes(std::span("half", 4))).ok());
    EXPECT_FALSE(fs::exists(file));
  }
  EXPECT_THAT(names(), testing::IsEmpty()) << "given up";
  ASSERT_TRUE(writeOutput(file, Replaces::Nothing, "whole").ok());
  EXPECT_THAT(names(), testing::ElementsAre("table.csv"));
  EXPECT_EQ(*readFile(file), "whole");
}

TEST_F(OutputFileTest, AFileThatIsThereIsReplacedOnlyByForce) {
  const fs::path mine = make("mine", "x"), empty = make("empty", "");
  fs::create_symlink("nowhere", folder_ / "dangling");
  for (const fs::path& file : {mine, empty, folder_ / "dangling"}) {
    const auto refused = writeOutput(file, Replaces::Nothing, "new");
    ASSERT_FALSE(refused.ok()) << file;
    EXPECT_EQ(refused.error().code, ErrorCode::Config);
    EXPECT_THAT(refused.error().message, HasSubstr("--force"));
  }
  EXPECT_EQ(*readFile(mine), "x");
  EXPECT_TRUE(writeOutput(mine, Replaces::AnyFiles, "new").ok());
  EXPECT_EQ(*readFile(mine), "new");
  EXPECT_FALSE(writeOutput(folder_.path(), Replaces::AnyFiles, "new").ok()) << "a folder";
  EXPECT_FALSE(writeOutput(folder_ / "no" / "such", Replaces::Nothing, "new").ok());
}

TEST_F(OutputFileTest, OfALinkTheTargetIsReplaced) {
  const fs::path target = make("target", "x");
  fs::create_symlink("target", folder_ / "link");
  ASSERT_TRUE(writeOutput(folder_ / "link", Replaces::AnyFiles, "new").ok());
  EXPECT_EQ(*readFile(target), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
}

TEST_F(OutputFileTest, ANewFileFollowsTheUmaskAndAnExistingOneKeepsItsMode) {
  const mode_t before = ::umask(027);
  const fs::path fresh = folder_ / "fresh", kept = make("kept", "x");
  fs::permissions(kept, fs::perms(0604));
  ASSERT_TRUE(writeOutput(fresh, Replaces::Nothing, "x").ok());
  ASSERT_TRUE(writeOutput(kept, Replaces::AnyFiles, "y").ok());
  ::umask(before);
  EXPECT_EQ(fs::status(fresh).permissions(), fs::perms(0640));
  EXPECT_EQ(fs::status(kept).permissions(), fs::perms(0604));
}

TEST_F(OutputFileTest, AFullDiskLeavesTheOldFileAndNothingElse) {
  const fs::path file = make("table.csv", "old");
  {
    const test::SmallDisk full(1000);
    const auto written = writeOutput(file, Replaces::AnyFiles, std::string(5000, 'x'));
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.error().code, ErrorCode::DiskFull);
  }
  EXPECT_EQ(*readFile(file), "old");
  EXPECT_THAT(names(), testing::ElementsAre("table.csv"));
}

TEST_F(OutputFileTest, NothingElseInTheFolderIsTouched) {
  const std::vector<std::string> others = {".table.csv.partial-0a1b2c", ".mine.partial-notours", "table.csv.abcdef"};
  for (const std::string& name : others) make(name, "of another program");
  ASSERT_TRUE(writeOutput(folder_ / "table.csv", Replaces::Nothing, "x").ok());
  for (const std::string& name : others) EXPECT_EQ(*readFile(folder_ / name), "of another program");
  EXPECT_EQ(names().size(), others.size() + 1);
}

TEST_F(OutputFileTest, NothingIsWrittenIntoAWorkspace) {
  const fs::path database = folder_ / "workspace.sqlite", checkpoint = folder_ / "checkpoints/c.sqlite";
  fs::create_directories(folder_ / "checkpoints");
  for (const fs::path& file : {database, checkpoint}) {
    std::ofstream(file) << "old";
    EXPECT_FALSE(writeOutput(file, Replaces::AnyFiles, "new").ok());
    EXPECT_EQ(*readFile(file), "old");
  }
  EXPECT_FALSE(writeOutput(folder_ / "table.csv", Replaces::Nothing, "new").ok());
  EXPECT_FALSE(checkOutsideWorkspaces(folder_.path()).ok());
  EXPECT_FALSE(checkOutsideWorkspaces(folder_ / "exports/model").ok());
}

}  // namespace
}  // namespace batchwise
