// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/run_event.h"

namespace batchwise {

/// Turns bytes that come in pieces into events, one JSON object a line. Lines that are too long or no event are counted
/// and left out: whatever another process writes, the memory used stays below some times the longest line.
class EventLines {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  /// The events of the lines that these bytes complete.
  std::vector<RunEvent> take(std::string_view bytes);
  /// Lines that were no event, so far.
  std::int64_t unreadable() const { return unreadable_; }

 private:
  void takeLine(std::vector<RunEvent>& events);

  std::string line_;
  bool tooLong_ = false;  // the rest of the line is passed over
  std::int64_t unreadable_ = 0;
};

}  // namespace batchwise
