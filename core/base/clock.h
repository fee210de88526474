// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
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

class ManualClock final : public Clock {
 public:
  double monotonicSec() const override { return static_cast<double>(elapsedMs_.load()) / 1000.0; }
  std::int64_t wallMs() const override { return startMs_ + elapsedMs_.load(); }
  void advanceMs(std::int64_t ms) { elapsedMs_ += ms; }

 private:
  std::int64_t startMs_ = 1'700'000'000'000;
  std::atomic<std::int64_t> elapsedMs_{0};
};

}  // namespace batchwise
