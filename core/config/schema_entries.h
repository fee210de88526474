// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/config/schema.h"
#include "core/config/yaml_value.h"

// What stands behind configSchema(): reading a field from a YAML node. Only for the files of this folder.

namespace batchwise::config {

/// What is wrong with a text beyond its type, as the end of a sentence that begins with it ("is none; known: cpu,
/// cuda"); empty if nothing is.
using FieldCheck = std::function<std::string(const std::string&)>;

/// Sets `field` of `config` from `node`. If anything is wrong the old value stays.
ValueProblems readField(const Field& field, TrainConfig& config, const YAML::Node& node);

/// The extra check of a text field, or null.
const FieldCheck* checkOf(const Field& field);

/// The keys that a part of a chain may have.
std::vector<std::string> partKeys();

/// "a, b, c".
std::string joinNames(const std::vector<std::string>& names);

}  // namespace batchwise::config
