// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchwise {

/// Maximum N of cpu:N.
constexpr std::int64_t kMaxCpuDevices = 64;

/// Returns the error in a value of `devices.use`; empty if it is auto, cpu, cpu:N, cuda or cuda:I,J.
std::string checkDeviceNames(const std::string& text);

/// Returns the number of devices of a valid value: 1 for cpu, N for cpu:N, 2 for cuda:0,1. Empty for auto and cuda,
/// which depend on the machine.
std::optional<std::int64_t> namedDeviceCount(const std::string& text);

/// Returns the GPU indices of a valid value: 0 and 1 for cuda:0,1. Empty for the others.
std::vector<int> namedGpus(const std::string& text);

}  // namespace batchwise
