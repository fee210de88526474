// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace batchwise {

/// What the machine is, as far as a person who looks for a fault wants to know. Empty or 0 where the system does not
/// tell.
struct MachineInfo {
  std::string processor;   ///< "AMD EPYC 9654"
  std::int64_t cores = 0;  ///< that this process may use
  std::int64_t memoryBytes = 0;
  std::optional<std::int64_t> availableMemoryBytes;  ///< see availableMemory()
  std::string system;                                ///< "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;                                ///< "Linux 6.1.0"
  std::string gpuDriver;  ///< first line of the NVIDIA kernel module's version; empty: none is loaded
  std::int64_t gpus = 0;  ///< that the NVIDIA driver shows
};

/// Reads it from /proc, /etc and the system. Any thread.
MachineInfo machineInfo();

/// Bytes that this process may still take: what the kernel calls available, or less where a control group (v1 or v2)
/// that it is in, or one around that, has a limit; pages of files that the kernel would drop count as free there too.
/// 0: none; empty: the system does not tell. `root`: the folder with proc and sys. Any thread.
std::optional<std::int64_t> availableMemory(const std::filesystem::path& root = "/");

}  // namespace batchwise
