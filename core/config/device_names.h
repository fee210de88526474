// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace batchwise {

/// What is wrong with a text for `devices.use`; empty if it is auto, cpu, cpu:N, cuda or cuda:I,J.
std::string checkDeviceNames(const std::string& text);

/// How many devices a valid text names: 1 for cpu, N for cpu:N, 2 for cuda:0,1. Empty for auto and cuda, where the
/// machine decides.
std::optional<std::int64_t> namedDeviceCount(const std::string& text);

}  // namespace batchwise
