// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>

#include "core/base/format.h"
#include "core/config/events/run_command.h"

namespace batchwise {

inline std::string stopWithoutSavingRemedyText(const auto& run) {
  return formatText(
      "a stop without saving (Ctrl-C once more, Stop without saving in the window, or 'batchwise runs send {} abort')",
      run);
}

/// Returns whether a stop was requested that must still save the run's state.
inline bool isGracefulStop(const CommandMailbox& commands) {
  return commands.stopRequested() && !commands.abortRequested();
}

/// Decides which notices about a blocked run to show: each obstacle once, although its text changes with the free
/// space, and once more with the way out when a stop is requested meanwhile. Not thread-safe.
class BlockedNotice {
 public:
  /// Returns the notice to show now, or an empty one. `obstacle`: empty if there is none; `stopHint` is appended to it.
  std::string next(const std::string& obstacle, bool stopRequested, const std::string& stopHint) {
    const Shown before = shown_;
    shown_ = obstacle.empty() ? Shown::Nothing : std::max(before, stopRequested ? Shown::StopHint : Shown::Obstacle);
    if (shown_ <= before) return {};
    return shown_ == Shown::StopHint ? followedByText(obstacle, stopHint) : obstacle;
  }
  bool isBlocked() const { return shown_ != Shown::Nothing; }

 private:
  enum class Shown { Nothing, Obstacle, StopHint };
  Shown shown_ = Shown::Nothing;
};

}  // namespace batchwise
