// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <type_traits>
#include <utility>

#include "core/base/result.h"

// How an error is handed on, in functions that return a Result or an Error. What is to be said or done besides is
// written out: `if (!x.ok()) return x.error().within(...)`.

namespace batchwise {

/// Whether a value of T may be dropped at once. Guards of locks and descriptors, which cannot be copied, are kept.
template <typename T>
struct MayBeDropped : std::is_copy_constructible<T> {};
template <>
struct MayBeDropped<void> : std::true_type {};
template <typename T>
consteval bool mayBeDropped(const Result<T>* /*type*/) {
  return MayBeDropped<T>::value;
}

}  // namespace batchwise

// NOLINTBEGIN(bugprone-macro-parentheses, cppcoreguidelines-macro-usage)
#define BATCHWISE_JOIN_NAMES(a, b) a##b
#define BATCHWISE_NAME_OF_LINE(name, line) BATCHWISE_JOIN_NAMES(name, line)

/// RETURN_IF_ERROR(close(file)): evaluates a Result and returns its error if it is one. Drops the value at once: a lock
/// that is to be held, or another value that cannot be copied, needs ASSIGN_OR_RETURN, and does not compile here.
#define RETURN_IF_ERROR(...)                                                                     \
  do {                                                                                           \
    auto batchwiseResult = (__VA_ARGS__);                                                        \
    static_assert(::batchwise::mayBeDropped(static_cast<decltype(batchwiseResult)*>(nullptr)),   \
                  "the value, perhaps a lock, would be dropped: keep it with ASSIGN_OR_RETURN"); \
    if (!batchwiseResult.ok()) return batchwiseResult.error();                                   \
  } while (false)

/// ASSIGN_OR_RETURN(const auto file, open(path)): declares the value of a Result, or returns its error.
#define ASSIGN_OR_RETURN(declaration, ...) \
  BATCHWISE_ASSIGN_OR_RETURN(BATCHWISE_NAME_OF_LINE(resultOfLine, __LINE__), declaration, __VA_ARGS__)
#define BATCHWISE_ASSIGN_OR_RETURN(result, declaration, ...) \
  auto result = (__VA_ARGS__);                               \
  if (!result.ok()) return result.error();                   \
  declaration = std::move(result).value()
// NOLINTEND(bugprone-macro-parentheses, cppcoreguidelines-macro-usage)
