// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <thread>

#include "core/base/error.h"

namespace batchwise {

/// True of what may be over at the next try, by itself or by a person's hand: a full disk, a store that another program
/// holds.
inline bool mayPass(const Error& error) {
  return error.code == ErrorCode::DiskFull || error.code == ErrorCode::Busy;
}

/// True of what no waiting mends: damaged data, tables that another program changed or that are of a newer version.
inline bool isPermanent(const Error& error) {
  return error.code == ErrorCode::Corrupt || error.code == ErrorCode::Unsupported || error.code == ErrorCode::Internal;
}

/// Does `work`, which gives a Result, again and again while its trouble may pass. Before each wait of half a second
/// `mayWait` is asked with the trouble, which it can tell; false: no more tries. Blocks its thread.
template <typename Work, typename MayWait>
auto untilPossible(const Work& work, const MayWait& mayWait) -> decltype(work()) {
  auto done = work();
  while (!done.ok() && mayPass(done.error()) && mayWait(done.error())) {
    std::this_thread::sleep_for(std::chrono::milliseconds{500});
    done = work();
  }
  return done;
}

}  // namespace batchwise
