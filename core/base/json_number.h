// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

// Numbers in JSON. NaN and infinities, which JSON cannot represent, become the strings "nan", "inf" and "-inf".

namespace batchwise {

/// Round-trips bit for bit, except for NaN payloads.
inline nlohmann::json jsonNumber(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

/// Returns nothing if `json` is not a number.
inline std::optional<double> numberFromJson(const nlohmann::json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

/// Returns nothing unless `json` is an integer of 64 bits; get<std::int64_t>() is undefined for larger numbers.
inline std::optional<std::int64_t> wholeNumberFromJson(const nlohmann::json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
    return std::nullopt;
  return json.get<std::int64_t>();
}

}  // namespace batchwise
