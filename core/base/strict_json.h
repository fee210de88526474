// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/result.h"

namespace batchwise {

/// Limits on a JSON text. The defaults suit all texts that we store: 1,000,000 values take about 100 MB.
struct JsonLimits {
  std::size_t depth = 16;          ///< nesting of objects and arrays
  std::size_t bytes = 16U << 20;   ///< of the text
  std::size_t values = 1'000'000;  ///< objects, arrays and their members
};

/// Parses untrusted JSON, checking the limits first. Fails with Corrupt.
Result<nlohmann::json> parseJson(std::string_view text, const JsonLimits& limits = {});

/// Like parseJson(), but returns a discarded value on error, for which is_object(), is_array() etc. are false.
nlohmann::json parseJsonOrDiscarded(std::string_view text, const JsonLimits& limits = {});

/// Like parseJson(), but also rejects duplicate keys in an object. Fails with Corrupt, naming the location.
Result<nlohmann::json> parseStrictJson(std::string_view text, const JsonLimits& limits);

}  // namespace batchwise
