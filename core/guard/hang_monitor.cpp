// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/hang_monitor.h"

#include <chrono>

#include "core/base/stall_detector.h"

namespace batchwise {
namespace {

constexpr std::chrono::seconds kPollInterval{1};

}  // namespace

void HangMonitor::enter(RunSection section) {
  const double now = clock_.monotonicSec();
  const MutexLock lock(mutex_);
  watch_.enter(section, now);
}

void HangMonitor::suspend() {
  const MutexLock lock(mutex_);
  watch_.suspend();
}

void HangMonitor::heartbeat() {
  const double now = clock_.monotonicSec();
  const MutexLock lock(mutex_);
  watch_.heartbeat(now);
}

void HangMonitor::poll() {
  std::optional<HangWatch::Overdue> overdue;
  {
    const double now = clock_.monotonicSec();
    const MutexLock lock(mutex_);
    overdue = watch_.check(now);
  }
  if (overdue) report_(*overdue);
}

void HangMonitor::start() {
  // Uses the system clock even if clock_ is another.
  pollThread_ = std::jthread(
      [this, since = SystemClock().monotonicSec()](const std::stop_token& stop) { pollLoop(stop, since); });
}

void HangMonitor::pollLoop(const std::stop_token& stop, double sinceSec) {
  const SystemClock real;
  StallDetector standstill(std::chrono::duration<double>(kPollInterval).count(), sinceSec);
  MutexLock lock(sleepMutex_);
  while (!wakeUp_.wait_for(lock, stop, kPollInterval, [&stop] { return stop.stop_requested(); })) {
    if (const double seconds = standstill.stalledSec(real.monotonicSec()); seconds > 0) excludeStall(seconds);
    poll();
    standstill.polled(real.monotonicSec());
  }
}

void HangMonitor::excludeStall(double seconds) {
  const double now = clock_.monotonicSec();
  const MutexLock lock(mutex_);
  watch_.excludeStall(seconds, now);
  if (watch_.section() == RunSection::Step) stalledInStepsSec_ += seconds;
}

double HangMonitor::stalledInStepsSec() {
  const MutexLock lock(mutex_);
  return stalledInStepsSec_;
}

}  // namespace batchwise
