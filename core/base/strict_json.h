// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/result.h"

namespace batchwise {

/// What a JSON text may ask for at most. The defaults suit every text that we store: 1,000,000 values take about 100
/// MB.
struct JsonLimits {
  std::size_t depth = 16;          ///< objects and arrays inside one another
  std::size_t bytes = 16U << 20;   ///< of the text
  std::size_t values = 1'000'000;  ///< objects, arrays and what they hold
};

/// JSON from a file that somebody else may have made: the limits are checked before it is parsed. Fails with Corrupt.
Result<nlohmann::json> parseJson(std::string_view text, const JsonLimits& limits = {});

/// The same; what is not allowed or no JSON gives a discarded value, which is no object, array or anything else.
nlohmann::json storedJson(std::string_view text, const JsonLimits& limits = {});

/// As parseJson(), and no name may be there twice in one object. Fails with Corrupt, saying where.
Result<nlohmann::json> parseStrictJson(std::string_view text, const JsonLimits& limits);

}  // namespace batchwise
