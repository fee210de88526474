// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/memory_limit.h"

namespace batchwise {

MemoryLimit memoryLimit(std::optional<std::int64_t> configured, std::optional<std::int64_t> gpuBytes) {
  if (configured) return {MemoryLimit::Source::Config, *configured};
  if (gpuBytes) return {MemoryLimit::Source::Device, *gpuBytes};
  return {};
}

std::vector<MemoryLimit> forecastLimits(std::optional<std::int64_t> configured, std::optional<std::int64_t> hostBytes,
                                        std::int64_t devices) {
  std::vector<MemoryLimit> limits;
  if (configured) limits.push_back({MemoryLimit::Source::Config, *configured});
  if (hostBytes) limits.push_back({MemoryLimit::Source::Host, *hostBytes / devices});
  return limits;
}

}  // namespace batchwise
