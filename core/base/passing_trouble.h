// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

namespace batchwise {

/// True of what may be over at the next try, by itself or by a person's hand: a full disk, a store that another program
/// holds.
inline bool mayPass(const Error& error) {
  return error.code == ErrorCode::DiskFull || error.code == ErrorCode::Busy;
}

}  // namespace batchwise
