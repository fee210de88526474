// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"

#include <cerrno>
#include <cstring>

namespace batchwise {

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

std::string Error::text() const {
  return context.empty() ? message : context + ": " + message;
}

}  // namespace batchwise
