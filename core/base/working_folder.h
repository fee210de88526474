// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <system_error>

namespace batchwise {

/// Returns `folder` (empty: the working folder) as a normalized absolute path; empty if the working folder is needed
/// but was deleted. std::filesystem::absolute() throws in both cases.
inline std::filesystem::path absoluteFolder(const std::filesystem::path& folder) {
  std::error_code failure;
  const auto absolute =
      folder.empty() ? std::filesystem::current_path(failure) : std::filesystem::absolute(folder, failure);
  return failure ? std::filesystem::path() : absolute.lexically_normal();
}

}  // namespace batchwise
