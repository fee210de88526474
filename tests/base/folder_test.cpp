// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(FolderTest, NamesArePlain) {
  for (const char* name : {"a", "c1.sqlite", "..a", "-rf", "a b"}) EXPECT_TRUE(isPlainFileName(name)) << name;
  for (const char* name : {"", ".", "..", "a/b", "/", "../a"}) EXPECT_FALSE(isPlainFileName(name)) << name;
  EXPECT_FALSE(isPlainFileName(std::string_view("a\0b", 3)));
  EXPECT_FALSE(isPlainFileName(std::string(256, 'a')));
}

TEST(FolderTest, NoLinkIsFollowed) {
  const TempFolder temp;
  fs::create_directories(temp / "w/inner");
  fs::create_directories(temp / "outside");
  std::ofstream(temp / "outside/file") << "mine";
  std::ofstream(temp / "w/inner/file") << "own";
  fs::create_symlink(temp / "outside", temp / "w/linked");
  fs::create_symlink(temp / "outside/file", temp / "w/inner/link");
  ASSERT_EQ(::mkfifo((temp / "w/inner/pipe").c_str(), 0600), 0);

  const auto folder = Folder::open(temp / "w");
  ASSERT_TRUE(folder.ok()) << folder.error().text();
  EXPECT_THAT(folder->inner("linked").error().text(), HasSubstr("is a link"));
  EXPECT_EQ(folder->inner("linked").error().code, ErrorCode::Unsupported);
  EXPECT_EQ(folder->inner("none").error().code, ErrorCode::NotFound);
  EXPECT_EQ(folder->inner("..").error().code, ErrorCode::Corrupt);
  const auto inner = folder->inner("inner");
  ASSERT_TRUE(inner.ok()) << inner.error().text();
  EXPECT_TRUE(inner->file("file", O_RDONLY).ok());
  EXPECT_THAT(inner->file("link", O_RDWR | O_CREAT, 0644).error().text(), HasSubstr("is a link"));
  EXPECT_THAT(inner->file("pipe", O_RDONLY).error().text(), HasSubstr("not a plain file"));
  EXPECT_EQ(inner->file("../../outside/file", O_RDONLY).error().code, ErrorCode::Corrupt);

  EXPECT_TRUE(inner->remove("link").ok());
  EXPECT_TRUE(inner->remove("none").ok());
  EXPECT_FALSE(inner->remove("../../outside/file").ok());
  EXPECT_FALSE(fs::exists(fs::symlink_status(temp / "w/inner/link")));
  EXPECT_TRUE(fs::exists(temp / "outside/file"));
}

}  // namespace
}  // namespace batchwise::test
