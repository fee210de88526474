// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/machine.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace batchwise {
namespace {

namespace fs = std::filesystem;

/// Returns the rest of the first line of `file` that starts with `key`, trimmed of separators, blanks and quotes.
std::string valueIn(const fs::path& file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const std::size_t from = line.find_first_not_of(" \t:=\"", key.size());
    if (from == std::string::npos) return "";
    const std::size_t to = line.find_last_not_of(" \t\"");
    return line.substr(from, to + 1 - from);
  }
  return "";
}

/// Returns nothing if there is no number, as in "max".
std::optional<std::int64_t> leadingNumber(const std::string& text) {
  char* end = nullptr;
  const std::int64_t number = std::strtoll(text.c_str(), &end, 10);
  return end == text.c_str() ? std::nullopt : std::optional(number);
}

std::optional<std::int64_t> kilobytesIn(const fs::path& root, const std::string& key) {
  const auto number = leadingNumber(valueIn(root / "proc/meminfo", key));
  return number ? std::optional(1024 * *number) : std::nullopt;
}

/// Files of a control group, for one cgroup version. Source: Linux kernel documentation, "Control Group v2" (Memory)
/// and "Memory Resource Controller" (v1).
struct CgroupFiles {
  fs::path mount;
  const char *limit, *used;
  std::array<const char*, 2> reclaimable;  ///< keys of memory.stat for reclaimable page cache: inactive and active
};

std::optional<std::int64_t> minKnown(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// Returns what one group has left; nothing if it has no limit or does not exist.
std::optional<std::int64_t> availableInGroup(const fs::path& group, const CgroupFiles& files) {
  const auto limit = leadingNumber(valueIn(group / files.limit, ""));
  const auto used = leadingNumber(valueIn(group / files.used, ""));
  if (!limit || !used) return std::nullopt;
  std::int64_t reclaimable = 0;
  for (const char* line : files.reclaimable)
    reclaimable += leadingNumber(valueIn(group / "memory.stat", line)).value_or(0);
  return std::max<std::int64_t>(0, *limit - std::max<std::int64_t>(0, *used - reclaimable));
}

/// Returns the minimum over a group and its parents. Inside a container the outer groups are not visible.
std::optional<std::int64_t> availableInHierarchy(const std::string& path, const CgroupFiles& files) {
  std::optional<std::int64_t> room = availableInGroup(files.mount, files);
  fs::path below = files.mount;
  for (const fs::path& name : fs::path(path).lexically_normal().relative_path()) {
    if (name.empty()) continue;  // trailing slash
    below /= name;
    room = minKnown(room, availableInGroup(below, files));
  }
  return room;
}

std::optional<std::int64_t> availableInCgroups(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  std::optional<std::int64_t> room;
  std::ifstream lines(root / "proc/self/cgroup");  // "number:controllers:path"
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,")
      room = minKnown(
          room, availableInHierarchy(path, {mount, "memory.max", "memory.current", {"inactive_file", "active_file"}}));
    else if (controllers.find(",memory,") != std::string::npos)
      room = minKnown(room, availableInHierarchy(path, {mount / "memory",
                                                        "memory.limit_in_bytes",
                                                        "memory.usage_in_bytes",
                                                        {"total_inactive_file", "total_active_file"}}));
  }
  return room;
}

std::int64_t usableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
}

std::int64_t driverGpus() {
  std::error_code failed;
  const std::filesystem::directory_iterator entries("/proc/driver/nvidia/gpus", failed);
  return failed ? 0 : std::distance(begin(entries), end(entries));
}

}  // namespace

MachineInfo machineInfo() {
  MachineInfo info;
  info.processor = valueIn("/proc/cpuinfo", "model name");
  info.cores = usableCores();
  info.memoryBytes = kilobytesIn("/", "MemTotal").value_or(0);
  info.availableMemoryBytes = availableMemory();
  info.system = valueIn("/etc/os-release", "PRETTY_NAME");
  utsname name{};
  if (uname(&name) == 0) info.kernel = std::string(name.sysname) + " " + name.release;
  info.gpuDriver = valueIn("/proc/driver/nvidia/version", "NVRM version");
  info.gpus = driverGpus();
  return info;
}

std::string gpuDriverVersion(const std::string& gpuDriver) {
  // "NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 07:19:03 UTC 2025": the first word of digits and dots.
  std::istringstream words(gpuDriver);
  for (std::string word; words >> word;)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) return word;
  return "";
}

std::optional<std::int64_t> availableMemory(const fs::path& root) {
  return minKnown(kilobytesIn(root, "MemAvailable"), availableInCgroups(root));
}

}  // namespace batchwise
