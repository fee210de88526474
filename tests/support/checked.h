// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stdexcept>
#include <string>

#include "core/base/result.h"

namespace batchwise::test {

/// Returns the result; one without a value ends the test with its error and the place.
template <typename R>
R checked(R result, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (result.ok()) return result;
  std::string text;
  if constexpr (requires { result.errorText(); })
    text = result.errorText();  // of a LoadedConfig
  else
    text = result.error().text();
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + text);
}

/// Returns the error of a result; one with a value ends the test with the place.
template <typename T>
Error refused(const Result<T>& result, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (!result.ok()) return result.error();
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": was not refused");
}

}  // namespace batchwise::test
