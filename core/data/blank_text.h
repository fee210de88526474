// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <string_view>

namespace batchwise {

/// Whether a character is ASCII white space or NUL (which readers drop). Lines of such characters separate documents.
constexpr bool isBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}
inline bool isBlank(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return isBlank(c); });
}

}  // namespace batchwise
