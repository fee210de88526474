// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/file.h"

namespace batchwise::test {

/// Returns the number of POSIX locks of a process on a file, from /proc/locks; 0 if there is no such file.
inline int posixLocksOf(std::int64_t process, const std::filesystem::path& file) {
  const auto id = fileIdOf(file);
  if (!id) return 0;
  const std::string ofFile = ":" + std::to_string(id->inode) + " ";
  const std::string ofProcess = " " + std::to_string(process) + " ";
  std::ifstream locks("/proc/locks");
  int count = 0;
  for (std::string line; std::getline(locks, line);)
    if (line.find(" POSIX ") != std::string::npos && line.find(ofProcess) != std::string::npos &&
        line.find(ofFile) != std::string::npos)
      ++count;
  return count;
}

}  // namespace batchwise::test
