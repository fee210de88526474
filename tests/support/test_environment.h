// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace batchwise::test {

/// How many times to repeat: `quick` normally, `full` under ./packaging/test --full (BATCHWISE_TEST_TIER=full).
int repeats(int quick, int full);

/// True under ./packaging/test --full.
bool isFullTier();

/// Root of the project's sources, absolute.
std::filesystem::path sourceRoot();

/// A file or folder of real text such as "wikitext-2/valid.txt": below $BATCHWISE_SHARED if set, else below
/// ../shared/data beside the project. Empty if it is not there; a test that needs it then says so with GTEST_SKIP.
std::optional<std::filesystem::path> realText(std::string_view name);

/// The Python interpreter with PyTorch, transformers, safetensors and tensorboard, for tests that compare with them.
/// Empty if it was not installed (presets without LibTorch); such a test then says so with GTEST_SKIP.
std::optional<std::filesystem::path> judgePython();

/// A new empty folder, removed with all it holds at the end of the object's life.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Path of `name` inside; nothing is created.
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace batchwise::test
