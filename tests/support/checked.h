// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

#include "core/base/result.h"

namespace batchwise::test {

/// Returns the result; one without a value ends the test with its error and the place.
template <typename T>
Result<T> checked(Result<T> result, std::source_location place = std::source_location::current()) {
  if (result.ok()) return result;
  throw std::runtime_error(std::string(place.file_name()) + ":" + std::to_string(place.line()) + ": " +
                           result.error().text());
}

}  // namespace batchwise::test
