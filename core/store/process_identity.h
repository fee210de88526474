// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace batchwise {

/// Who writes a run: enough to tell later whether that process still lives. A process id alone is used again by others;
/// with the time it started and the boot it belongs to it is not.
struct ProcessIdentity {
  std::string host;
  std::string system;           ///< boot id and process-id namespace: process ids compare only within one
  std::int64_t processId = 0;   ///< 0: nobody any more
  std::int64_t startTicks = 0;  ///< field 22 of /proc/PID/stat (man 5 proc)
  bool operator==(const ProcessIdentity&) const = default;
};

/// This process.
ProcessIdentity currentProcess();

enum class Liveness {
  Alive,
  Dead,
  Unknown,  ///< of another host, boot or container: only its heartbeat can tell
};
Liveness livenessOf(const ProcessIdentity& process);

/// True if a writer with a last sign of life at `heartbeatMs` is to be taken for dead at `nowMs`: its process is gone,
/// or it cannot be seen from here and has been silent for 2 minutes.
bool isDead(const ProcessIdentity& process, std::int64_t heartbeatMs, std::int64_t nowMs);

}  // namespace batchwise
