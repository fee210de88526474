// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/schema.h"
#include "core/config/time/run_length.h"
#include "core/config/time/time.h"
#include "core/config/train_config.h"
#include "core/plan/growth.h"
#include "core/plan/lengths.h"
#include "core/plan/pack_source.h"

namespace batchwise {

/// Devices of a launch; resolved once.
struct DeviceShape {
  std::int64_t devices = 1;
  std::int64_t microbatchUnits = 0;  ///< samples (or packs) per device and pass; `auto` is resolved
  std::int64_t largestUnits = 0;     ///< the largest that fits, for the bound of growth; 0: unknown
};

/// One optimizer step of a global batch.
struct OptimizerStep {
  std::int64_t firstUnit = 0;    ///< position in the epoch's order, in units: samples, or packs under a token budget
  std::int64_t firstSample = 0;  ///< the same position in samples; identifies the window of packs
  std::int64_t units = 0;
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  double learningRate = 0;           ///< in use: base rate x schedule factor x batch-size scaling
  std::optional<double> beta2 = {};  ///< in place of the second of optimizer.betas
  double weightDecayFactor = 1.0;    ///< of optimizer.weight_decay
};

/// One global batch: the unit of logging, schedules, evaluation and checkpoints.
struct GlobalBatch {
  std::int64_t batch = 0;  ///< completed global batches before it
  std::int64_t epoch = 0;
  double scheduleFactor = 0;
  double maskProbability = 0;        ///< share of the tokens to be predicted
  std::vector<OptimizerStep> steps;  ///< a single one outside a ramp
  bool endsEpoch = false;
  bool endsRun = false;  ///< unknown in a run measured in sec: use finished()
};

/// A range of the run with one step size, as shown before launch.
struct PlannedRange {
  std::int64_t fromBatch = 0;
  std::optional<std::int64_t> globalBatches;  ///< until the next range; those of a table are clipped to the run
  std::int64_t steps = 1;                     ///< per global batch
  std::int64_t stepUnits = 0;                 ///< samples (or packs) per step
  std::int64_t microBatchesPerStep = 1;       ///< per device
  std::int64_t microbatchUnits = 0;
  std::optional<std::int64_t> optimizerSteps;
  bool reached = true;                     ///< false: the run ends before it
  std::optional<double> tokensPerUnit;     ///< on average; set if stages of the run differ
  std::optional<std::int64_t> extraSteps;  ///< more than steps of the full size would take for the same data
  double firstRate = 0;                    ///< of its first step
  double rateOverSqrtRule = 1;             ///< over that of a full step times the square root of the step's share of it
  double halfLifeSteps = 0;                ///< in which AdamW's second moment forgets half
  /// Of a step of average length, where they follow its size.
  std::optional<double> beta2 = {}, weightDecay = {};
};

/// Values derived at launch, by dotted name ("scheduler.t_warmup": "9ba"). Stored with the run and read by a resume,
/// which never derives them again.
using ResolvedValues = std::map<std::string, std::string>;

/// Returns the cost of a sequence, in tokens: matrix products grow linearly with the length, attention quadratically.
/// The quadratic share is that of width 768 (Devlin et al. 2019, base), where both are equal at 6 x 768 tokens.
double sequenceCost(std::int64_t tokens);

/// Distributes units to devices: counts differ by at most one, with the larger ones first, and within that the cost per
/// device is balanced (longest processing time first: Graham 1969). Returns the units of device 0, then of device 1,
/// and so on, in ascending order within each device. Pure.
std::vector<std::int64_t> balanceAcrossDevices(std::span<const double> costs, std::int64_t devices);

/// Same for units that are lists of samples.
std::vector<std::int64_t> balanceUnits(const std::vector<std::vector<std::int64_t>>& units, std::int64_t devices,
                                       const std::function<std::int64_t(std::int64_t sample)>& tokensOf);

class Plan;

/// The place of a plan in a run of several stages. A plan counts from the begin of its stage; the run counts on.
struct StagePlace {
  Timestamp start;  ///< clocks of the run where the stage begins
  Time from;        ///< nominal begin, in the unit of max_duration
  /// Whether the pass over the data that `start` is in goes on; else the stage begins with a new one.
  bool continuesPass = false;
  /// Set: the stage follows the schedule of the run, on its clock, and `dur` in it is this length. Empty: it has a
  /// schedule of its own, on its own clock.
  std::optional<Time> runDuration;
  /// The plan of the first stage, which has resolved the schedule of the run; null: this one.
  const Plan* first = nullptr;
  Timestamp passStart;       ///< clocks of the run where the pass began; `start` unless continuesPass
  Time passFrom;             ///< and its nominal begin
  bool masksChange = false;  ///< whether the share of predicted tokens changes within the run
};

struct PlanState;

/// Derives stages, global batches and steps from a configuration: the single source of every batch size and rate, for
/// trainer, preview, window and store. Immutable. Thread-safe.
class Plan {
 public:
  /// Resolves the plan of a new run. `lengths` null: the data has no known length, an epoch never ends, and each sample
  /// counts data.max_seq_len tokens. `growth` replaces the expression of batch.growth. Fails with Config, naming the
  /// field.
  /// `place`: of a stage, whose length is then max_duration.
  static Result<Plan> resolve(const TrainConfig& config, std::shared_ptr<const Lengths> lengths,
                              const DeviceShape& devices, GrowthFunction growth = {}, const StagePlace& place = {});
  /// Restores the plan of a launched run: derived values come from `resolved`, only accumulation follows `devices`. If
  /// max_duration has changed, the schedule stays and its last value holds; a max_duration that is over is valid: see
  /// finished(). Fails with Config if a value is missing or the number of samples differs.
  static Result<Plan> restore(const TrainConfig& config, const ResolvedValues& resolved,
                              std::shared_ptr<const Lengths> lengths, const DeviceShape& devices,
                              GrowthFunction growth = {}, const StagePlace& place = {});

  // In a run of several stages, `now` counts from the begin of the run, everything else from that of the stage.

  /// Returns the global batch that starts at (or, with stepInBatch > 0, contains) `now`, with all its steps, completed
  /// ones included. `growth` is ignored without adaptive growth.
  Result<GlobalBatch> globalBatchAt(const Timestamp& now, const GrowthState& growth = {}) const;

  /// Returns the samples of a step by unit, as ids in the order in which the step places them.
  Result<std::vector<std::vector<std::int64_t>>> unitsOf(std::int64_t epoch, const OptimizerStep& step) const;

  /// Returns the micro-batches of `step` for one device: index ranges of the units of unitsOf() in the order in which
  /// balanceUnits() distributes them to devices(). All devices get the same number; the last may be empty.
  struct MicroBatchRange {
    std::int64_t firstUnit = 0;  ///< within the distributed step
    std::int64_t units = 0;
  };
  std::vector<MicroBatchRange> microBatchesOf(const OptimizerStep& step, std::int64_t device) const;

  GrowthState initialGrowth() const;
  bool growthDue(const Timestamp& now, const GrowthState& state) const;
  /// Evaluates the growth function. The note is not empty if the result was clamped; `boundedAt` as in
  /// GrowthRule::Evaluation.
  struct Grown {
    GrowthState state;
    std::string note;
    std::optional<std::int64_t> boundedAt;
  };
  Result<Grown> grow(const Timestamp& now, const GrowthState& state, const NoiseParts& noise) const;
  /// Returns whether the expression of growth has the variable.
  bool growthUses(const char* variable) const;
  /// Returns whether a ramp or growth changes the size of steps.
  bool changesStepSize() const;
  /// Returns the weight decay of a step; empty if it does not follow its size.
  std::optional<double> weightDecayOf(const OptimizerStep& step) const;

  bool finished(const Timestamp& now) const;
  /// Returns the factor of the schedule, without batch-size scaling.
  double scheduleFactor(const Timestamp& now) const;

  /// Verifies that the lengths of the samples are unchanged (Lengths::intact()); call before showing results.
  Result<void> intact() const;

  /// Returns the run's length, for IntervalSet: scaled max_duration, samples and global batches per epoch.
  const RunLength& runLength() const;

  /// Returns the share of tokens to be predicted in a global batch that starts at `now`: from data.mlm_probability
  /// linearly to data.mlm_probability_end at the end of the plan that was resolved at launch, which then holds.
  double maskProbability(const Timestamp& now) const;
  /// Returns whether maskProbability() changes in the course of the run.
  bool changesMaskProbability() const;

  /// Returns the factor of the base rate in use in the last step of `batch`: rate / base rate; the schedule's factor if
  /// the base rate is 0.
  double factorOf(const GlobalBatch& batch) const;

  /// A position of the run as shown before launch: the global batch that contains a time, also past the end.
  struct Point {
    Timestamp at;                  ///< start of the global batch
    double factor = 0;             ///< learningRate / base rate
    double learningRate = 0;       ///< in use, of the last step
    std::int64_t stepSamples = 0;  ///< of the largest step
    std::int64_t globalBatchSamples = 0;
    double maskProbability = 0;
  };
  /// `time` in ep, ba, sp, tok or dur. Fails with Config for sec.
  Result<Point> pointAt(const Time& time) const;

  /// Returns all global batches of an epoch in order, as if the run continued to its end. Fails with Config like
  /// pointAt.
  Result<std::vector<GlobalBatch>> batchesOfEpoch(std::int64_t epoch) const;

  const std::vector<PlannedRange>& ranges() const;
  /// Predicted end of the run; fields that depend on the run are empty.
  struct Totals {
    std::optional<double> epochs;
    std::optional<std::int64_t> batches, steps, samples, tokens;
  };
  Totals totals() const;
  const ResolvedValues& resolved() const;
  const std::vector<FieldProblem>& notes() const;
  /// Returns tokens / (packs x max_tokens) of an epoch; empty without a token budget, where paddedFill() applies. Plans
  /// an epoch on first call.
  std::optional<double> fill(std::int64_t epoch = 0) const;
  /// Returns tokens / (samples x longest of their micro-batch), the fill of a trainer that pads, for the first epoch or
  /// its first four million samples (whole global batches). Empty under a token budget and for assumed lengths. Reads
  /// each sample's length on first call.
  Result<std::optional<double>> paddedFill() const;
  /// Returns the samples in no pack of an epoch, with the reason; empty without a token budget.
  std::vector<SkippedSample> skipped(std::int64_t epoch) const;
  std::int64_t devices() const;
  std::int64_t microbatchUnits() const;
  /// Returns whether sizes count packs, that is under a token budget.
  bool countsPacks() const;
  /// Returns the same plan with a smaller micro-batch, for use after an out-of-memory error.
  Plan withMicrobatch(std::int64_t units) const;
  /// Returns the same plan for a stage that begins at `start`.
  Plan startingAt(const Timestamp& start) const;
  /// Returns the clocks of the run at the start of the stage.
  const Timestamp& start() const;
  /// Returns the clocks of the run at the end of the plan, where a next stage begins a new pass; empty if it cannot be
  /// predicted.
  std::optional<Timestamp> predictedEnd() const;
  /// Returns the clocks of the run at a place of the plan.
  Timestamp inRun(const Timestamp& at) const;

 private:
  explicit Plan(std::shared_ptr<const PlanState> state) : state_(std::move(state)) {}
  std::shared_ptr<const PlanState> state_;
};

}  // namespace batchwise
