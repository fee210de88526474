// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/result.h"

namespace batchwise {

/// JSON from a file of unknown origin: no name twice in one object, nested at most `deepest` deep, UTF-8, nothing after
/// it. Fails with Corrupt, saying where. Internal to exchange.
Result<nlohmann::json> parseStrictJson(std::string_view text, int deepest);

}  // namespace batchwise
