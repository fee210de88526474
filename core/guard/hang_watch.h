// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace batchwise {

/// What a run may be busy with for a limited time.
enum class RunSection { Setup, Step, Evaluation, Checkpoint };
constexpr int kRunSections = 4;
/// "setting up", "a step", "an evaluation", "a checkpoint".
std::string_view runSectionName(RunSection section);

/// Tells whether the section that a run is in takes longer than its limit: max(minimum, factor x median of that section
/// so far); ten times the minimum before three are known, as first times are slow (NVIDIA Resiliency Extension: limits
/// per section). Pure; one thread. Times in seconds on a monotonic clock.
class HangWatch {
 public:
  HangWatch(double minimumSec, double factor) : minimumSec_(minimumSec), factor_(factor) {}

  /// The section begins; the one before it has ended and is remembered.
  void enter(RunSection section, double nowSec);
  /// Nothing is under way that has a limit (a pause); what was is not remembered.
  void rest();
  /// A sign of life within the section: the limit counts from here.
  void alive(double nowSec);

  /// The whole process stood still for so long (stopped, its machine suspended): that counts for nothing.
  void stoodStill(double seconds, double nowSec);

  /// What is under way; nothing in a pause.
  std::optional<RunSection> section() const { return section_; }
  double limitSec(RunSection section) const;

  enum class Stage { Late, Hung };  ///< past the limit; past twice the limit
  struct Overdue {
    RunSection section = RunSection::Setup;
    Stage stage = Stage::Late;
    double seconds = 0;  ///< without a sign of life
    double limitSec = 0;
  };
  /// Each stage is told once for each time it is reached.
  std::optional<Overdue> check(double nowSec);

 private:
  static constexpr std::size_t kRemembered = 64;
  static constexpr std::size_t kEnough = 3;

  double minimumSec_;
  double factor_;
  std::optional<RunSection> section_;
  double beganSec_ = 0;
  double aliveSec_ = 0;
  std::optional<Stage> told_;
  std::array<std::deque<double>, kRunSections> took_;  // newest last
};

/// "guard.hang: no sign of life in an evaluation for 73 s, the limit is 60 s".
std::string overdueText(const HangWatch::Overdue& overdue);

}  // namespace batchwise
