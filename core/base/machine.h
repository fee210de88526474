// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace batchwise {

/// Hardware and system of this machine, for diagnostics. Fields that the system does not report are empty or 0.
struct MachineInfo {
  std::string processor;   ///< "AMD EPYC 9654"
  std::int64_t cores = 0;  ///< usable by this process
  std::int64_t memoryBytes = 0;
  std::optional<std::int64_t> availableMemoryBytes;  ///< see availableMemory()
  std::string system;                                ///< "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;                                ///< "Linux 6.1.0"
  std::string gpuDriver;  ///< first line of the NVIDIA kernel module's version; empty if none is loaded
  std::int64_t gpus = 0;  ///< reported by the NVIDIA driver
};

/// Reads /proc, /etc and system calls. Thread-safe.
MachineInfo machineInfo();

/// Returns the version in MachineInfo::gpuDriver, as "580.65.06"; empty if it names none. Pure.
std::string gpuDriverVersion(const std::string& gpuDriver);

/// Returns the bytes that this process may still allocate: the kernel's MemAvailable, or less if its control group (v1
/// or v2) or a parent of it has a limit. Reclaimable page cache counts as free. Returns nothing if unknown. `root`: the
/// folder that contains proc and sys. Thread-safe.
std::optional<std::int64_t> availableMemory(const std::filesystem::path& root = "/");

}  // namespace batchwise
