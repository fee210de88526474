// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace batchwise {

/// Returns the texts that `textOf` gives for the items, with `separator` between them: "a, b".
template <typename Items, typename TextOf = std::identity>
std::string joined(const Items& items, std::string_view separator = ", ", const TextOf& textOf = {}) {
  std::string text;
  bool isFirst = true;
  for (const auto& item : items) {
    if (!isFirst) text += separator;
    text += std::invoke(textOf, item);
    isFirst = false;
  }
  return text;
}

/// Returns the number that the whole text is; nothing if it is none or out of range.
template <typename Number>
std::optional<Number> numberFrom(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Returns the number that is stored under `name`; nothing if there is none.
template <typename Number = double>
std::optional<Number> numberNamed(const std::map<std::string, std::string>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : numberFrom<Number>(found->second);
}

}  // namespace batchwise
