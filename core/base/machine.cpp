// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/machine.h"

#include <sched.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

namespace batchwise {
namespace {

/// What follows `key` in the first line of `file` that begins with it, without the separator, blanks and quotes around.
std::string valueIn(const char* file, const std::string& key) {
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

std::int64_t kilobytesIn(const std::string& key) {
  return std::int64_t{1024} * std::strtoll(valueIn("/proc/meminfo", key).c_str(), nullptr, 10);
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
  info.memoryBytes = kilobytesIn("MemTotal");
  info.availableMemoryBytes = kilobytesIn("MemAvailable");
  info.system = valueIn("/etc/os-release", "PRETTY_NAME");
  utsname name{};
  if (uname(&name) == 0) info.kernel = std::string(name.sysname) + " " + name.release;
  info.gpuDriver = valueIn("/proc/driver/nvidia/version", "NVRM version");
  info.gpus = driverGpus();
  return info;
}

}  // namespace batchwise
