// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace batchwise {

/// The peak memory of training on a device, excluding copies of the weights that exist at the same time. Sampled from
/// the device's peak, which only grows: a step below the peak is not measured. So the result may be too small by the
/// size of such a copy, never by more. Not thread-safe.
class StepPeakMemory {
 public:
  /// Call after training. `peak`: the device's peak bytes so far; `beside`: bytes of copies now.
  void sample(std::int64_t peak, std::int64_t beside) {
    // A copy that is gone by now existed for part of the time.
    if (peak > seen_) bytes_ = std::max(bytes_, peak - std::max(beside, beside_));
    skip(peak, beside);
  }
  /// Ignores a rise of the peak since the last sample that was not caused by training.
  void skip(std::int64_t peak, std::int64_t beside) {
    seen_ = std::max(seen_, peak);
    beside_ = beside;
  }
  std::int64_t bytes() const { return bytes_; }
  /// Bytes of copies at the last sample.
  std::int64_t beside() const { return beside_; }

 private:
  std::int64_t bytes_ = 0;
  std::int64_t seen_ = 0;
  std::int64_t beside_ = 0;
};

}  // namespace batchwise
