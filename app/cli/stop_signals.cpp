// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/stop_signals.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace batchwise::cli {
namespace {

constexpr int kWakeSignal = SIGUSR2;  // sent by the destructor to wake the thread

}  // namespace

StopSignals::StopSignals(std::function<void(int)> onSignal) : onSignal_(std::move(onSignal)) {
  sigemptyset(&watched_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, kWakeSignal}) sigaddset(&watched_, number);
  pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  signal(SIGPIPE, SIG_IGN);  // a closed reader of the output must not end a run
  thread_ = std::thread([this] { watch(); });
}

StopSignals::~StopSignals() {
  leaving_ = true;
  pthread_kill(thread_.native_handle(), kWakeSignal);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopSignals::watch() {
  for (int count = 0;;) {
    siginfo_t info;
    int number = -1;
    while (number < 0) number = sigwaitinfo(&watched_, &info);
    if (number == kWakeSignal && leaving_) return;
    if (number == kWakeSignal) continue;  // sent by another process: ignored
    // Slurm sends SIGUSR1 some time before it ends a job with SIGTERM: that is not a second request.
    if (number != SIGUSR1) ++count;
    if (count == 3) _exit(128 + number);
    onSignal_(std::max(count, 1));
  }
}

}  // namespace batchwise::cli
