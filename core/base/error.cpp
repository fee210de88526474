// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"

#include <cerrno>
#include <cstring>

namespace batchwise {

std::string_view errorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::Config: return "config";
    case ErrorCode::NotFound: return "not_found";
    case ErrorCode::Io: return "io";
    case ErrorCode::DiskFull: return "disk_full";
    case ErrorCode::Corrupt: return "corrupt";
    case ErrorCode::Unsupported: return "unsupported";
    case ErrorCode::OutOfMemory: return "out_of_memory";
    case ErrorCode::Device: return "device";
    case ErrorCode::NonFinite: return "non_finite";
    case ErrorCode::Busy: return "busy";
    case ErrorCode::Stopped: return "stopped";
    case ErrorCode::Internal: return "internal";
  }
  return "internal";
}

Error Error::fromErrno(int number, std::string_view what, std::string_view path) {
  ErrorCode code = ErrorCode::Io;
  if (number == ENOENT || number == ENOTDIR) code = ErrorCode::NotFound;
  if (number == ENOSPC || number == EDQUOT || number == EFBIG) code = ErrorCode::DiskFull;
  if (number == ENOMEM) code = ErrorCode::OutOfMemory;
  std::string message{what};
  message.append(" '").append(path).append("': ").append(std::strerror(number));
  return {code, std::move(message), {}};
}

Error Error::within(std::string_view where) const {
  Error outer = *this;
  outer.context = context.empty() ? std::string{where} : std::string{where} + ": " + context;
  return outer;
}

std::string Error::text() const { return context.empty() ? message : context + ": " + message; }

}  // namespace batchwise
