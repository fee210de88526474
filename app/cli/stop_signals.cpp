// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/stop_signals.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace batchwise::cli {
namespace {

constexpr int kEndOfWatch = SIGUSR2;  // our own, to wake the watching thread

}  // namespace

StopSignals::StopSignals(std::function<void(int)> onSignal) : onSignal_(std::move(onSignal)) {
  sigemptyset(&watched_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, kEndOfWatch}) sigaddset(&watched_, number);
  pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  signal(SIGPIPE, SIG_IGN);  // a reader of the output that goes away must not end a run
  thread_ = std::thread([this] { watch(); });
}

StopSignals::~StopSignals() {
  leaving_ = true;
  pthread_kill(thread_.native_handle(), kEndOfWatch);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopSignals::watch() {
  for (int count = 0;;) {
    siginfo_t info;
    int number = -1;
    while (number < 0) number = sigwaitinfo(&watched_, &info);
    if (number == kEndOfWatch && leaving_) return;
    if (number == kEndOfWatch) continue;  // from outside: it says nothing
    // A cluster warns with SIGUSR1 some time before it ends a job with SIGTERM: that is no second wish.
    if (number != SIGUSR1) ++count;
    if (count == 3) _exit(128 + number);
    onSignal_(std::max(count, 1));
  }
}

}  // namespace batchwise::cli
