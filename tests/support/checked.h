// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stdexcept>
#include <string>

#include "core/base/result.h"

namespace batchwise::test {

/// Returns the result; one without a value ends the test with its error and the place.
template <typename T>
Result<T> checked(Result<T> result, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (result.ok()) return result;
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + result.error().text());
}

}  // namespace batchwise::test
