// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/base/choice.h"
#include "core/base/format.h"

namespace batchwise {

/// Category of an error. Code and tests compare it; people read the message.
enum class ErrorCode {
  Config,             ///< an invalid value from the user (file, flag, form, expression)
  NotFound,           ///< a named file, run, checkpoint or device does not exist
  Io,                 ///< a system call for reading or writing failed
  DiskFull,           ///< no space left; succeeds when retried after space is freed
  Corrupt,            ///< data exists but fails validation
  DamagedCheckpoint,  ///< a checkpoint to resume from fails validation, or holds numbers that are not finite
  Unsupported,        ///< a newer format, or a feature that this build or machine lacks
  OutOfMemory,        ///< host or device memory
  Device,             ///< the accelerator or a collective failed
  LostRank,           ///< another process of the run is gone or silent
  NonFinite,          ///< an unexpected NaN or infinity
  Busy,               ///< another process or thread holds the resource
  Stopped,            ///< a stop was requested by the user or a signal
  Internal,           ///< a bug in this program
};
template <>
inline constexpr auto kChoiceNames<ErrorCode> = namesInFiles("config", "not_found", "io", "disk_full", "corrupt",
                                                             "damaged_checkpoint", "unsupported", "out_of_memory",
                                                             "device", "lost_rank", "non_finite", "busy", "stopped",
                                                             "internal");

/// An error as a value. `message` names the object, the value found and a remedy, in one sentence without a final
/// period, for people. `context` gives the location ("config.yaml:12", "checkpoint 7"); it may be empty.
struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;
  std::string context;
  std::string field = {};  ///< of the configuration, which it is about ("batch.growth.every"); empty: none

  static Error config(std::string message) { return {ErrorCode::Config, std::move(message), {}}; }
  static Error config(std::string_view field, std::string problem) {
    return {ErrorCode::Config, std::move(problem), {}, std::string(field)};
  }
  static Error notFound(std::string message) { return {ErrorCode::NotFound, std::move(message), {}}; }
  static Error corrupt(std::string message) { return {ErrorCode::Corrupt, std::move(message), {}}; }
  static Error unsupported(std::string message) { return {ErrorCode::Unsupported, std::move(message), {}}; }
  static Error internal(std::string message) { return {ErrorCode::Internal, std::move(message), {}}; }

  /// Turns an errno value into Io, NotFound, DiskFull or OutOfMemory. `what` has a place for the path ("cannot read
  /// '{}'"); the system's reason follows it.
  static Error fromErrno(int number, TextPattern<1> what, std::string_view path);

  /// Returns the same error with `where` put before the present context.
  Error within(std::string where) const;
  /// Returns the same error as one of the field `where`; of the stage `where` ("stages[1]") if it has a field already.
  Error about(std::string_view where) const;

  /// Returns "context: field: message".
  std::string text() const;
};

/// A value of type T or an Error. Accessing the one that is absent is a bug and asserts.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }  // by value: a loop over *f() keeps what f() returned
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  T& value() & {
    assert(ok());
    return *std::get_if<0>(&content_);
  }
  const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&content_);
  }
  T&& value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&content_));
  }
  const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&content_);
  }

 private:
  std::variant<T, Error> content_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    assert(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

/// Whether a value of T may be dropped at once. Guards of locks and descriptors, which cannot be copied, are kept.
template <typename T>
struct MayBeDropped : std::is_copy_constructible<T> {};
template <>
struct MayBeDropped<void> : std::true_type {};
template <typename T>
consteval bool mayBeDropped(const Result<T>* /*type*/) {
  return MayBeDropped<T>::value;
}

/// Returns whether a retry may succeed, by itself or after the user acts: a full disk, a locked store.
inline bool isTransient(const Error& error) {
  return error.code == ErrorCode::DiskFull || error.code == ErrorCode::Busy;
}

/// Returns whether waiting cannot help: damaged data, tables changed by another program or of a newer version.
inline bool isPermanent(const Error& error) {
  return error.code == ErrorCode::Corrupt || error.code == ErrorCode::Unsupported || error.code == ErrorCode::Internal;
}

/// Calls `work`, which returns a Result, until it succeeds or fails permanently (see isTransient). Before each wait of
/// half a second calls `mayRetry` with the error; false ends the retries. Blocks the calling thread.
template <typename Work, typename MayRetry>
auto retryWhileTransient(const Work& work, const MayRetry& mayRetry) -> decltype(work()) {
  auto done = work();
  while (!done.ok() && isTransient(done.error()) && mayRetry(done.error())) {
    std::this_thread::sleep_for(std::chrono::milliseconds{500});
    done = work();
  }
  return done;
}

}  // namespace batchwise

// How an error is handed on, in functions that return a Result or an Error. What is to be said or done besides is
// written out: `if (!x.ok()) return x.error().within(...)`.

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
