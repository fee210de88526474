// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mutex>

// Annotations for clang's thread safety analysis (-Wthread-safety, an error in the light preset), ignored by other
// compilers. Source: clang documentation, "Thread Safety Analysis".
#if defined(__clang__)
#define BATCHWISE_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define BATCHWISE_THREAD_ATTRIBUTE(attribute)
#endif

/// Member accessed only while `mutex` is held.
#define GUARDED_BY(mutex) BATCHWISE_THREAD_ATTRIBUTE(guarded_by(mutex))
/// Function, or predicate of a wait, that requires the mutex to be held.
#define REQUIRES(...) BATCHWISE_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))

// For lock types.
#define CAPABILITY(name) BATCHWISE_THREAD_ATTRIBUTE(capability(name))
#define SCOPED_CAPABILITY BATCHWISE_THREAD_ATTRIBUTE(scoped_lockable)
#define ACQUIRE(...) BATCHWISE_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) BATCHWISE_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))

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
