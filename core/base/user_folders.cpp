// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/user_folders.h"

#include <pwd.h>
#include <unistd.h>

#include <array>

namespace batchwise {
namespace {
namespace fs = std::filesystem;

fs::path absoluteOf(const Environment& environment, const char* name) {
  const char* value = environment(name);
  const fs::path path(value == nullptr ? "" : value);
  return path.is_absolute() ? path : fs::path();
}

fs::path userFolder(const Environment& environment, const fs::path& accountHome, const char* variable,
                    const char* belowHome) {
  if (const fs::path folder = absoluteOf(environment, variable); !folder.empty()) return folder / "batchwise";
  const fs::path home = userHome(environment, accountHome);
  return home.empty() ? fs::path() : home / belowHome / "batchwise";
}

}  // namespace

fs::path accountHome() {
  std::array<char, 16384> texts;
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, texts.data(), texts.size(), &found) != 0 || found == nullptr) return {};
  return entry.pw_dir == nullptr ? fs::path() : fs::path(entry.pw_dir);
}

fs::path userHome(const Environment& environment, const fs::path& home) {
  if (const fs::path named = absoluteOf(environment, "HOME"); !named.empty()) return named;
  return home.is_absolute() ? home : fs::path();
}

fs::path userCacheFolder(const Environment& environment, const fs::path& home) {
  return userFolder(environment, home, "XDG_CACHE_HOME", ".cache");
}

fs::path defaultWorkspacePath(const Environment& environment, const fs::path& home) {
  return userFolder(environment, home, "XDG_DATA_HOME", ".local/share");
}

}  // namespace batchwise
