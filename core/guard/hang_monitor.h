// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <functional>
#include <thread>

#include "core/base/clock.h"
#include "core/base/mutex.h"
#include "core/guard/hang_watch.h"

namespace batchwise {

/// A HangWatch that the training thread tells where it is, and that another thread looks at.
class HangMonitor {
 public:
  /// Told of everything overdue, from the thread that calls look(). Must not wait for the training thread.
  using Report = std::function<void(const HangWatch::Overdue&)>;

  HangMonitor(HangWatch watch, const Clock& clock, Report report)
      : clock_(clock), report_(std::move(report)), watch_(std::move(watch)) {}
  HangMonitor(const HangMonitor&) = delete;
  HangMonitor& operator=(const HangMonitor&) = delete;

  // Of the training thread.
  void enter(RunSection section);
  void rest();
  void alive();

  /// For how long, all in all, the process has stood still during steps since start(): no time of training. Any thread.
  double stoodStillInStepsSec();

  /// Reports what is overdue now. Any one thread.
  void look();
  /// Looks about once a second from a thread of its own, until this object goes. Time in which that thread could not
  /// run either, because the process was stopped or the machine too busy for anything, counts for nothing.
  void start();

 private:
  void keepLooking(const std::stop_token& stop, double sinceSec);
  void stoodStill(double seconds);

  const Clock& clock_;
  const Report report_;
  Mutex mutex_;
  HangWatch watch_ GUARDED_BY(mutex_);
  double stoodStillInStepsSec_ GUARDED_BY(mutex_) = 0;
  Mutex sleepMutex_;  // for asleep_ only
  std::condition_variable_any asleep_;
  std::jthread looker_;  // last: ends first
};

}  // namespace batchwise
