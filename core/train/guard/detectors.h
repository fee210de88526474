// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/config/events/run_event.h"

namespace batchwise {

// What guards and alerts detect in the losses and evaluations of a run. Pure; each detector keeps its state outside, so
// that it can be saved with a checkpoint.

/// Recent losses that a limit follows from.
struct LossSpikeState {
  struct Entry {
    std::int64_t step = 0;  ///< optimizer steps done, this one included
    double loss = 0;        ///< nats per predicted token, finite
    bool operator==(const Entry&) const = default;
  };
  std::deque<Entry> recent;  ///< oldest first
  bool operator==(const LossSpikeState&) const = default;
};

/// The loss above which a step is a spike: mean + sigma x standard deviation of the steps before it. Source: OLMo's
/// SkipStepOptimizer (AI2 2024: 6 sigma over 128 steps), except that spikes stay in the window, so that a new level is
/// accepted in time.
class SpikeLimit {
 public:
  /// Number of latest losses that are ignored: on a GPU they may still be in flight, and all devices and resumes must
  /// compute the same limit.
  static constexpr std::int64_t kLag = 2;

  /// Requires sigma > 0, window >= 2 (steps).
  SpikeLimit(double sigma, std::int64_t window) : sigma_(sigma), window_(window) {}

  struct Limit {
    double mean = 0;
    double deviation = 0;  ///< at least 1/10,000 of the mean, so that a constant loss does not make any change a spike
    double limit = 0;
  };
  /// Returns the limit for step number `step` (from 1); nothing before half of the window is filled.
  std::optional<Limit> limitFor(const LossSpikeState& state, std::int64_t step) const;
  /// Records a loss; ignores one that is not finite.
  void add(LossSpikeState& state, std::int64_t step, double loss) const;

 private:
  double sigma_;
  std::int64_t window_;
};

/// Upper limit of a metric for a step to be applied.
struct StepLimit {
  double limit = std::numeric_limits<double>::infinity();
  bool skips = false;  ///< the optimizer step is skipped above the limit

  bool exceededBy(double value) const { return value > limit; }
  bool operator==(const StepLimit&) const = default;
};

/// Limits for the next optimizer step. The same on all ranks.
struct StepLimits {
  StepLimit loss;  ///< nats per predicted token of the step
  StepLimit gradNorm;
  StepLimit attentionLogit;
  bool operator==(const StepLimits&) const = default;
};

/// Losses of the newest global batches, oldest first.
struct PlateauState {
  std::deque<double> recent;
  bool operator==(const PlateauState&) const = default;
};

/// Detects that the loss no longer falls: the mean over the newer half of the window is not more than minDelta below
/// that of the older half.
class Plateau {
 public:
  /// Requires window >= 2 (global batches), minDelta >= 0 (nats).
  Plateau(std::int64_t window, double minDelta) : window_(window), minDelta_(minDelta) {}

  struct Found {
    double older = 0;
    double newer = 0;  ///< means of the halves, nats
  };
  /// Adds a loss; ignores one that is not finite. The window restarts after a detection, so that a plateau is reported
  /// once per window.
  std::optional<Found> add(PlateauState& state, double loss) const;

 private:
  std::int64_t window_;
  double minDelta_;
};

/// The course of the loss of a run, as far as a verdict on its end needs it. Losses of global batches, nats.
struct LossCourseState {
  std::optional<double> first;   ///< the first finite loss
  std::deque<double> recent;     ///< newest finite losses, oldest first
  std::int64_t nonFinite = 0;    ///< losses at the end that are not finite
  std::optional<double> lowest;  ///< lowest mean of `recent` since the start of the stage
  double deviation = 0;          ///< standard deviation of the losses of that mean
  std::int64_t risen = 0;        ///< 1: the mean once was clearly above the lowest one before it
  bool operator==(const LossCourseState&) const = default;
};

/// Why the end of a run is called diverged.
struct Divergence {
  enum class Kind { NotFinite, AboveStart, AboveUnigram };
  Kind kind = Kind::NotFinite;
  double loss = 0;       ///< mean of the newest losses; NaN if they are not finite
  double reference = 0;  ///< the first loss, or that of the unigram model
};

/// Records a loss; the newest 8 count as the end of a run.
void addLoss(LossCourseState& state, double loss);
/// Starts a stage, whose losses are another measure. The first loss of the run stays.
void startStage(LossCourseState& state);
/// Returns why the run ends diverged: its newest losses are not finite, or ten times the first loss, or above the loss
/// `unigramNats` of a model that knows only how frequent each token is, after they had risen. A loss above it that has
/// never risen is that of a run that is too short.
std::optional<Divergence> findDivergence(const LossCourseState& state, double unigramNats);

/// Best evaluation so far and the number of evaluations since without improvement.
struct EarlyStopState {
  std::optional<double> best;
  std::int64_t withoutImprovement = 0;
  bool operator==(const EarlyStopState&) const = default;
};

/// Detects that evaluations no longer improve.
class EarlyStop {
 public:
  enum class Better { Lower, Higher };

  /// Requires patience >= 1 (evaluations) and minDelta >= 0 (in the metric's unit).
  EarlyStop(Better better, std::int64_t patience, double minDelta)
      : better_(better), patience_(patience), minDelta_(minDelta) {}

  /// Adds a result; returns true if it is the `patience`-th in a row that does not improve the best by more than
  /// minDelta. The count then restarts, so that a run that continues gets as many again. NaN is never an improvement.
  bool add(EarlyStopState& state, double value) const;

 private:
  Better better_;
  std::int64_t patience_;
  double minDelta_;
};

/// Data skipped by a rollback: after `fromStep` up to and including `toStep`. The clocks count it as done.
struct SkippedRange {
  std::int64_t fromStep = 0, toStep = 0;
  std::int64_t fromBatch = 0, toBatch = 0;
  std::int64_t fromSample = 0, toSample = 0;
  std::string checkpoint;  ///< whose weights the run continued with
  bool operator==(const SkippedRange&) const = default;
};

/// State of the guards between steps. Saved with a checkpoint.
struct GuardState {
  LossSpikeState lossSpike;
  std::deque<LossSpikeState::Entry> noiseScales;  ///< newest, in place of losses; see gradientNormRatio()
  PlateauState plateau;
  EarlyStopState earlyStop;
  LossCourseState lossCourse;
  std::vector<SkippedRange> skippedRanges;
  bool operator==(const GuardState&) const = default;
};

/// Returns the expected gradient norm of a step of `samples` over that of one of `fullSamples`: E|g|^2 = |G|^2 + tr
/// Sigma / b (McCandlish et al. 2018, appendix A.1), with N = tr Sigma / |G|^2 the newest of `noiseScales` that all
/// devices and resumes know at `step` (see SpikeLimit::kLag); without one, as if all of the gradient were noise.
double gradientNormRatio(const std::deque<LossSpikeState::Entry>& noiseScales, std::int64_t step, double samples,
                         double fullSamples);

/// Returns the median, the upper one of two middle values. Requires at least one value.
double upperMedian(const std::deque<double>& values);

/// Loss that an earlier segment logged for the first global batch of a resume.
struct EarlierLoss {
  std::int64_t batch = 0;  ///< value of the clock ba after it
  double loss = 0;         ///< nats per predicted token
};

/// Compares the first row of a resume with the row that it repeats. The note reports an identical loss, the size of the
/// difference (a warning if above rounding, 1e-5 relative), or nothing to compare with. Pure.
RunNote compareFirstLoss(const MetricsRow& row, const std::optional<EarlierLoss>& earlier);

}  // namespace batchwise
