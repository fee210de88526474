// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <thread>

#include "core/base/result.h"

namespace batchwise {

/// Returns whether a retry may succeed, by itself or after the user acts: a full disk, a locked store.
inline bool isTransient(const Error& error) {
  return error.code == ErrorCode::DiskFull || error.code == ErrorCode::Busy;
}

/// Returns whether waiting cannot help: damaged data, tables changed by another program or of a newer version.
inline bool isPermanent(const Error& error) {
  return error.code == ErrorCode::Corrupt || error.code == ErrorCode::Unsupported || error.code == ErrorCode::Internal;
}

/// Calls `work`, which returns a Result, until it succeeds or fails permanently (see isTransient). Before each wait of
/// half a second calls `mayRetry` with the error; false ends the retries. Blocks the calling thread.
template <typename Work, typename MayRetry>
auto retryWhileTransient(const Work& work, const MayRetry& mayRetry) -> decltype(work()) {
  auto done = work();
  while (!done.ok() && isTransient(done.error()) && mayRetry(done.error())) {
    std::this_thread::sleep_for(std::chrono::milliseconds{500});
    done = work();
  }
  return done;
}

}  // namespace batchwise
