// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/hang_monitor.h"

#include <chrono>

#include "core/base/standstill.h"

namespace batchwise {
namespace {

constexpr std::chrono::seconds kBetweenLooks{1};

}  // namespace

void HangMonitor::enter(RunSection section) {
  const double now = clock_.monotonicSec();
  const MutexLock lock(mutex_);
  watch_.enter(section, now);
}

void HangMonitor::rest() {
  const MutexLock lock(mutex_);
  watch_.rest();
}

void HangMonitor::alive() {
  const double now = clock_.monotonicSec();
  const MutexLock lock(mutex_);
  watch_.alive(now);
}

void HangMonitor::look() {
  std::optional<HangWatch::Overdue> overdue;
  {
    const double now = clock_.monotonicSec();
    const MutexLock lock(mutex_);
    overdue = watch_.check(now);
  }
  if (overdue) report_(*overdue);
}

void HangMonitor::start() {
  // Of real time, whatever clock the watch goes by.
  looker_ = std::jthread(
      [this, since = SystemClock().monotonicSec()](const std::stop_token& stop) { keepLooking(stop, since); });
}

void HangMonitor::keepLooking(const std::stop_token& stop, double sinceSec) {
  const SystemClock real;
  Standstill standstill(std::chrono::duration<double>(kBetweenLooks).count(), sinceSec);
  MutexLock lock(sleepMutex_);
  while (!asleep_.wait_for(lock, stop, kBetweenLooks, [&stop] { return stop.stop_requested(); })) {
    if (const double seconds = standstill.woken(real.monotonicSec()); seconds > 0) stoodStill(seconds);
    look();
    standstill.looked(real.monotonicSec());
  }
}

void HangMonitor::stoodStill(double seconds) {
  const double now = clock_.monotonicSec();
  const MutexLock lock(mutex_);
  watch_.stoodStill(seconds, now);
  if (watch_.section() == RunSection::Step) stoodStillInStepsSec_ += seconds;
}

double HangMonitor::stoodStillInStepsSec() {
  const MutexLock lock(mutex_);
  return stoodStillInStepsSec_;
}

}  // namespace batchwise
