// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "core/base/full_disk.h"
#include "core/base/mapped_file.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

std::filesystem::path write(const test::TempFolder& folder, std::string_view name, std::string_view content) {
  const auto path = folder / name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

TEST(FileTest, WhatWasWrittenIsReadBackAndMapsToTheSameBytes) {
  const test::TempFolder folder;
  const auto path = folder.path() / "file";
  std::string content = "first\0second";
  content.push_back('\0');
  ASSERT_TRUE(writeFileAtomically(path, content).ok());
  const auto read = readFile(path);
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(*read, content);
  const auto mapped = MappedFile::open(path);
  ASSERT_TRUE(mapped.ok());
  ASSERT_EQ(mapped->bytes().size(), content.size());
  EXPECT_EQ(std::memcmp(mapped->bytes().data(), content.data(), content.size()), 0);
}

TEST(FileTest, ReplacingLeavesNothingBeside) {
  const test::TempFolder folder;
  const auto path = write(folder, "file", "old");
  ASSERT_TRUE(writeFileAtomically(path, "new").ok());
  EXPECT_EQ(*readFile(path), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(FileTest, ErrorsNameTheFileAndTheKind) {
  const test::TempFolder folder;
  const auto missing = readFile(folder.path() / "absent");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
  EXPECT_NE(missing.error().message.find("absent"), std::string::npos);
  EXPECT_EQ(readFile(folder.path()).error().code, ErrorCode::Config);
  EXPECT_EQ(readFile(write(folder, "large", "123456"), 5).error().code, ErrorCode::Config);
  EXPECT_FALSE(writeFileAtomically(folder.path() / "no" / "such" / "folder", "x").ok());
  EXPECT_FALSE(makeFolders(write(folder, "plain", "x") / "under").ok());
}

TEST(MappedFileTest, AnEmptyFileMapsToNothingAndAFolderIsRefused) {
  const test::TempFolder folder;
  EXPECT_TRUE(MappedFile::open(write(folder, "empty", ""))->bytes().empty());
  EXPECT_FALSE(MappedFile::open(folder.path()).ok());
  EXPECT_EQ(MappedFile::open(folder.path() / "absent").error().code, ErrorCode::NotFound);
}

TEST(ExplainFullDiskTest, GivesFiguresOnlyWhereTheDiskIsTooSmall) {
  const test::TempFolder folder;
  const Error io{ErrorCode::Io, "cannot read or write 'x': disk I/O error", "copy"};
  EXPECT_EQ(explainFullDisk(io, folder / "not" / "there", 1).message, io.message);
  const Error full = explainFullDisk(io, folder / "not" / "there", std::int64_t{1} << 60);
  EXPECT_EQ(full.code, ErrorCode::DiskFull);
  EXPECT_NE(full.message.find("is full (1.05e+06 TiB needed, "), std::string::npos) << full.message;
  EXPECT_NE(full.message.find("disk I/O error"), std::string::npos) << full.message;
  const Error other = Error::corrupt("damaged");
  EXPECT_EQ(explainFullDisk(other, folder.path(), std::int64_t{1} << 60).message, other.message);
}

}  // namespace
}  // namespace batchwise
