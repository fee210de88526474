// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/user_folders.h"

namespace batchwise {

std::filesystem::path userCacheFolder(const Environment& environment) {
  const auto folder = [&environment](const char* name) {
    const char* value = environment(name);
    const std::filesystem::path path(value == nullptr ? "" : value);
    return path.is_absolute() ? path : std::filesystem::path();
  };
  const std::filesystem::path cache = folder("XDG_CACHE_HOME"), home = folder("HOME");
  if (cache.empty() && home.empty()) return {};
  return (cache.empty() ? home / ".cache" : cache) / "batchwise";
}

}  // namespace batchwise
