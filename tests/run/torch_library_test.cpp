// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/torch_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

class TorchLibraryTest : public testing::Test {
 protected:
  TorchLibraryTest() { fs::create_directories(program_.parent_path() / "no_cuda"); }

  /// Puts LibTorch into a folder of packages; returns the folder of its libraries.
  fs::path torch(const std::string& packages, const std::string& version) {
    const fs::path libraries = folder_.path() / packages / "torch" / "lib";
    fs::create_directories(libraries);
    std::ofstream(libraries / "libtorch_cpu.so") << "no library";
    std::ofstream(libraries.parent_path() / "version.py") << "cuda = None\n__version__ = '" << version << "'\n";
    return libraries;
  }

  Result<std::optional<fs::path>> found(const char* named = nullptr) {
    return findTorch([named](const char*) { return named; }, program_, folder_.path() / "data");
  }

  test::TempFolder folder_;
  fs::path program_ = folder_.path() / "packages/batchwise/bin/batchwise";
};

TEST_F(TorchLibraryTest, IsSoughtBesideThePackageThenInTheUsersEnvironments) {
  EXPECT_FALSE(*found());
  const fs::path own = torch("data/torch/lib/python3.12/site-packages", kTorchVersion + std::string(".0+cpu"));
  EXPECT_EQ(*found(), own);
  const fs::path beside = torch("packages", "1.9.0");
  EXPECT_EQ(*found(), own) << "one of another version is passed over";
  std::ofstream(beside.parent_path() / "version.py") << "__version__ = '" << kTorchVersion << ".1'\n";
  EXPECT_EQ(*found(), beside);
}

TEST_F(TorchLibraryTest, AProgramThatWasLinkedWithItLooksNowhereElse) {
  torch("packages", "1.9.0");
  fs::remove(program_.parent_path() / "no_cuda");
  EXPECT_FALSE(*found());
}

TEST_F(TorchLibraryTest, AnotherVersionAloneIsRefusedWithWhatWouldDo) {
  torch("packages", "1.9.0");
  ASSERT_FALSE(found().ok());
  EXPECT_EQ(found().error().code, ErrorCode::Unsupported);
  EXPECT_THAT(found().error().text(), HasSubstr("has LibTorch 1.9.0"));
}

TEST_F(TorchLibraryTest, TheNamedFolderIsTakenOrRefused) {
  torch("packages", kTorchVersion + std::string(".0"));
  const std::string other = torch("other", kTorchVersion + std::string(".0")).string();
  EXPECT_EQ(*found(other.c_str()), other);
  EXPECT_THAT(test::refused(found("/nowhere")).text(), HasSubstr("BATCHWISE_TORCH names /nowhere"));
}

TEST_F(TorchLibraryTest, AFileThatIsNoLibraryIsNamed) {
  EXPECT_THAT(test::refused(loadTorchFrom(torch("broken", kTorchVersion + std::string(".0")), program_)).text(),
              HasSubstr("libc10.so"));
}

}  // namespace
}  // namespace batchwise
