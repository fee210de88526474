// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/run_event.h"

namespace batchwise {

/// Parses a byte stream into events, one JSON object per line. Counts and skips lines that are too long or not events,
/// so that memory is bounded by a few times kLongestLine whatever the other process writes.
class EventLineParser {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  /// Returns the events of the lines that these bytes complete.
  std::vector<RunEvent> take(std::string_view bytes);
  /// Returns the number of lines so far that were not events.
  std::int64_t unreadable() const { return unreadable_; }

 private:
  void takeLine(std::vector<RunEvent>& events);

  std::string line_;
  bool tooLong_ = false;  // skip to the end of the line
  std::int64_t unreadable_ = 0;
};

}  // namespace batchwise
