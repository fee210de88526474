// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/config/schema.h"
#include "core/config/yaml_value.h"

// Implementation of configSchema(): reading a field from a YAML node. Private to this folder.

namespace batchwise::config {

/// Returns the error in a text beyond its type, as the end of a sentence that begins with it ("is none; known: cpu,
/// cuda"); empty if valid.
using FieldCheck = std::function<Message(const std::string&)>;

/// Sets `field` of `config` from `node`. On error the old value stays.
ValueProblems readField(const Field& field, TrainConfig& config, const YAML::Node& node);

/// Returns the additional check of a text field, or null.
const FieldCheck* checkOf(const Field& field);

/// Returns the allowed keys of a part of a chain.
std::vector<std::string> partKeys();

std::string joinNames(const std::vector<std::string>& names);

}  // namespace batchwise::config
