// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/hang_monitor.h"

#include <chrono>

namespace batchwise {

void HangMonitor::enter(RunSection section) {
  const double now = clock_.monotonicSec();
  const std::scoped_lock lock(mutex_);
  watch_.enter(section, now);
}

void HangMonitor::rest() {
  const std::scoped_lock lock(mutex_);
  watch_.rest();
}

void HangMonitor::alive() {
  const double now = clock_.monotonicSec();
  const std::scoped_lock lock(mutex_);
  watch_.alive(now);
}

void HangMonitor::look() {
  std::optional<HangWatch::Overdue> overdue;
  {
    const double now = clock_.monotonicSec();
    const std::scoped_lock lock(mutex_);
    overdue = watch_.check(now);
  }
  if (overdue) report_(*overdue);
}

void HangMonitor::start() {
  looker_ = std::jthread([this](const std::stop_token& stop) { keepLooking(stop); });
}

void HangMonitor::keepLooking(const std::stop_token& stop) {
  std::unique_lock lock(sleepMutex_);
  while (!asleep_.wait_for(lock, stop, std::chrono::seconds(1), [&stop] { return stop.stop_requested(); })) look();
}

}  // namespace batchwise
