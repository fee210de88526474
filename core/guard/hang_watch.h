// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/message.h"

namespace batchwise {

/// Sections of a run with a time limit.
enum class RunSection { Setup, Step, Evaluation, Checkpoint };
constexpr int kRunSections = 4;
/// Returns "setting up", "a step", "an evaluation" or "a checkpoint".
Message runSectionText(RunSection section);

/// Detects a section of a run that exceeds its limit: max(minimum, factor x median duration of that section), or ten
/// times the minimum until three durations are known, because first times are slow. Pure. Not thread-safe. Times in
/// seconds on a monotonic clock. Source: limits per section as in NVIDIA Resiliency Extension.
class HangWatch {
 public:
  HangWatch(double minimumSec, double factor) : minimumSec_(minimumSec), factor_(factor) {}

  /// Starts a section; the previous one ends and its duration is recorded.
  void enter(RunSection section, double nowSec);
  /// Leaves the current section without recording its duration, e.g. for a pause: nothing has a limit.
  void suspend();
  /// Restarts the limit of the current section at `nowSec`.
  void heartbeat(double nowSec);

  /// Excludes `seconds` in which the whole process was stalled (stopped, machine suspended).
  void excludeStall(double seconds, double nowSec);

  /// Returns the current section; nothing in a pause.
  std::optional<RunSection> section() const { return section_; }
  double limitSec(RunSection section) const;

  enum class Stage { Late, Hung };  ///< past the limit; past twice the limit
  struct Overdue {
    RunSection section = RunSection::Setup;
    Stage stage = Stage::Late;
    double seconds = 0;  ///< since the last sign of life
    double limitSec = 0;
  };
  /// Returns each stage once each time it is reached.
  std::optional<Overdue> check(double nowSec);

 private:
  static constexpr std::size_t kMaxDurations = 64;
  static constexpr std::size_t kMinDurations = 3;

  double minimumSec_;
  double factor_;
  std::optional<RunSection> section_;
  double startedSec_ = 0;
  double heartbeatSec_ = 0;
  std::optional<Stage> reported_;
  std::array<std::deque<double>, kRunSections> durations_;  // newest last
};

/// "guard.hang: no sign of life in an evaluation for 73 s, the limit is 60 s".
Message overdueText(const HangWatch::Overdue& overdue);

}  // namespace batchwise
