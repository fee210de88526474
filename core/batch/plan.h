// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/batch/growth.h"
#include "core/batch/lengths.h"
#include "core/batch/token_budget.h"
#include "core/config/train_config.h"
#include "core/time/run_length.h"
#include "core/time/timestamp.h"

namespace batchwise {

/// What the machine gives: resolved once, at launch.
struct DeviceShape {
  std::int64_t devices = 1;
  std::int64_t microbatchUnits = 0;  ///< samples (or packs) per device and pass; the answer of `auto`, already found
  std::int64_t largestUnits = 0;     ///< the largest that fits, for the bound of growth; 0: not known
};

/// One optimiser step of a global batch.
struct Part {
  std::int64_t firstUnit = 0;    ///< place in the epoch's order, in units: samples, or packs under a token budget
  std::int64_t firstSample = 0;  ///< the same place in samples: tells the window of packs
  std::int64_t units = 0;
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  double learningRate = 0;  ///< in use: base rate x schedule factor x batch-size scaling
};

/// What stands between two ticks of the clock `ba`.
struct GlobalBatch {
  std::int64_t batch = 0;  ///< completed global batches before it
  std::int64_t epoch = 0;
  std::int64_t stage = 0;  ///< of the table of stages
  double scheduleFactor = 0;
  std::vector<Part> parts;  ///< one outside a ramp
  bool endsEpoch = false;
  bool endsRun = false;  ///< not known ahead in a run measured in sec: ask finished()
};

/// A stretch of the run with one step size, as shown before launch.
struct PlannedStage {
  std::int64_t fromBatch = 0;
  std::optional<std::int64_t> globalBatches;  ///< up to the next stage; of a table's, no further than the run
  std::int64_t parts = 1;                     ///< per global batch
  std::int64_t stepUnits = 0;                 ///< samples (or packs) per step
  std::int64_t microBatchesPerStep = 1;       ///< per device
  std::int64_t microbatchUnits = 0;
  std::optional<std::int64_t> optimizerSteps;
  bool reached = true;  ///< false: the run ends before it
};

/// The values that were derived at launch, by dotted name ("scheduler.t_warmup": "9ba"): stored with the run, read back
/// by a resume, never derived again.
using ResolvedValues = std::map<std::string, std::string>;

struct PlanState;

/// From a configuration to stages, global batches and steps: the one source of every batch size and rate. Trainer,
/// preview, window and store read it. Immutable; any thread.
class Plan {
 public:
  /// Resolves everything once. `lengths` may be null: then the data has no known length, an epoch never ends, and each
  /// sample counts data.max_seq_len tokens. `growth` takes the place of batch.growth's expression. Fails with Config,
  /// naming the field.
  static Result<Plan> resolve(const TrainConfig& config, std::shared_ptr<const Lengths> lengths,
                              const DeviceShape& devices, GrowthFunction growth = {});
  /// The plan of a run that was launched before: derived values are taken from `resolved`, only accumulation follows
  /// `devices`. max_duration may have changed: the resolved schedule stays, its last value holds. Fails with Config if
  /// a value is missing or the data has another number of samples. A max_duration that is over already: see finished().
  static Result<Plan> restore(const TrainConfig& config, const ResolvedValues& resolved,
                              std::shared_ptr<const Lengths> lengths, const DeviceShape& devices,
                              GrowthFunction growth = {});

  /// The global batch that begins at (or, with partInBatch > 0, contains) `now`. `growth` is the state of adaptive
  /// growth; ignored without growth. Its parts are all parts, those already done included.
  Result<GlobalBatch> globalBatchAt(const Timestamp& now, const GrowthState& growth = {}) const;

  /// The samples of a part, unit by unit: data-set ids in the order in which the step places them.
  Result<std::vector<std::vector<std::int64_t>>> unitsOf(std::int64_t epoch, const Part& part) const;

  /// The units of `part` for one device, cut into its micro-batches. Indices into the order in which dealUnits() deals
  /// the units of unitsOf() to devices(). All devices get the same number of micro-batches, the last may be empty.
  struct MicroBatchRange {
    std::int64_t firstUnit = 0;  ///< within the part as dealt
    std::int64_t units = 0;
  };
  std::vector<MicroBatchRange> microBatchesOf(const Part& part, std::int64_t device) const;

  /// The growth state at the start of the run, and after asking. `atBoundary`: growth.every has passed at `now`.
  GrowthState initialGrowth() const;
  bool growthDue(const Timestamp& now, const GrowthState& state) const;
  /// Asks the function. The note is not empty if the answer was clamped; `boundedAt` as in GrowthRule::Answer.
  struct Grown {
    GrowthState state;
    std::string note;
    std::optional<std::int64_t> boundedAt;
  };
  Result<Grown> grow(const Timestamp& now, const GrowthState& state, std::optional<double> noiseScale) const;

  bool finished(const Timestamp& now) const;
  /// done / max_duration, 0 to 1, in the unit of max_duration.
  double fractionDone(const Timestamp& now) const;
  /// Factor of the schedule at a Timestamp, without batch-size scaling.
  double scheduleFactor(const Timestamp& now) const;

  /// Whether the lengths of the samples are still what they were (Lengths::intact()): asked before answers are shown.
  Result<void> intact() const;

  /// The run's length, for IntervalSet and the like: scaled max_duration, samples and global batches per epoch.
  const RunLength& runLength() const;

  /// A place of the run as shown before launch: the global batch that holds `time`, also past the end.
  struct Point {
    Timestamp at;                  ///< start of the global batch
    double factor = 0;             ///< learningRate / base rate
    double learningRate = 0;       ///< in use, last part
    std::int64_t stepSamples = 0;  ///< largest part
    std::int64_t globalBatchSamples = 0;
  };
  /// `time` in ep, ba, sp, tok or dur. Fails with Config for sec.
  Result<Point> pointAt(const Time& time) const;

  /// All global batches of an epoch in order, as if the run went on to its end. Fails with Config like pointAt.
  Result<std::vector<GlobalBatch>> batchesOfEpoch(std::int64_t epoch) const;

  const std::vector<PlannedStage>& stages() const;
  /// End of the run as the plan foresees it; a field is empty if it depends on the run.
  struct Totals {
    std::optional<double> epochs;
    std::optional<std::int64_t> batches, steps, samples, tokens;
  };
  Totals totals() const;
  const ResolvedValues& resolved() const;
  const std::vector<std::string>& notes() const;
  /// Tokens of an epoch over its packs x max_tokens. Empty without a token budget: then it depends on the
  /// micro-batches: see paddedFill(). Plans an epoch when first asked.
  std::optional<double> fill(std::int64_t epoch = 0) const;
  /// Tokens over samples x longest of their micro-batch: what a trainer that pads would fill. Of the first epoch, and
  /// of a large one its first global batches with together four million samples. Empty under a token budget and where
  /// lengths are assumed. Looks at each sample when first asked.
  Result<std::optional<double>> paddedFill() const;
  /// Samples that no pack of an epoch holds, with the reason; empty without a token budget.
  std::vector<SkippedSample> skipped(std::int64_t epoch) const;
  std::int64_t devices() const;
  std::int64_t microbatchUnits() const;
  /// True under a token budget: sizes count packs.
  bool countsPacks() const;
  double baseRate() const;
  /// The same plan with a smaller micro-batch, after an out-of-memory.
  Plan withMicrobatch(std::int64_t units) const;

 private:
  explicit Plan(std::shared_ptr<const PlanState> state) : state_(std::move(state)) {}
  std::shared_ptr<const PlanState> state_;
};

}  // namespace batchwise
