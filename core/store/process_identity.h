// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace batchwise {

/// Identifies a machine. Host names repeat (containers, images, laptops called "localhost"), and machine ids repeat
/// where one image was installed several times; a boot id is new at each start of a kernel.
struct MachineIdentity {
  std::string host;     ///< host name, for display
  std::string machine;  ///< hash of /etc/machine-id, which is confidential (man 5 machine-id); empty if there is none
  std::string boot;     ///< boot id of the kernel; empty if it cannot be read
  bool operator==(const MachineIdentity&) const = default;
};

MachineIdentity currentMachine();

/// Returns true for the same boot (also across containers, which share a kernel and so its mappings and locks), or for
/// the same machine id and host name, as after a restart.
bool isSameMachine(const MachineIdentity& one, const MachineIdentity& other);

/// Converts from and to the content of a file: three lines.
std::string machineText(const MachineIdentity& machine);
MachineIdentity machineFromText(std::string_view text);

/// Identifies a process uniquely: process ids are reused, but not with the same start time in the same boot.
struct ProcessIdentity {
  std::string host;             ///< for display; `system` decides
  std::string system;           ///< boot id and process-id namespace: process ids are comparable only within one
  std::int64_t processId = 0;   ///< 0: no process
  std::int64_t startTicks = 0;  ///< field 22 of /proc/PID/stat (man 5 proc)
  bool operator==(const ProcessIdentity&) const = default;
};

ProcessIdentity currentProcess();

enum class Liveness {
  Alive,
  Dead,
  Unknown,  ///< on another machine, boot or container
};
Liveness livenessOf(const ProcessIdentity& process);

}  // namespace batchwise
