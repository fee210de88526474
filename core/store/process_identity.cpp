// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/process_identity.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>
#include <sstream>

#include "core/base/file.h"

namespace batchwise {
namespace {

constexpr std::int64_t kSilenceMs = 120'000;

std::string hostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string systemId() {
  const auto file = readFile("/proc/sys/kernel/random/boot_id");
  std::string boot = file.ok() ? *file : "";
  while (!boot.empty() && boot.back() == '\n') boot.pop_back();
  std::error_code ignored;
  return boot + " " + std::filesystem::read_symlink("/proc/self/ns/pid", ignored).native();
}

/// Nothing if there is no such process, or only what is left of one (a zombie).
std::optional<std::int64_t> startTicksOf(std::int64_t processId) {
  const auto stat = readFile("/proc/" + std::to_string(processId) + "/stat");
  if (!stat.ok()) return std::nullopt;
  // The name in parentheses may hold anything; after its end come the state (field 3) and 18 more before field 22.
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

ProcessIdentity currentProcess() {
  const std::int64_t id = ::getpid();
  return {hostName(), systemId(), id, startTicksOf(id).value_or(0)};
}

Liveness livenessOf(const ProcessIdentity& process) {
  if (process.processId == 0) return Liveness::Dead;
  if (process.host != hostName() || process.system != systemId()) return Liveness::Unknown;
  const auto ticks = startTicksOf(process.processId);
  return ticks && *ticks == process.startTicks ? Liveness::Alive : Liveness::Dead;
}

bool isDead(const ProcessIdentity& process, std::int64_t heartbeatMs, std::int64_t nowMs) {
  switch (livenessOf(process)) {
    case Liveness::Alive: return false;
    case Liveness::Dead: return true;
    case Liveness::Unknown: return nowMs - heartbeatMs > kSilenceMs;
  }
  return false;
}

}  // namespace batchwise
