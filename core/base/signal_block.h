// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <signal.h>

namespace batchwise {

/// Blocks the signals of the calling thread while it exists, faults of the program excepted. A thread that is started
/// meanwhile takes none in its whole life: Ctrl-C stays with the thread that waits for it, and does not end the
/// process.
class ScopedSignalBlock {
 public:
  ScopedSignalBlock() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&blocked, fault);
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~ScopedSignalBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  ScopedSignalBlock(const ScopedSignalBlock&) = delete;
  ScopedSignalBlock& operator=(const ScopedSignalBlock&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace batchwise
