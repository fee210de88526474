// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/stop_signals.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace batchwise::cli {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr int kWakeSignal = SIGUSR2;                    // sent by the destructor to wake the thread
constexpr std::chrono::seconds kRepeatedSignalTime{1};  // signals that belong to one request

bool isIgnored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

StopSignals::StopSignals(std::function<void(int)> onRequest) : onRequest_(std::move(onRequest)) {
  sigemptyset(&watched_);
  for (const int number : {SIGINT, SIGTERM, SIGUSR1, kWakeSignal}) sigaddset(&watched_, number);
  if (!isIgnored(SIGHUP)) sigaddset(&watched_, SIGHUP);
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
  std::optional<SteadyTime> requested;
  for (int count = 0;;) {
    siginfo_t info;
    int number = -1;
    while (number < 0) number = sigwaitinfo(&watched_, &info);
    if (number == kWakeSignal && leaving_) return;
    if (number == kWakeSignal) continue;  // sent by another process: ignored
    // Slurm sends SIGUSR1 some time before it ends a job with SIGTERM: that is not a second request.
    if (number != SIGUSR1) {
      if (requested && std::chrono::steady_clock::now() - *requested < kRepeatedSignalTime) continue;
      if (++count == 3) _exit(128 + number);
    }
    onRequest_(std::max(count, 1));
    if (number != SIGUSR1) requested = std::chrono::steady_clock::now();
  }
}

}  // namespace batchwise::cli
