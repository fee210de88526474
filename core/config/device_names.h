// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchwise {

/// N of cpu:N is at most this.
constexpr std::int64_t kMostCpuDevices = 64;

/// What is wrong with a text for `devices.use`; empty if it is auto, cpu, cpu:N, cuda or cuda:I,J.
std::string checkDeviceNames(const std::string& text);

/// How many devices a valid text names: 1 for cpu, N for cpu:N, 2 for cuda:0,1. Empty for auto and cuda, where the
/// machine decides.
std::optional<std::int64_t> namedDeviceCount(const std::string& text);

/// The numbers of the GPUs that a valid text names: 0 and 1 for cuda:0,1. Empty for the others.
std::vector<int> namedGpus(const std::string& text);

}  // namespace batchwise
