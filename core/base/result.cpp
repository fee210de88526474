// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/result.h"

#include <cerrno>
#include <cstring>

#include "core/base/format.h"

namespace batchwise {

Error Error::fromErrno(int number, TextPattern<1> what, std::string_view path) {
  ErrorCode code = ErrorCode::Io;
  if (number == ENOENT || number == ENOTDIR) code = ErrorCode::NotFound;
  if (number == ENOSPC || number == EDQUOT || number == EFBIG) code = ErrorCode::DiskFull;
  if (number == ENOMEM) code = ErrorCode::OutOfMemory;
  return {code, inContextText(filledText(what.text(), {std::string(path)}), std::strerror(number)), {}};
}

Error Error::within(std::string where) const {
  Error outer = *this;
  outer.context = context.empty() ? std::move(where) : inContextText(std::move(where), context);
  return outer;
}

Error Error::about(std::string_view where) const {
  Error of = *this;
  of.field = field.empty() ? std::string(where) : formatText("{}.{}", where, field);
  if (!context.empty()) of.message = inContextText(context, message);
  of.context.clear();
  return of;
}

std::string Error::text() const {
  const std::string problem = field.empty() ? message : inContextText(field, message);
  return context.empty() ? problem : inContextText(context, problem);
}

}  // namespace batchwise
