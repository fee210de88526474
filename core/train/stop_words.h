// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <string>

#include "core/events/run_command.h"

namespace batchwise {

/// A person wants the run to end, and has not said that what cannot be kept is to be given up.
inline bool wantsEndKeeping(const CommandMailbox& commands) {
  return commands.endWanted() && !commands.abortWanted();
}

/// How that is said, wherever the person sits: "a stop without saving (Ctrl-C once more, ...)".
inline std::string stopWithoutSaving(const std::string& run) {
  return "a stop without saving (Ctrl-C once more, Stop without saving in the window, or 'batchwise runs tell " + run +
         " abort')";
}

/// What is said of obstacles that a run waits for: each once, for its text names the free space, which changes; and
/// once more, with the way out, to whoever wants to stop meanwhile. A value; one thread.
class ObstacleWords {
 public:
  /// What is to be said now; empty if all is. `obstacle`: empty if there is none; `wayOut` follows it.
  std::string next(const std::string& obstacle, bool wantsEnd, const std::string& wayOut) {
    const Told before = told_;
    told_ = obstacle.empty() ? Told::Nothing : std::max(before, wantsEnd ? Told::WayOut : Told::Obstacle);
    if (told_ <= before) return {};
    return obstacle + (told_ == Told::WayOut ? wayOut : std::string());
  }
  bool toldOfOne() const { return told_ != Told::Nothing; }

 private:
  enum class Told { Nothing, Obstacle, WayOut };
  Told told_ = Told::Nothing;
};

}  // namespace batchwise
