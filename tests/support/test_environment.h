// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace batchwise::test {

/// Returns `full` under ./packaging/test --full (BATCHWISE_TEST_TIER=full), otherwise `quick`: a number of repetitions.
int repeats(int quick, int full);

/// Returns true under ./packaging/test --full.
bool isFullTier();

/// Returns the absolute root folder of the project's sources.
std::filesystem::path sourceRoot();

/// Returns a file or folder of real text such as "wikitext-2/valid.txt": below $BATCHWISE_SHARED if set, else below
/// ../shared/data beside the project. Empty if it does not exist; the test then calls GTEST_SKIP.
std::optional<std::filesystem::path> realText(std::string_view name);

/// Returns the Python interpreter with PyTorch, transformers, safetensors and tensorboard, for tests that compare with
/// them. Empty if it is not installed (presets without LibTorch); the test then calls GTEST_SKIP.
std::optional<std::filesystem::path> referencePython();

/// A new empty folder; the destructor removes it with all its contents.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Returns the path of `name` inside; creates nothing.
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Sets an environment variable while it lives.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const std::string& value);
  ~EnvironmentVariable();
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace batchwise::test
