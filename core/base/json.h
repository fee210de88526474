// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
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

/// Returns `json` as text on one line. Bytes that are not UTF-8 are replaced by U+FFFD.
std::string jsonText(const nlohmann::json& json);

/// Like parseJson(), but also rejects duplicate keys in an object. Fails with Corrupt, naming the location.
Result<nlohmann::json> parseStrictJson(std::string_view text, const JsonLimits& limits);

// Numbers in JSON. NaN and infinities, which JSON cannot represent, become the strings "nan", "inf" and "-inf".

/// Round-trips bit for bit, except for NaN payloads.
nlohmann::json jsonNumber(double value);
/// Returns nothing if `json` is not a number.
std::optional<double> numberFromJson(const nlohmann::json& json);
/// Returns nothing unless `json` is an integer of 64 bits; get<std::int64_t>() is undefined for larger numbers.
std::optional<std::int64_t> wholeNumberFromJson(const nlohmann::json& json);

}  // namespace batchwise
