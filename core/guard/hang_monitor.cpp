// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/hang_monitor.h"

#include <chrono>

namespace batchwise {
namespace {

constexpr std::chrono::seconds kBetweenLooks{1};
constexpr std::chrono::seconds kStoodStill{5};  // without a look of our own

}  // namespace

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
  looker_ = std::jthread(
      [this, now = std::chrono::steady_clock::now()](const std::stop_token& stop) { keepLooking(stop, now); });
}

void HangMonitor::keepLooking(const std::stop_token& stop, std::chrono::steady_clock::time_point looked) {
  using SteadyClock = std::chrono::steady_clock;
  std::unique_lock lock(sleepMutex_);
  while (!asleep_.wait_for(lock, stop, kBetweenLooks, [&stop] { return stop.stop_requested(); })) {
    const auto passed = SteadyClock::now() - looked;
    if (passed > kStoodStill) stoodStill(std::chrono::duration<double>(passed - kBetweenLooks).count());
    look();
    looked = SteadyClock::now();  // a report may take its time
  }
}

void HangMonitor::stoodStill(double seconds) {
  const double now = clock_.monotonicSec();
  const std::scoped_lock lock(mutex_);
  watch_.stoodStill(seconds, now);
  if (watch_.section() == RunSection::Step) stoodStillInStepsSec_ += seconds;
}

double HangMonitor::stoodStillInStepsSec() {
  const std::scoped_lock lock(mutex_);
  return stoodStillInStepsSec_;
}

}  // namespace batchwise
