// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/error.h"

namespace batchwise {

/// The exception that is being handled, as an error without a backtrace: OutOfMemory or Device if LibTorch threw it,
/// OutOfMemory if the system has none left, else Internal. To be called where a
/// std::exception is caught.
Error caughtError(const std::string& context);

}  // namespace batchwise
