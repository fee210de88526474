// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/result.h"

#include <cerrno>
#include <cstring>

#include "core/base/messages.h"

namespace batchwise {
namespace {

struct SystemReason {
  int number;
  MessageTemplate<0> text;
};

constexpr SystemReason kSystemReasons[] = {
    {ENOENT, messages::systemNoSuchFile},    {EACCES, messages::systemPermissionDenied},
    {ENOSPC, messages::systemNoSpace},       {EISDIR, messages::systemIsDirectory},
    {ENOTDIR, messages::systemNotDirectory}, {EROFS, messages::systemReadOnly},
    {EIO, messages::systemInputOutput},      {ENOMEM, messages::systemNoMemory},
    {EEXIST, messages::systemFileExists},    {EDQUOT, messages::systemQuotaExceeded},
    {EFBIG, messages::systemFileTooLarge},   {EMFILE, messages::systemTooManyOpenFiles},
    {ELOOP, messages::systemTooManyLinks}};

/// Returns the system's text for an errno value.
Message systemReason(int number) {
  for (const SystemReason& reason : kSystemReasons)
    if (reason.number == number) return reason.text();
  return std::strerror(number);
}

}  // namespace

Error Error::config(std::string_view field, Message problem) {
  return config(messages::inContext(field, std::move(problem)));
}

Error Error::fromErrno(int number, const MessageTemplate<2>& what, std::string_view path) {
  ErrorCode code = ErrorCode::Io;
  if (number == ENOENT || number == ENOTDIR) code = ErrorCode::NotFound;
  if (number == ENOSPC || number == EDQUOT || number == EFBIG) code = ErrorCode::DiskFull;
  if (number == ENOMEM) code = ErrorCode::OutOfMemory;
  return {code, what(path, systemReason(number)), {}};
}

Error Error::within(Message where) const {
  Error outer = *this;
  outer.context = context.empty() ? std::move(where) : messages::inContext(std::move(where), context);
  return outer;
}

Message Error::full() const {
  return context.empty() ? message : messages::inContext(context, message);
}

}  // namespace batchwise
