// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mutex>

#include "core/base/thread_annotations.h"

namespace batchwise {

/// A std::mutex for clang's thread safety analysis; members name theirs with GUARDED_BY.
class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

/// Holds a Mutex until the end of the scope or unlock(). For waits, use std::condition_variable_any with a predicate
/// marked REQUIRES.
class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : lock_(mutex) {}
  ~MutexLock() RELEASE() {}

  void lock() ACQUIRE() { lock_.lock(); }
  void unlock() RELEASE() { lock_.unlock(); }

 private:
  std::unique_lock<Mutex> lock_;
};

}  // namespace batchwise
