// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

#include "core/config/schema.h"

namespace batchwise::config {

/// YAML with the version and the fields that `wanted` names, in schema order, each below the groups it stands in, with
/// the text that `value` has for it.
std::string fieldsToYaml(const std::function<bool(const Field&)>& wanted,
                         const std::function<std::string(const Field&)>& value);
/// With the values of `config`.
std::string fieldsToYaml(const TrainConfig& config, const std::function<bool(const Field&)>& wanted);

}  // namespace batchwise::config
