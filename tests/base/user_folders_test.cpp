// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/user_folders.h"

#include <gtest/gtest.h>

#include <string>

namespace batchwise {
namespace {

std::filesystem::path cacheWith(const char* home, const char* cache) {
  return userCacheFolder([=](const char* name) { return std::string(name) == "HOME" ? home : cache; });
}

TEST(UserFoldersTest, TheCacheIsBelowTheFolderOfTheDesktopOrHome) {
  EXPECT_EQ(cacheWith("/home/a", "/cache"), "/cache/batchwise");
  EXPECT_EQ(cacheWith("/home/a", nullptr), "/home/a/.cache/batchwise");
  EXPECT_EQ(cacheWith("/home/a", ""), "/home/a/.cache/batchwise");
}

TEST(UserFoldersTest, ARelativePathIsIgnored) {
  EXPECT_EQ(cacheWith("/home/a", "cache"), "/home/a/.cache/batchwise");
  EXPECT_EQ(cacheWith(nullptr, "/cache"), "/cache/batchwise");
  for (const char* none : {static_cast<const char*>(nullptr), "", "relative"})
    EXPECT_TRUE(cacheWith(none, none).empty()) << "not in the working folder";
}

}  // namespace
}  // namespace batchwise
