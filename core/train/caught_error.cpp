// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/caught_error.h"

#include <c10/util/Exception.h>

#include <exception>
#include <new>

#include "core/base/messages.h"
#include "core/model/device_error.h"
#include "core/train/messages.h"

namespace batchwise {

namespace {

Error withAdvice(Error error) {
  if (error.code == ErrorCode::Device && hasFailedGpu())
    error.message = messages::followedBy(error.message, messages::gpuFailed());
  return error;
}

}  // namespace

Error caughtError(const Message& context) try { throw; } catch (const KernelError& e) {
  return withAdvice(e.error().within(context));
} catch (const c10::Error& e) {
  return withAdvice(
      {isOutOfMemory(e) ? ErrorCode::OutOfMemory : ErrorCode::Device, e.what_without_backtrace(), context});
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::OutOfMemory, messages::systemOutOfMemory(), context};
} catch (const std::exception& e) {
  return Error::internal(e.what()).within(context);
}

}  // namespace batchwise
