// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/caught_error.h"

#include <c10/util/Exception.h>

#include <exception>
#include <new>

#include "core/base/texts.h"
#include "core/model/device_error.h"

namespace batchwise {

namespace {

Error withAdvice(Error error) {
  if (error.code == ErrorCode::Device && hasFailedGpu())
    error.message = followedByText(error.message,
                                   "a program cannot use a GPU after such an error: where this one goes on, close it "
                                   "and start it again before the next run");
  return error;
}

}  // namespace

Error caughtError(const std::string& context) try { throw; } catch (const KernelError& e) {
  return withAdvice(e.error().within(context));
} catch (const c10::Error& e) {
  return withAdvice(
      {isOutOfMemory(e) ? ErrorCode::OutOfMemory : ErrorCode::Device, e.what_without_backtrace(), context});
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::OutOfMemory, "the system has no memory left", context};
} catch (const std::exception& e) {
  return Error::internal(e.what()).within(context);
}

}  // namespace batchwise
