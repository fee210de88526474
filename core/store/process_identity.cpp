// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/process_identity.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>
#include <sstream>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"

namespace batchwise {
namespace {

std::string hostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// The first line of a small file; empty if it cannot be read.
std::string firstLineOf(const std::filesystem::path& path) {
  const auto file = readFile(path, 4096);
  return file.ok() ? file->substr(0, file->find('\n')) : "";
}

std::string bootId() {
  return firstLineOf("/proc/sys/kernel/random/boot_id");
}

std::string machineIdHash() {
  std::string id = firstLineOf("/etc/machine-id");
  if (id.empty()) id = firstLineOf("/var/lib/dbus/machine-id");
  return id.empty() || id == "uninitialized" ? "" : hash128("batchwise workspace " + id).hex();
}

std::string systemId() {
  std::error_code ignored;
  return bootId() + " " + std::filesystem::read_symlink("/proc/self/ns/pid", ignored).native();
}

/// Returns nullopt if there is no such process or it is a zombie.
std::optional<std::int64_t> startTicksOf(std::int64_t processId) {
  const auto stat = readFile("/proc/" + std::to_string(processId) + "/stat");
  if (!stat.ok()) return std::nullopt;
  // The name in parentheses may contain anything. The state (field 3) follows it, then 18 fields up to field 22.
  const std::size_t nameEnd = stat->rfind(')');
  if (nameEnd == std::string::npos) return std::nullopt;
  std::istringstream fields(stat->substr(nameEnd + 1));
  std::string state, skipped;
  fields >> state;
  if (state == "Z" || state == "X") return std::nullopt;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  std::int64_t ticks = 0;
  return fields >> ticks ? std::optional{ticks} : std::nullopt;
}

}  // namespace

MachineIdentity currentMachine() {
  return {hostName(), machineIdHash(), bootId()};
}

bool isSameMachine(const MachineIdentity& one, const MachineIdentity& other) {
  if (!one.boot.empty() && one.boot == other.boot) return true;
  return one.host == other.host && !one.machine.empty() && one.machine == other.machine;
}

std::string machineText(const MachineIdentity& machine) {
  return machine.host + "\n" + machine.machine + "\n" + machine.boot + "\n";
}

MachineIdentity machineFromText(std::string_view text) {
  MachineIdentity machine;
  for (std::string* line : {&machine.host, &machine.machine, &machine.boot}) *line = takePart(text, '\n');
  return machine;
}

ProcessIdentity currentProcess() {
  const std::int64_t id = ::getpid();
  return {hostName(), systemId(), id, startTicksOf(id).value_or(0)};
}

Liveness livenessOf(const ProcessIdentity& process) {
  if (process.processId == 0) return Liveness::Dead;
  if (process.system != systemId()) return Liveness::Unknown;
  const auto ticks = startTicksOf(process.processId);
  return ticks && *ticks == process.startTicks ? Liveness::Alive : Liveness::Dead;
}

}  // namespace batchwise
