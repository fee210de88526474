// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace batchwise::test {

/// Returns our answer for a case in which we intentionally differ from the peers (exceptions.json beside this file), in
/// the form of the case's `expected`: {"error": "refused"} for a refusal. Null if the case is not listed.
const nlohmann::json* exceptionFor(std::string_view file, std::string_view name);

/// Returns the whole table: {file: {name: {"answer", "reason"}}}.
const nlohmann::json& exceptionTable();

}  // namespace batchwise::test
