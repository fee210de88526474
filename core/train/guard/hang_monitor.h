// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "core/base/clock.h"
#include "core/base/mutex.h"

namespace batchwise {

/// Sections of a run with a time limit.
enum class RunSection { Setup, Step, Evaluation, Checkpoint };
constexpr int kRunSections = 4;
/// Returns "setting up", "a step", "an evaluation" or "a checkpoint".
std::string runSectionText(RunSection section);

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
    double seconds = 0;  ///< since the last progress
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

/// "guard.hang: no progress in an evaluation for 73 s, the limit is 60 s".
std::string overdueText(const HangWatch::Overdue& overdue);

/// A thread-safe HangWatch, updated by the training thread and polled by another thread.
class HangMonitor {
 public:
  /// Called with each overdue section on the thread that calls poll(). Must not wait for the training thread.
  using Report = std::function<void(const HangWatch::Overdue&)>;

  HangMonitor(HangWatch watch, const Clock& clock, Report report)
      : clock_(clock), report_(std::move(report)), watch_(std::move(watch)) {}

  // Called by the training thread; see HangWatch.
  void enter(RunSection section);
  void suspend();
  void heartbeat();

  /// Returns the total stalled time of the process since start(), up to this moment. Thread-safe.
  double stalledSec();
  /// Returns the part of it in steps, which is no training time, as noticed so far. Thread-safe.
  double stalledInStepsSec();

  /// Reports an overdue section. One thread at a time.
  void poll();
  /// Polls about once a second on its own thread until destruction. Excludes time in which that thread could not run
  /// either (stopped process, overloaded machine).
  void start();

 private:
  void pollLoop(const std::stop_token& stop);
  void excludeStall();

  const Clock& clock_;
  const Report report_;
  Mutex mutex_;
  HangWatch watch_ GUARDED_BY(mutex_);
  std::optional<StallDetector> stallDetector_ GUARDED_BY(mutex_);  // by the system's clock, even if clock_ is another
  double stalledSec_ GUARDED_BY(mutex_) = 0;                       // as noticed so far
  double stalledInStepsSec_ GUARDED_BY(mutex_) = 0;
  Mutex sleepMutex_;  // for wakeUp_ only
  std::condition_variable_any wakeUp_;
  std::jthread pollThread_;  // last member: destroyed first
};

/// Decides when a run with a time limit must stop so that its last checkpoint is written before the limit. The reserve
/// follows from measured durations. Seconds on one monotonic clock. Pure. Not thread-safe.
class TimeReserve {
 public:
  /// `startedSec`: start of the limit. Requires limitSec > 0.
  TimeReserve(double limitSec, double startedSec) : limitSec_(limitSec), endSec_(startedSec + limitSec) {}

  /// Records how long the training thread did not check the clock: a step, an evaluation.
  void recordPollGap(double seconds) { longestPollGapSec_ = std::max(longestPollGapSec_, seconds); }
  /// Records the duration of a checkpoint, from the request to the committed row.
  void recordCheckpoint(double seconds) { longestCheckpointSec_ = std::max(longestCheckpointSec_, seconds); }
  /// Returns the reserve: twice the longest checkpoint, 1.5 times the longest time between two checks, and 10 s (a
  /// tenth of a short limit).
  double reserveSec() const {
    return 2.0 * longestCheckpointSec_ + 1.5 * longestPollGapSec_ + std::min(10.0, 0.1 * limitSec_);
  }
  bool mustStop(double nowSec) const { return nowSec + reserveSec() >= endSec_; }

 private:
  double limitSec_;
  double endSec_;
  double longestPollGapSec_ = 0;
  double longestCheckpointSec_ = 0;
};

}  // namespace batchwise
