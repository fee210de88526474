// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/clock.h"

namespace batchwise {

/// A clock that stands still until it is advanced. Thread-safe.
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
