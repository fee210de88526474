// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace batchwise::fuzz {

/// A folder for all inputs of a fuzzer, in memory where the system offers that. Stays after a crash, for a look at it.
class SharedFolder {
 public:
  explicit SharedFolder(const std::string& name) {
    std::error_code ignored;
    std::string path = (std::filesystem::is_directory("/dev/shm", ignored) ? "/dev/shm/" : "/tmp/") + name + "-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) std::abort();
    path_ = path;
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  ~SharedFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace batchwise::fuzz
