// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/base/message.h"

namespace batchwise {

/// Category of an error. Code and tests compare it; people read the message.
enum class ErrorCode {
  Config,       ///< an invalid value from the user (file, flag, form, expression)
  NotFound,     ///< a named file, run, checkpoint or device does not exist
  Io,           ///< a system call for reading or writing failed
  DiskFull,     ///< no space left; succeeds when retried after space is freed
  Corrupt,      ///< data exists but fails validation
  Unsupported,  ///< a newer format, or a feature that this build or machine lacks
  OutOfMemory,  ///< host or device memory
  Device,       ///< the accelerator or a collective failed
  NonFinite,    ///< an unexpected NaN or infinity
  Busy,         ///< another process or thread holds the resource
  Stopped,      ///< a stop was requested by the user or a signal
  Internal,     ///< a bug in this program
};

/// An error as a value. `message` names the object, the value found and a remedy, in one sentence without a final
/// period. `context` gives the location ("config.yaml:12", "checkpoint 7"); it may be empty.
struct Error {
  ErrorCode code = ErrorCode::Internal;
  Message message;
  Message context;

  static Error config(Message message) { return {ErrorCode::Config, std::move(message), {}}; }
  static Error notFound(Message message) { return {ErrorCode::NotFound, std::move(message), {}}; }
  static Error corrupt(Message message) { return {ErrorCode::Corrupt, std::move(message), {}}; }
  static Error unsupported(Message message) { return {ErrorCode::Unsupported, std::move(message), {}}; }
  static Error internal(Message message) { return {ErrorCode::Internal, std::move(message), {}}; }

  /// Turns an errno value into Io, NotFound, DiskFull or OutOfMemory, with `path` and the system's reason in the places
  /// of `what` (messages::cannotRead).
  static Error fromErrno(int number, const MessageTemplate<2>& what, std::string_view path);

  /// Returns the same error with `where` put before the present context.
  Error within(Message where) const;

  /// Returns "context: message" as one message.
  Message full() const;
  /// Returns the text of full(), for a terminal or a log.
  std::string text() const { return full().text(); }
};

}  // namespace batchwise
