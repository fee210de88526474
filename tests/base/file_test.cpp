// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

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

mode_t modeOf(const std::filesystem::path& path) {
  struct stat info {};
  EXPECT_EQ(::lstat(path.c_str(), &info), 0);
  return info.st_mode & 07777U;
}

TEST(FileTest, ANewFileFollowsTheUmaskAndAnOldOneKeepsItsMode) {
  const test::TempFolder folder;
  for (const auto& [mask, mode] : {std::pair<mode_t, mode_t>{0022, 0644}, {0002, 0664}, {0077, 0600}}) {
    const mode_t before = ::umask(mask);
    const auto path = folder / std::to_string(mask);
    EXPECT_TRUE(writeFileAtomically(path, "new").ok());
    EXPECT_EQ(modeOf(path), mode);
    for (const mode_t kept : {0600U, 0640U, 0666U, 0755U}) {
      ::chmod(path.c_str(), kept);
      EXPECT_TRUE(writeFileAtomically(path, "again").ok());
      EXPECT_EQ(modeOf(path), kept);
    }
    ::umask(before);
  }
}

TEST(FileTest, OfALinkTheTargetStaysAndADeviceIsNoFile) {
  const test::TempFolder folder;
  const auto target = write(folder, "target", "somebody's");
  std::filesystem::create_symlink(target, folder / "link");
  ASSERT_TRUE(writeFileAtomically(folder / "link", "ours").ok());
  EXPECT_EQ(*readFile(target), "somebody's");
  EXPECT_EQ(*readFile(folder / "link"), "ours");
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "link"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(writeFileAtomically(folder / "pipe", "x").error().code, ErrorCode::Config);
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
}

TEST(FileTest, APipeIsReadToItsEndAndNobodyIsWaitedForWhoMayNotCome) {
  const test::TempFolder folder;
  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto empty = readFile(pipe);
  ASSERT_TRUE(empty.ok()) << empty.error().text();
  EXPECT_EQ(*empty, "");
  FileDescriptor end{::open(pipe.c_str(), O_RDWR | O_CLOEXEC)};  // for reading too, so that open(2) does not wait
  const std::string text = "text";
  ASSERT_TRUE(writeAll(end, std::as_bytes(std::span(text)), pipe).ok());
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(writeAll(end, std::as_bytes(std::span(text)), pipe).ok());
    end = FileDescriptor();
  });
  const auto read = readFile(pipe);
  writer.join();
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(*read, "texttext");
}

class ChangedFileTest : public testing::Test {
 protected:
  static constexpr std::size_t kBytes = 1 << 20;
  test::TempFolder folder_;
  std::filesystem::path path_ = write(folder_, "mapped", std::string(kBytes, 'x'));

  static std::size_t zerosIn(std::span<const std::byte> bytes) {
    return static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), std::byte{0}));
  }
  void expectDamaged(const MappedFile& file) const {
    for (int asked = 0; asked < 2; ++asked) {
      const auto intact = file.intact();
      ASSERT_FALSE(intact.ok());
      EXPECT_EQ(intact.error().code, ErrorCode::Corrupt);
      EXPECT_NE(intact.error().text().find(path_.native()), std::string::npos) << intact.error().text();
    }
  }
};

TEST_F(ChangedFileTest, OneThatIsCutBeforeTheFirstTouchGivesZerosAndAnError) {
  auto file = MappedFile::open(path_);
  ASSERT_TRUE(file.ok());
  std::filesystem::resize_file(path_, 5000);
  EXPECT_EQ(zerosIn(file->bytes()), kBytes - 5000);
  expectDamaged(*file);
  std::ofstream(path_, std::ios::binary) << std::string(kBytes, 'x');
  expectDamaged(*file);
}

TEST_F(ChangedFileTest, OneThatIsCutUnderManyReadersGivesAllOfThemAnError) {
  for (int trial = 0; trial < 20; ++trial) {
    std::ofstream(path_, std::ios::binary) << std::string(kBytes, 'x');
    const auto file = MappedFile::open(path_);
    ASSERT_TRUE(file.ok());
    std::atomic<int> refused = 0;
    {
      std::vector<std::jthread> readers;
      for (int i = 0; i < 4; ++i)
        readers.emplace_back([&] {
          for (;;) {
            const std::size_t zeros = zerosIn(file->bytes());
            const bool intact = file->intact().ok();
            EXPECT_TRUE(zeros == 0 || !intact);
            if (!intact) break;
          }
          ++refused;
        });
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
      std::filesystem::resize_file(path_, trial % 2 == 0 ? 0 : kBytes / 2 + 1);
    }
    EXPECT_EQ(refused, 4);
  }
}

TEST_F(ChangedFileTest, OneThatIsWrittenAnewInPlaceIsFoundAndOneThatIsReplacedOrDeletedIsWhole) {
  const auto file = MappedFile::open(path_);
  ASSERT_TRUE(writeFileAtomically(path_, "another").ok());
  EXPECT_TRUE(file->intact().ok());
  std::filesystem::remove(path_);
  EXPECT_EQ(zerosIn(file->bytes()), 0U);
  EXPECT_TRUE(file->intact().ok());
  std::ofstream(path_, std::ios::binary) << std::string(kBytes, 'x');
  const auto second = MappedFile::open(path_);
  std::this_thread::sleep_for(std::chrono::milliseconds{20});  // longer than a tick of the file system's clock
  std::fstream(path_, std::ios::binary | std::ios::in | std::ios::out) << "y";
  expectDamaged(*second);
  EXPECT_TRUE(file->intact().ok());
}

void touchAMappingOfSomebodyElse(const std::filesystem::path& path) {
  const FileDescriptor file{::open(path.c_str(), O_RDWR)};
  const auto* bytes = static_cast<const volatile char*>(::mmap(nullptr, 1 << 20, PROT_READ, MAP_SHARED, file.get(), 0));
  ASSERT_EQ(::ftruncate(file.get(), 0), 0);
  const char touched = bytes[0];
  EXPECT_EQ(touched, 'x');  // never reached
}

TEST_F(ChangedFileTest, FaultsOfOtherMappingsGoTheirOldWay) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer takes the signal itself";
#endif
#ifdef __has_feature  // clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the sanitizer takes the signal itself";
#endif
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto file = MappedFile::open(path_);
        touchAMappingOfSomebodyElse(path_);
      },
      testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(
      {
        ::signal(SIGBUS, [](int) { ::_exit(42); });
        const auto file = MappedFile::open(path_);
        touchAMappingOfSomebodyElse(path_);
      },
      testing::ExitedWithCode(42), "");
  EXPECT_EXIT(
      {
        const auto file = MappedFile::open(path_);
        ::raise(SIGBUS);
      },
      testing::KilledBySignal(SIGBUS), "");
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
  EXPECT_NE(full.message.find("is full (1048576 TiB needed, "), std::string::npos) << full.message;
  EXPECT_NE(full.message.find("disk I/O error"), std::string::npos) << full.message;
  const Error other = Error::corrupt("damaged");
  EXPECT_EQ(explainFullDisk(other, folder.path(), std::int64_t{1} << 60).message, other.message);
}

}  // namespace
}  // namespace batchwise
