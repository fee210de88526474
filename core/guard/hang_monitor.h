// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <functional>
#include <thread>

#include "core/base/clock.h"
#include "core/base/mutex.h"
#include "core/guard/hang_watch.h"

namespace batchwise {

/// A thread-safe HangWatch, updated by the training thread and polled by another thread.
class HangMonitor {
 public:
  /// Called with each overdue section on the thread that calls poll(). Must not wait for the training thread.
  using Report = std::function<void(const HangWatch::Overdue&)>;

  HangMonitor(HangWatch watch, const Clock& clock, Report report)
      : clock_(clock), report_(std::move(report)), watch_(std::move(watch)) {}
  HangMonitor(const HangMonitor&) = delete;
  HangMonitor& operator=(const HangMonitor&) = delete;

  // Called by the training thread; see HangWatch.
  void enter(RunSection section);
  void suspend();
  void heartbeat();

  /// Returns the total stalled time of the process during steps since start(), not training time. Thread-safe.
  double stalledInStepsSec();

  /// Reports an overdue section. One thread at a time.
  void poll();
  /// Polls about once a second on its own thread until destruction. Excludes time in which that thread could not run
  /// either (stopped process, overloaded machine).
  void start();

 private:
  void pollLoop(const std::stop_token& stop, double sinceSec);
  void excludeStall(double seconds);

  const Clock& clock_;
  const Report report_;
  Mutex mutex_;
  HangWatch watch_ GUARDED_BY(mutex_);
  double stalledInStepsSec_ GUARDED_BY(mutex_) = 0;
  Mutex sleepMutex_;  // for wakeUp_ only
  std::condition_variable_any wakeUp_;
  std::jthread pollThread_;  // last member: destroyed first
};

}  // namespace batchwise
