// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace batchwise {

/// Memory that the tensors of one device may take, and what sets the limit.
struct MemoryLimit {
  enum class Source {
    None,    ///< a processor without devices.memory_limit
    Config,  ///< devices.memory_limit
    Device,  ///< a GPU: what is free on it or already ours
    Host,    ///< what the machine, or the control group of this process, has available (core/base/machine.h)
  };
  Source source = Source::None;
  std::int64_t bytes = 0;  ///< per device; 0 without a limit
};

/// Returns the limit of a run on a device: `configured` (devices.memory_limit) if given, else `gpuBytes`, which a
/// processor does not have. Pure.
MemoryLimit memoryLimit(std::optional<std::int64_t> configured, std::optional<std::int64_t> gpuBytes);

/// Returns the limits that a forecast must stay within before a device is opened: `configured`, then `hostBytes`,
/// shared by the `devices`. `hostBytes`: nothing on GPUs and if unknown. Pure.
std::vector<MemoryLimit> forecastLimits(std::optional<std::int64_t> configured, std::optional<std::int64_t> hostBytes,
                                        std::int64_t devices);

}  // namespace batchwise
