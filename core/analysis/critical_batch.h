// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/config/train_config.h"

namespace batchwise {

// Study of the critical batch: the largest batch whose branch from a checkpoint, after the same tokens, has an
// evaluation loss that is not worse. Which branches, what their losses decide, the law over tokens, its ramp. Pure.
// Source: Merrill et al. 2025, arXiv 2505.23971, with a test of non-inferiority in place of their comparison.

enum class ToleranceUnit { Nats, Tokens };

struct StudyOptions {
  /// Batch of a branch over that of the run; ascending, with 1. The smallest is what the others are compared with.
  std::vector<double> factors = {1, 2, 4, 8, 16};
  int replicates = 3;            ///< branches of each factor, each in another order of the data; 2 or more
  std::int64_t deltaTokens = 0;  ///< length of a branch
  ToleranceUnit toleranceUnit = ToleranceUnit::Nats;  ///< of the tolerance that decides; both are reported
  double toleranceNats = 0.01;                        ///< evaluation loss
  double toleranceTokens = 0.02;                      ///< share of the tokens up to the checkpoint
  double cooldownShare = 0.2;  ///< of deltaTokens, over which the rate falls linearly to 0; 0: no cool-down
  bool operator==(const StudyOptions&) const = default;
};
/// Fails with Config for factors that do not ascend or lack 1, fewer than 2 replicates, a tolerance or length that is
/// not above 0, and a cool-down outside [0, 1).
Result<void> checkStudyOptions(const StudyOptions& options);
/// Returns the shortest useful branch: max(50, 3 / (1 - beta2)) steps of the largest batch, `batchTokens` that of the
/// run. The same as Merrill's 60 steps at their beta2 of 0.95.
std::int64_t shortestDelta(double largestFactor, double batchTokens, double beta2);
/// Returns those of `available` (tokens of checkpoints) that are next to T/64, T/32, ... T/2 of `totalTokens`, within a
/// factor sqrt 2, and leave room for a branch; ascending.
std::vector<std::int64_t> studyPositions(std::span<const std::int64_t> available, std::int64_t totalTokens,
                                         std::int64_t deltaTokens);

/// A checkpoint of the run from which branches start.
struct StudyCheckpoint {
  std::int64_t position = 0;    ///< tokens
  double batchSamples = 0;      ///< of the run there: factor 1
  std::optional<double> slope;  ///< t |dL/dt| of the run's evaluation loss, nats per e-fold of tokens
  bool hasCooldown = false;     ///< branches are judged after a cool-down; else at the rate of the schedule
  std::int64_t batchUnits = 0;  ///< samples or packs of batchSamples, of which a branch has a whole number; 0: any
  bool operator==(const StudyCheckpoint&) const = default;
  /// Returns the samples of a step of a branch: factor x batchSamples in whole units.
  double samplesOf(double factor) const;
};
/// Whether branches cool down unless asked otherwise: where the schedule is still above half its peak.
bool coolsDownByDefault(double rate, double peakRate);
/// Returns t |dL/dt| at `position`, by least squares of loss over log tokens between position / 2 and 2 position;
/// nothing for fewer than three evaluations there or a loss that does not fall. `evaluations`: tokens, loss.
std::optional<double> lossSlope(std::span<const std::pair<double, double>> evaluations, double position);

struct Branch {
  std::int64_t position = 0;
  double factor = 1;
  int replicate = 0;  ///< from 0; the run itself may be replicate 0 of factor 1
  bool operator==(const Branch&) const = default;
};
/// Whether both mean one branch: factors within 5 %, as batches are whole numbers and files are text.
bool isSameBranch(const Branch& left, const Branch& right);

/// A branch and its evaluation losses, as far as known; infinity if it diverged.
struct BranchResult {
  Branch branch;
  std::optional<double> atHalf, atThreeQuarters, atEnd;  ///< of deltaTokens, at the rate of the schedule
  std::optional<double> afterCooldown;
};

enum class FactorState {
  Baseline,  ///< the smallest factor, which the others are compared with
  Passed,    ///< not worse by the tolerance, at 95 % confidence (one-sided)
  Failed,
  Undecided,  ///< results are missing
  NotNeeded,  ///< another factor has already decided
};
/// Returns "baseline", "passed", "failed", "undecided", "not needed".
std::string_view factorStateName(FactorState state);

struct FactorDecision {
  double factor = 1;
  FactorState state = FactorState::NotNeeded;
  int count = 0;                         ///< pairs with the smallest factor
  std::optional<double> meanLoss;        ///< over its results
  std::optional<double> meanDifference;  ///< to the smallest factor, over the pairs
  std::optional<double> deviation;       ///< of the differences
  std::optional<double> bound;           ///< mean + t(0.95, n - 1) deviation / sqrt(n); below the tolerance: passed
  bool isStoppedEarly = false;           ///< a branch was so far behind at 3/4 that it need not end
  std::optional<int> neededReplicates;   ///< failed with a mean below the tolerance: how many would tell
};

/// Decision on one kind of loss.
struct StudyColumn {
  std::vector<FactorDecision> factors;  ///< ascending; with the one in between, once there is one
  /// Largest factor that passed; nothing if only the smallest did, which was compared with nothing.
  std::optional<double> low;
  /// Smallest factor that failed; nothing if none did.
  std::optional<double> high;
  bool isDecided = false;  ///< no further branch is needed
};

struct CheckpointDecision {
  StudyCheckpoint checkpoint;
  double tolerance = 0;                         ///< that decides, in nats
  std::optional<double> toleranceNatsOfTokens;  ///< toleranceTokens x slope
  std::optional<double> toleranceAsTokens;      ///< `tolerance` / slope: share of tokens
  StudyColumn atRate;
  std::optional<StudyColumn> afterCooldown;  ///< where branches cool down
  /// The branches that are needed now and have no final result, replicates ascending. Anything else that waits or runs
  /// can be stopped.
  std::vector<Branch> next;
  /// The column that decides: after the cool-down where there is one, as a rate that has not decayed flatters large
  /// batches.
  const StudyColumn& deciding() const { return afterCooldown ? *afterCooldown : atRate; }
};
/// Decides from the results that are there; those of other checkpoints are ignored. Factors are tested in ascending
/// order, all against the smallest, up to the first that fails (fixed-sequence testing: the error stays 5 %), then one
/// in between, which adds to the error where the loss hardly depends on the batch. Without a slope, a tolerance in
/// tokens is taken in nats.
CheckpointDecision decideCheckpoint(const StudyOptions& options, const StudyCheckpoint& checkpoint,
                                    std::span<const BranchResult> results);
/// Returns `next` of all checkpoints, in their order.
std::vector<Branch> nextBranches(const StudyOptions& options, std::span<const StudyCheckpoint> checkpoints,
                                 std::span<const BranchResult> results);

/// Probability that a branch whose true difference is `margin` below the tolerance passes with `replicates` >= 2 pairs,
/// if their differences deviate by `deviation`.
double passProbability(int replicates, double deviation, double margin);
/// Returns the least count of replicates, up to 100, with which it passes in 80 % of studies; nothing if there is none.
std::optional<int> neededReplicates(double deviation, double margin);
/// Returns the least tolerance with which a branch that loses nothing passes in 80 % of studies.
double resolvableDifference(int replicates, double deviation);

struct StudyCost {
  std::int64_t branches = 0;  ///< at most: all factors and the one in between, without what the run itself shows
  double tokens = 0;
  std::optional<double> hours;
};
/// Whether a batch may be tried between two of these factors, which ascend.
bool mayDivide(const std::vector<double>& factors);
/// `parentRows`: of how many checkpoints the run's own evaluations are replicate 0 of factor 1.
StudyCost studyCost(const StudyOptions& options, std::span<const StudyCheckpoint> checkpoints, int parentRows,
                    std::optional<double> tokensPerSec);

/// A critical batch between two sizes, in samples per step; an end may be open.
struct LawPoint {
  double position = 0;  ///< tokens
  std::optional<double> low, high;
};
/// Returns the intervals of the deciding columns that are decided, in samples.
std::vector<LawPoint> lawPoints(std::span<const CheckpointDecision> decisions);

/// log(critical batch) = intercept + exponent log(tokens), at most `ceiling`; in samples per step.
struct LawCurve {
  double intercept = 0;
  double exponent = 0;            ///< 0 or above
  std::optional<double> ceiling;  ///< log(samples)
  double at(double tokens) const;
  /// Returns the mean over the tokens of a run: the constant batch nearest to the curve. For a curve without ceiling,
  /// at(T) / (exponent + 1).
  double meanUntil(double totalTokens) const;
};
struct CriticalBatchLaw {
  LawCurve curve;
  double scatter = 0;                ///< deviation of log(critical batch) around the curve
  double measuredUntil = 0;          ///< tokens of the last point
  std::vector<LawCurve> confidence;  ///< edge of the 95 % region of the profile likelihood
  /// Low, high. Behind the last point the lower edge stays, as nothing says that the batch may still grow there.
  std::pair<double, double> band(double tokens) const;           ///< low, high
  std::pair<double, double> meanBand(double totalTokens) const;  ///< of LawCurve::meanUntil()
  std::pair<double, double> exponentBand() const;
};
/// Fits by the likelihood of the intervals, with a ceiling where that is significantly likelier (95 %). Fails with
/// Config unless two points lie at different tokens, and one has a lower and one an upper end.
Result<CriticalBatchLaw> fitLaw(std::span<const LawPoint> points);

struct StudyRamp {
  std::vector<RampLevelConfig> stages;  ///< in tok; the first at 0
  LrScalingConfig lrScaling;            ///< sqrt over the ramp, reference the first size
  double steps = 0, constantSteps = 0;  ///< of the run with the ramp, and with the first size throughout
  double savedShare() const { return constantSteps > 0 ? 1 - steps / constantSteps : 0; }
};
/// Returns stages that double from `firstSamples` up to at most `largestSamples`: each starts where the lower edge of
/// the band reaches its size, and none that starts after `totalTokens`.
StudyRamp rampOfLaw(const CriticalBatchLaw& law, std::int64_t firstSamples, std::int64_t largestSamples,
                    std::int64_t totalTokens, double tokensPerSample);
/// Returns the optimizer steps of a run under `stages` (in tok).
double stepsOfStages(std::span<const RampLevelConfig> stages, double totalTokens, double tokensPerSample);

}  // namespace batchwise
