// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

namespace batchwise {

/// Converts the exception being handled to an Error without a backtrace: OutOfMemory or Device if LibTorch threw it,
/// OutOfMemory for std::bad_alloc, else Internal. Call inside a handler of std::exception.
Error caughtError(const Message& context);

}  // namespace batchwise
