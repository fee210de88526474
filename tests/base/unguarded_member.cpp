// SPDX-License-Identifier: GPL-3.0-or-later
// Not part of any program: the test thread_safety_test compiles it with clang and expects its errors.
#include "core/base/mutex.h"

namespace batchwise {

class Unguarded {
 public:
  void addWithoutLock() { ++count_; }
  void addAfterUnlock() {
    MutexLock lock(mutex_);
    lock.unlock();
    addLocked();
  }

 private:
  void addLocked() REQUIRES(mutex_) { ++count_; }

  Mutex mutex_;
  int count_ GUARDED_BY(mutex_) = 0;
};

}  // namespace batchwise
