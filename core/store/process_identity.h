// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace batchwise {

/// Which machine this is. Names of hosts repeat (containers, images, laptops called "localhost"); ids of machines
/// repeat where one image was installed on many; the id of a boot is drawn anew at each start of a kernel.
struct MachineIdentity {
  std::string host;     ///< its name, for people
  std::string machine;  ///< a hash of /etc/machine-id (man 5 machine-id: not to be shown as it is); empty without one
  std::string boot;     ///< boot id of the kernel; empty if it cannot be read
  bool operator==(const MachineIdentity&) const = default;
};

/// The machine that this process runs on.
MachineIdentity currentMachine();

/// True if both are one machine: the same boot, containers included, which share a kernel and with it what is mapped
/// and locked; or the same machine id under the same name, as after a restart. Of two that know nothing but their name
/// the name decides.
bool isSameMachine(const MachineIdentity& one, const MachineIdentity& other);

/// As a file holds it: three lines. Text of one line is a name alone, as early versions wrote it.
std::string machineText(const MachineIdentity& machine);
MachineIdentity machineFromText(std::string_view text);

/// Who writes a run: enough to tell later whether that process still lives. A process id alone is used again by others;
/// with the time it started and the boot it belongs to it is not.
struct ProcessIdentity {
  std::string host;             ///< for people; `system` decides
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
  Unknown,  ///< of another machine, boot or container: only its heartbeat can tell
};
Liveness livenessOf(const ProcessIdentity& process);

/// True if a writer with a last sign of life at `heartbeatMs` is to be taken for dead at `nowMs`: its process is gone,
/// or it cannot be seen from here and has been silent for 2 minutes.
bool isDead(const ProcessIdentity& process, std::int64_t heartbeatMs, std::int64_t nowMs);

}  // namespace batchwise
