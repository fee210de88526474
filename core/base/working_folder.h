// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <system_error>

namespace batchwise {

/// `folder` as an absolute path without "." and ".."; empty: the working folder. std::filesystem::absolute() throws for
/// an empty path. Empty if the working folder is needed and has been deleted.
inline std::filesystem::path absoluteFolder(const std::filesystem::path& folder) {
  std::error_code failure;
  const auto absolute =
      folder.empty() ? std::filesystem::current_path(failure) : std::filesystem::absolute(folder, failure);
  return failure ? std::filesystem::path() : absolute.lexically_normal();
}

}  // namespace batchwise
