// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/user_folders.h"

namespace batchwise {

std::filesystem::path userCacheFolder(const Environment& environment) {
  const auto folder = [&environment](const char* name) {
    const char* value = environment(name);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  const std::filesystem::path cache = folder("XDG_CACHE_HOME");
  return (cache.empty() ? folder("HOME") / ".cache" : cache) / "batchwise";
}

}  // namespace batchwise
