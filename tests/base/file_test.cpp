// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "core/base/folder.h"
#include "core/base/mapped_file.h"
#include "core/base/output_file.h"
#include "tests/support/checked.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_environment.h"

#ifdef __SANITIZE_THREAD__
/// A cut file has zeros mapped over it while other threads read there, which the sanitizer takes for a write of ours.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "race:zerosIn";
}
#endif

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

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
  EXPECT_EQ(*checked(readFile(path)), content);
  const auto mapped = checked(MappedFile::open(path));
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
  const Error missing = refused(readFile(folder.path() / "absent"));
  EXPECT_EQ(missing.code, ErrorCode::NotFound);
  EXPECT_THAT(missing.message, HasSubstr("absent"));
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
  EXPECT_EQ(*checked(readFile(pipe)), "");
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
      const Error intact = refused(file.intact());
      EXPECT_EQ(intact.code, ErrorCode::Corrupt);
      EXPECT_THAT(intact.text(), HasSubstr(path_.native()));
    }
  }
};

TEST_F(ChangedFileTest, OneThatIsCutBeforeTheFirstTouchGivesZerosAndAnError) {
  auto file = checked(MappedFile::open(path_));
  std::filesystem::resize_file(path_, 5000);
  EXPECT_EQ(zerosIn(file->bytes()), kBytes - 5000);
  expectDamaged(*file);
  std::ofstream(path_, std::ios::binary) << std::string(kBytes, 'x');
  expectDamaged(*file);
}

TEST_F(ChangedFileTest, OneThatIsCutUnderManyReadersGivesAllOfThemAnError) {
  for (int trial = 0; trial < 20; ++trial) {
    std::ofstream(path_, std::ios::binary) << std::string(kBytes, 'x');
    const auto file = checked(MappedFile::open(path_));
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

  const auto folder = checked(Folder::open(temp / "w"));
  EXPECT_THAT(folder->inner("linked").error().text(), HasSubstr("is a link"));
  EXPECT_EQ(folder->inner("linked").error().code, ErrorCode::Unsupported);
  EXPECT_EQ(folder->inner("none").error().code, ErrorCode::NotFound);
  EXPECT_EQ(folder->inner("..").error().code, ErrorCode::Corrupt);
  const auto inner = checked(folder->inner("inner"));
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

TEST(StagedFolderTest, ItGoesWithItsContentsUnlessItWasMoved) {
  const test::TempFolder folder;
  {
    const auto staged = checked(StagedFolder::make(folder.path(), ".mark-"));
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
    auto output = checked(OutputFile::open(file, Replaces::Nothing));
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
    EXPECT_EQ(refused(writeOutput(file, Replaces::AnyFiles, std::string(5000, 'x'))).code, ErrorCode::DiskFull);
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
}  // namespace batchwise::test
