// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace batchwise::cli {

/// A folder below the system's for temporary files, removed with everything in it.
class TemporaryFolder {
 public:
  /// `name`: what its name begins with. If it cannot be made, the path is empty and errno says why.
  explicit TemporaryFolder(const std::string& name)
      : path_((std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string()) {
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace batchwise::cli
