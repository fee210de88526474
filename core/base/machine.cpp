// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/machine.h"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

namespace batchwise {
namespace {

namespace fs = std::filesystem;

/// What follows `key` in the first line of `file` that begins with it, without the separator, blanks and quotes around.
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

/// Empty where there is none, as in "max".
std::optional<std::int64_t> numberFrom(const std::string& text) {
  char* end = nullptr;
  const std::int64_t number = std::strtoll(text.c_str(), &end, 10);
  return end == text.c_str() ? std::nullopt : std::optional(number);
}

std::optional<std::int64_t> kilobytesIn(const fs::path& root, const std::string& key) {
  const auto number = numberFrom(valueIn(root / "proc/meminfo", key));
  return number ? std::optional(1024 * *number) : std::nullopt;
}

/// Files of a control group of one version. "Control Group v2", section Memory, and "Memory Resource Controller" (v1),
/// both of the kernel's documentation.
struct GroupFiles {
  fs::path mount;
  const char *limit, *used;
  std::array<const char*, 2> droppable;  ///< lines of memory.stat: pages of files, long unused and lately used
};

std::optional<std::int64_t> lesser(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// What one group leaves; empty without a limit, and where there is no such group.
std::optional<std::int64_t> roomIn(const fs::path& group, const GroupFiles& files) {
  const auto limit = numberFrom(valueIn(group / files.limit, ""));
  const auto used = numberFrom(valueIn(group / files.used, ""));
  if (!limit || !used) return std::nullopt;
  std::int64_t droppable = 0;
  for (const char* line : files.droppable) droppable += numberFrom(valueIn(group / "memory.stat", line)).value_or(0);
  return std::max<std::int64_t>(0, *limit - std::max<std::int64_t>(0, *used - droppable));
}

/// The least of a group and those around it. Inside a container the outer ones are not there to be read.
std::optional<std::int64_t> roomUpwards(const std::string& path, const GroupFiles& files) {
  std::optional<std::int64_t> room = roomIn(files.mount, files);
  fs::path below = files.mount;
  for (const fs::path& name : fs::path(path).lexically_normal().relative_path()) {
    if (name.empty()) continue;  // behind a slash at the end
    below /= name;
    room = lesser(room, roomIn(below, files));
  }
  return room;
}

std::optional<std::int64_t> roomOfGroups(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  std::optional<std::int64_t> room;
  std::ifstream lines(root / "proc/self/cgroup");  // "number:controllers:path"
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,")
      room = lesser(room, roomUpwards(path, {mount, "memory.max", "memory.current", {"inactive_file", "active_file"}}));
    else if (controllers.find(",memory,") != std::string::npos)
      room = lesser(room, roomUpwards(path, {mount / "memory",
                                             "memory.limit_in_bytes",
                                             "memory.usage_in_bytes",
                                             {"total_inactive_file", "total_active_file"}}));
  }
  return room;
}

std::int64_t usableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
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

std::optional<std::int64_t> availableMemory(const fs::path& root) {
  return lesser(kilobytesIn(root, "MemAvailable"), roomOfGroups(root));
}

}  // namespace batchwise
