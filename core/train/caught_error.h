// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

namespace batchwise {

/// Converts the exception being handled to an Error without a backtrace: OutOfMemory (see isOutOfMemory()), Device if
/// LibTorch or a kernel threw it, else Internal. Call inside a handler of std::exception.
Error caughtError(const std::string& context);

}  // namespace batchwise
