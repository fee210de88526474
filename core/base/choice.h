// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>

namespace batchwise {

/// Names of an enum's values in files and flags, in the order of the values: an enum with a specialization is a Choice.
template <class E>
inline constexpr int kChoiceNames = 0;
template <class... Names>
constexpr auto namesInFiles(Names... names) {
  return std::array<std::string_view, sizeof...(Names)>{names...};
}

template <class E>
concept Choice = !std::same_as<decltype(kChoiceNames<E>), const int>;

/// Returns the name of a value in files.
template <Choice E>
constexpr std::string_view choiceName(E value) {
  return kChoiceNames<E>[static_cast<std::size_t>(value)];
}

/// Returns the value of that name; nothing if there is none.
template <Choice E>
constexpr std::optional<E> choiceFromName(std::string_view name) {
  const auto found = std::ranges::find(kChoiceNames<E>, name);
  if (found == kChoiceNames<E>.end()) return std::nullopt;
  return static_cast<E>(found - kChoiceNames<E>.begin());
}

}  // namespace batchwise
