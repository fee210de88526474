// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

#include "core/config/schema.h"

namespace batchwise::config {

/// Returns YAML with the version and the fields accepted by `wanted`, in schema order and nested in their groups, with
/// the text returned by `value`.
std::string fieldsToYaml(const std::function<bool(const Field&)>& wanted,
                         const std::function<std::string(const Field&)>& value);
/// Same, with the values of `config`.
std::string fieldsToYaml(const TrainConfig& config, const std::function<bool(const Field&)>& wanted);

}  // namespace batchwise::config
