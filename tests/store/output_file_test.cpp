// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
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
    auto output = OutputFile::open(file, {});
    ASSERT_TRUE(output.ok()) << output.error().text();
    ASSERT_TRUE(output->write(std::as_bytes(std::span("half", 4))).ok());
    EXPECT_FALSE(fs::exists(file));
  }
  EXPECT_THAT(names(), testing::IsEmpty()) << "given up";
  ASSERT_TRUE(writeOutput(file, {}, "whole").ok());
  EXPECT_THAT(names(), testing::ElementsAre("table.csv"));
  EXPECT_EQ(*readFile(file), "whole");
}

TEST_F(OutputFileTest, OnlyAFileWithTheMarkIsReplacedUnasked) {
  const OutputRule rule{Replaces::OwnFiles, "Generator: Batchwise", {}};
  const fs::path own = make("own", "<!-- Generator: Batchwise -->"), foreign = make("foreign", "x"),
                 far = make("far", std::string(9000, ' ') + "Generator: Batchwise"), empty = make("empty", "");
  EXPECT_TRUE(writeOutput(own, rule, "new").ok());
  for (const fs::path& file : {foreign, far, empty}) {
    const auto refused = writeOutput(file, rule, "new");
    ASSERT_FALSE(refused.ok()) << file;
    EXPECT_EQ(refused.error().code, ErrorCode::Config);
    EXPECT_THAT(refused.error().message, HasSubstr("--force"));
    EXPECT_NE(*readFile(file), "new");
  }
  EXPECT_TRUE(writeOutput(foreign, {Replaces::AnyFiles, {}, {}}, "new").ok());
  EXPECT_FALSE(writeOutput(folder_.path(), {Replaces::AnyFiles, {}, {}}, "new").ok()) << "a folder";
  EXPECT_FALSE(writeOutput(folder_ / "no" / "such", {}, "new").ok());
}

TEST_F(OutputFileTest, ANewFileFollowsTheUmaskAndAnExistingOneKeepsItsMode) {
  const mode_t before = ::umask(027);
  const fs::path fresh = folder_ / "fresh", kept = make("kept", "x");
  fs::permissions(kept, fs::perms(0604));
  ASSERT_TRUE(writeOutput(fresh, {}, "x").ok());
  ASSERT_TRUE(writeOutput(kept, {Replaces::AnyFiles, {}, {}}, "y").ok());
  ::umask(before);
  EXPECT_EQ(fs::status(fresh).permissions(), fs::perms(0640));
  EXPECT_EQ(fs::status(kept).permissions(), fs::perms(0604));
}

TEST_F(OutputFileTest, WhatLiesInAWorkspaceIsRefusedByAnyName) {
  fs::create_directories(folder_ / "w" / "checkpoints");
  const fs::path database = make("w/workspace.sqlite", "rows");
  fs::create_directory_symlink("w/checkpoints", folder_ / "folder");
  fs::create_symlink("w/new", folder_ / "dangling");
  fs::create_hard_link(database, folder_ / "hard");
  const OutputRule rule{Replaces::AnyFiles, {}, folder_ / "w"};
  for (const char* name : {"w/workspace.sqlite", "w/new", "w/checkpoints/a", "folder/a", "dangling", "hard",
                           "w/../w/checkpoints/../a", "folder/../a"}) {
    const auto refused = writeOutput(folder_ / name, rule, "x");
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_THAT(refused.error().message, HasSubstr("lies in the workspace")) << name;
  }
  EXPECT_FALSE(checkOutputFolder(folder_ / "w" / "model").ok());
  EXPECT_FALSE(checkOutputFolder(folder_ / "folder").ok());
  EXPECT_TRUE(checkOutputFolder(folder_ / "model").ok());
  EXPECT_EQ(*readFile(database), "rows");
  EXPECT_TRUE(writeOutput(folder_ / "w.csv", rule, "x").ok());
}

TEST_F(OutputFileTest, AFullDiskLeavesTheOldFileAndNothingElse) {
  const fs::path file = make("table.csv", "old");
  {
    const test::SmallDisk full(1000);
    const auto written = writeOutput(file, {Replaces::AnyFiles, {}, {}}, std::string(5000, 'x'));
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.error().code, ErrorCode::DiskFull);
  }
  EXPECT_EQ(*readFile(file), "old");
  EXPECT_THAT(names(), testing::ElementsAre("table.csv"));
}

TEST_F(OutputFileTest, LeftoversOfKilledExportsGoAndThoseOfLivingOnesStay) {
  make(".table.csv.partial-0a1b2c", "left by a kill");
  const fs::path living = make(".other.csv.partial-zzzzzz", "being written");
  make(".mine.partial-notours", "x");
  make("mine.partial-0a1b2c", "x");
  const FileDescriptor lock{::open(living.c_str(), O_RDONLY | O_CLOEXEC)};
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  ASSERT_TRUE(writeOutput(folder_ / "new.csv", {}, "x").ok());
  EXPECT_THAT(names(), testing::UnorderedElementsAre(".other.csv.partial-zzzzzz", ".mine.partial-notours",
                                                     "mine.partial-0a1b2c", "new.csv"));
}

}  // namespace
}  // namespace batchwise
