// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <fstream>
#include <optional>

#include "core/base/folder.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;

TEST(StagedFolderTest, ItGoesWithItsContentsUnlessItWasMoved) {
  const test::TempFolder folder;
  {
    const auto staged = StagedFolder::make(folder.path(), ".mark-");
    ASSERT_TRUE(staged.ok()) << staged.error().text();
    std::ofstream(staged->path() / "file") << "x";
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  auto staged = StagedFolder::make(folder.path(), ".mark-");
  std::ofstream(staged->path() / "file") << "x";
  ASSERT_TRUE(staged->moveTo(folder / "kept").ok());
  EXPECT_EQ(*readFile(folder / "kept" / "file"), "x");
  EXPECT_FALSE(StagedFolder::make(folder / "nowhere", ".mark-").ok());
}

TEST(StagedFolderTest, WhatKilledProcessesLeftGoesAndNothingElse) {
  const test::TempFolder folder;
  std::optional<StagedFolder> living;
  if (auto made = StagedFolder::make(folder.path(), ".mark-"); made.ok()) living.emplace(std::move(*made));
  ASSERT_TRUE(living.has_value());
  for (const char* name : {".mark-0a1b2c", ".mark-backup", ".mark-long-name", ".other-0a1b2c"})
    fs::create_directories(folder / name / "inner");
  std::ofstream(folder / ".mark-a1b2c3") << "a file";
  removeStagedFolders(folder.path(), ".mark-");
  std::vector<std::string> left;
  for (const fs::path& entry : entriesOf(folder.path())) left.push_back(entry.filename());
  EXPECT_THAT(left, testing::UnorderedElementsAre(living->path().filename().string(), ".mark-long-name",
                                                  ".other-0a1b2c", ".mark-a1b2c3"));
}

}  // namespace
}  // namespace batchwise
