// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/format.h"

// Texts that are raised in several places.

namespace batchwise {

inline std::string checkpointContextText(const auto& id) {
  return formatText("checkpoint {}", id);
}
inline std::string followedByText(const auto& first, const auto& second) {
  return formatText("{}; {}", first, second);
}
inline std::string inContextText(const auto& where, const auto& message) {
  return formatText("{}: {}", where, message);
}
inline std::string listItemsText(const auto& first, const auto& second) {
  return formatText("{}, {}", first, second);
}
inline constexpr const char* kListNoun = "a list";
inline std::string notPlainFileText(const auto& path) {
  return formatText("'{}' is not a plain file", path);
}
inline constexpr const char* kNumberNoun = "a number";
inline constexpr const char* kObjectNoun = "an object";
inline constexpr const char* kTextNoun = "a text";
inline constexpr const char* kUnitPerStep = "per step";
inline constexpr const char* kUnitSamples = "samples";
inline constexpr const char* kUnitTokens = "tokens";

}  // namespace batchwise
