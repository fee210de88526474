// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchwise {

/// Source of time, injected so that tests can control it. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Returns seconds since an arbitrary start; never decreases. For durations.
  virtual double monotonicSec() const = 0;
  /// Returns milliseconds since 1970-01-01 UTC. For displayed timestamps; may jump.
  virtual std::int64_t wallMs() const = 0;
};

class SystemClock final : public Clock {
 public:
  double monotonicSec() const override;
  std::int64_t wallMs() const override;
};

/// Measures how long a polling thread could not run: its process was stopped (SIGSTOP, a suspended job, a closed
/// laptop) or the machine overloaded. Timeouts should not count that time. Pure; times in seconds of one clock.
class StallDetector {
 public:
  /// `pollIntervalSec`: the polling interval.
  StallDetector(double pollIntervalSec, double nowSec) : pollIntervalSec_(pollIntervalSec), polledSec_(nowSec) {}

  /// Returns how late this wake-up is; 0 for delays that are normal on a busy machine.
  double stalledSec(double nowSec) const {
    const double passed = nowSec - polledSec_;
    return passed > kMinStallSec ? passed - pollIntervalSec_ : 0.0;
  }
  /// Marks the end of a poll, which may have taken long itself.
  void polled(double nowSec) { polledSec_ = nowSec; }

 private:
  static constexpr double kMinStallSec = 5.0;

  const double pollIntervalSec_;
  double polledSec_;
};

}  // namespace batchwise
