// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace batchwise::test {

/// The one table of cases where we answer otherwise than the peers (exceptions.json beside this file): by file and case
/// name, our answer in the form of the case's `expected` ({"error": "refused"} for a refusal) and the reason. Null if
/// the case is not in it.
const nlohmann::json* exceptionFor(std::string_view file, std::string_view name);

/// The whole table: {file: {name: {"answer", "reason"}}}.
const nlohmann::json& exceptionTable();

}  // namespace batchwise::test
