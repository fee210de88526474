// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace batchwise {

/// The most memory that training has needed on a device so far, told apart from what copies of the weights took beside
/// it meanwhile. Made from looks at the device's peak, which only grows: a step that raises it is measured, one below
/// it is not, so the answer may be too small by the size of such a copy, never by more. One thread.
class StepsPeak {
 public:
  /// After training went on. `peak`, `beside`: bytes in use at most since some start, and those of copies now.
  void look(std::int64_t peak, std::int64_t beside) {
    // A copy that is gone by now was there for a part of the time.
    if (peak > seen_) bytes_ = std::max(bytes_, peak - std::max(beside, beside_));
    skip(peak, beside);
  }
  /// What raised the peak since the last look was no training.
  void skip(std::int64_t peak, std::int64_t beside) {
    seen_ = std::max(seen_, peak);
    beside_ = beside;
  }
  std::int64_t bytes() const { return bytes_; }
  /// Copies as of the last look.
  std::int64_t beside() const { return beside_; }

 private:
  std::int64_t bytes_ = 0;
  std::int64_t seen_ = 0;
  std::int64_t beside_ = 0;
};

}  // namespace batchwise
