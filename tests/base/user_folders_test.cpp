// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <string>

#include "core/base/folder.h"

namespace batchwise {
namespace {

/// The folder for a HOME and the variable of the folder, of an account whose home is `account`.
std::filesystem::path with(decltype(&userCacheFolder) folder, const char* home, const char* own,
                           const char* account = "") {
  return folder([=](const char* name) { return std::string(name) == "HOME" ? home : own; }, account);
}

TEST(UserFoldersTest, TheFoldersAreThoseOfTheDesktopOrBelowHome) {
  EXPECT_EQ(with(userCacheFolder, "/home/a", "/cache"), "/cache/batchwise");
  EXPECT_EQ(with(userCacheFolder, "/home/a", nullptr), "/home/a/.cache/batchwise");
  EXPECT_EQ(with(userCacheFolder, "/home/a", ""), "/home/a/.cache/batchwise");
  EXPECT_EQ(with(defaultWorkspacePath, "/home/a", "/data"), "/data/batchwise");
  EXPECT_EQ(with(defaultWorkspacePath, "/home/a", nullptr), "/home/a/.local/share/batchwise");
}

TEST(UserFoldersTest, HomeIsThatOfTheEnvironmentOrOfTheAccount) {
  const auto home = [](const char* variable, const char* account) {
    return userHome([=](const char*) { return variable; }, account);
  };
  EXPECT_EQ(home("/home/a", "/home/b"), "/home/a");
  EXPECT_EQ(home(nullptr, "/home/b"), "/home/b");
  EXPECT_EQ(home("here", "/home/b"), "/home/b");
  EXPECT_EQ(home("here", "there"), "");
}

TEST(UserFoldersTest, ARelativePathIsIgnored) {
  EXPECT_EQ(with(userCacheFolder, "/home/a", "cache"), "/home/a/.cache/batchwise");
  EXPECT_EQ(with(defaultWorkspacePath, "here", "data", "/home/b"), "/home/b/.local/share/batchwise");
  EXPECT_EQ(with(userCacheFolder, nullptr, "/cache"), "/cache/batchwise");
}

TEST(UserFoldersTest, WithoutHomeThePasswordDatabaseHasIt) {
  EXPECT_EQ(with(userCacheFolder, nullptr, nullptr, "/home/b"), "/home/b/.cache/batchwise");
  for (const char* none : {static_cast<const char*>(nullptr), "", "relative"})
    for (const auto folder : {userCacheFolder, defaultWorkspacePath})
      EXPECT_TRUE(with(folder, none, none, "relative").empty()) << "not in the working folder, not below /tmp";
}

}  // namespace
}  // namespace batchwise
