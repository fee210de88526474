// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace batchwise {

/// What kind of thing went wrong. Callers and tests look at the code, people read the message.
enum class ErrorCode {
  Config,       ///< a value that a person wrote (file, flag, form, expression) is not usable
  NotFound,     ///< a file, run, checkpoint or device that was named does not exist
  Io,           ///< the system refused to read or write
  DiskFull,     ///< no space left; freeing space and trying again will do
  Corrupt,      ///< data exists but fails its checks
  Unsupported,  ///< a newer format, or something this build or machine cannot do
  OutOfMemory,  ///< host or device memory
  Device,       ///< the accelerator or a collective failed
  NonFinite,    ///< a NaN or an infinity where there must be none
  Busy,         ///< somebody else holds it
  Stopped,      ///< a person or a signal asked to stop
  Internal,     ///< our own mistake
};

/// An error as a value. `message` names the thing, the value found and what would do, in one sentence without a final
/// period. `context` says where ("config.yaml:12", "checkpoint 7"); it may be empty.
struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;
  std::string context;

  static Error config(std::string message) { return {ErrorCode::Config, std::move(message), {}}; }
  static Error notFound(std::string message) { return {ErrorCode::NotFound, std::move(message), {}}; }
  static Error corrupt(std::string message) { return {ErrorCode::Corrupt, std::move(message), {}}; }
  static Error unsupported(std::string message) { return {ErrorCode::Unsupported, std::move(message), {}}; }
  static Error internal(std::string message) { return {ErrorCode::Internal, std::move(message), {}}; }

  /// Turns an errno value into Io, NotFound or DiskFull, with the system's words and `path` in the message.
  static Error fromErrno(int number, std::string_view what, std::string_view path);

  /// The same error with `where` put before the present context.
  Error within(std::string_view where) const;

  /// "context: message", for a terminal or a log.
  std::string text() const;
};

}  // namespace batchwise
