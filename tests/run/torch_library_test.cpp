// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/torch_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/test_environment.h"

namespace batchwise {
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class TorchLibraryTest : public testing::Test {
 protected:
  /// Returns the folder of the libraries of a package that says it has this version.
  fs::path package(const std::string& name, const std::string& version) {
    const fs::path libraries = folder_.path() / name / "torch" / "lib";
    fs::create_directories(libraries);
    std::ofstream(libraries / "libtorch_cpu.so") << "no library";
    std::ofstream(libraries.parent_path() / "version.py") << "cuda = None\n__version__ = '" << version << "'\n";
    return libraries;
  }

  test::TempFolder folder_;
};

TEST_F(TorchLibraryTest, IsSoughtBesideThePackageThenInTheUsersEnvironments) {
  const fs::path data = folder_.path() / "data";
  fs::create_directories(data / "torch/lib/python3.12/site-packages");
  const auto nothing = [](const char*) -> const char* { return nullptr; };
  EXPECT_THAT(torchFolders(nothing, "/env/site-packages/batchwise/bin/batchwise", data),
              ElementsAre("/env/site-packages/torch/lib", data / "torch/lib/python3.12/site-packages/torch/lib"));
  const auto named = [](const char* name) {
    return std::string(name) == "BATCHWISE_TORCH" ? "/opt/torch/lib" : nullptr;
  };
  EXPECT_THAT(torchFolders(named, "/env/site-packages/batchwise/bin/batchwise", data), ElementsAre("/opt/torch/lib"));
}

TEST_F(TorchLibraryTest, TheFirstPlaceThatHasItIsTaken) {
  const fs::path there = package("there", std::string(kTorchVersion) + ".0+cpu");
  const auto found = findTorch({folder_.path() / "nowhere", there});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, there);
  const auto none = findTorch({folder_.path() / "nowhere"});
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
}

TEST_F(TorchLibraryTest, AnotherVersionIsRefusedWithWhatWouldDo) {
  const auto found = findTorch({package("old", "1.9.0")});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::Unsupported);
  EXPECT_THAT(found.error().text(), HasSubstr("has LibTorch 1.9.0"));
  EXPECT_THAT(found.error().text(), HasSubstr(std::string("pip install 'torch==") + kTorchVersion));
}

TEST_F(TorchLibraryTest, AFileThatIsNoLibraryIsNamed) {
  const auto loaded = loadTorchFrom(package("broken", std::string(kTorchVersion) + ".0"), folder_.path());
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().text(), HasSubstr("libc10.so"));
}

}  // namespace
}  // namespace batchwise
