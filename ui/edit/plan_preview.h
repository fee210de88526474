// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointF>
#include <QtCore/QString>
#include <QtCore/QStringList>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/schema.h"
#include "core/config/sweep.h"
#include "core/config/train_config.h"
#include "core/plan/run_plan.h"
#include "core/run/launch/memory_forecast.h"
#include "core/run/launch/scaling_plan.h"

namespace batchwise {

/// Inputs of a preview besides the configuration.
struct PlanAssumptions {
  std::int64_t samplesPerEpoch = 0;
  std::int64_t devices = 1;
  std::shared_ptr<const Lengths> lengths = {};  ///< sample lengths if the data is cached, else null
  /// Sample lengths of each stage if their data is cached, else empty.
  std::vector<std::shared_ptr<const Lengths>> stageLengths = {};
  std::int64_t tokensPerSample = 0;  ///< on average, where documents were counted; 0: the maximum length
};

/// A schedule or ramp-up length as resolved by the plan.
struct PlannedLength {
  Time length;
  std::optional<std::int64_t> batches;  ///< the same in global batches from the start; none: unknown
};

/// A stage of the run.
struct PlannedRunStage {
  Time until;
  std::optional<std::int64_t> batches;  ///< global batches; none: known only during the run
  std::vector<std::string> changes;     ///< "data.max_seq_len: 512"
};

/// Clocks at the begin of a global batch, or at the end of the plan.
struct PlanClock {
  std::int64_t batch = 0, sample = 0, token = 0;
};

/// Unit of the batch sizes in a plan: a sample, or a pack under a token budget.
struct StageUnits {
  bool packs = false;
  std::int64_t devices = 1;
  double samples = 1;  ///< in a unit, on average
  double tokens = 0;   ///< in a unit, on average
};

/// A resolved plan in displayable form. A value type.
struct PlanPreview {
  std::vector<PlannedRange> stages;        ///< steps of one size, of all stages of the run
  std::vector<PlannedRunStage> runStages;  ///< empty for a run without `stages`
  StageUnits units;
  Plan::Totals totals;
  std::vector<Plan::Totals> stageTotals;  ///< of each stage of the run, or of its only one
  Time maxDuration;                       ///< scale_schedule_ratio applied
  std::optional<PlannedLength> warmup;    ///< of the learning rate; none: no warm-up
  std::optional<PlannedLength> rampup;    ///< of the batch size
  /// x: completed global batches, see samplePlan(). Sizes that only the run will know are left out.
  std::vector<QPointF> rate, stepSize;
  std::vector<PlanClock> clocks;          ///< of these points, and of the end; empty: its end is not known
  RunLength length;                       ///< that times of the plan resolve against
  ResolvedValues resolved;                ///< of the first stage
  std::vector<FieldProblem> warnings;     ///< findPlanMistakes() and the notes of the plan
  std::optional<double> fill;             ///< of the first epoch
  std::optional<std::int64_t> maxTokens;  ///< per pack; none: no token budget
  bool lengthsKnown = false;              ///< or counted; false: all samples assumed to have the maximum length
};

/// Resolves the plan; without lengths, assumes samples of maximum length. Thread-safe. Fails as Plan::resolve does.
Result<RunPlan> resolvePlan(const TrainConfig& config, const PlanAssumptions& assumptions);
/// The same in displayable form.
Result<PlanPreview> previewPlan(const TrainConfig& config, const PlanAssumptions& assumptions);

/// The end of a run, and what its plan notes.
struct PlannedEnd {
  Plan::Totals totals;
  std::vector<Plan::Totals> stageTotals;  ///< of each stage of the run
  std::vector<FieldProblem> warnings;     ///< notes of the plan, and findPlanMistakes()
};
/// Returns the end of the run alone, which takes less time than a preview; nothing if there is no plan. Thread-safe.
std::optional<PlannedEnd> plannedEnd(const TrainConfig& config, const PlanAssumptions& assumptions);

/// Samples learning rate and step size at some of the first `batches` global batches, in order; x is the number of
/// completed batches, as in the metrics rows. Includes stage boundaries, and short last batches of epochs unless these
/// are closer than about 1/400 of the run. `clocks`: not null: their begins.
void samplePlan(const RunPlan& plan, std::int64_t batches, std::vector<QPointF>& rate, std::vector<QPointF>& stepSize,
                std::vector<PlanClock>* clocks = nullptr);

/// Leaves out the rests at the ends of epochs: single smaller sizes between equal ones. Pure.
std::vector<QPointF> withoutEpochEnds(const std::vector<QPointF>& sizes);

/// Restores the plan of a launched run from its stored values. Sample lengths are not stored: assumes the mean number
/// of tokens for each, which is exact unless run lengths are in tokens. Fails as Plan::restore does, and for every run
/// with a token budget.
Result<RunPlan> restorePlan(const TrainConfig& config, const ResolvedValues& resolved);

/// Estimates the samples per epoch from the bytes of the text on disk and the entries of the vocabulary; for the demo
/// corpus from its generator. Returns none without text.
std::optional<std::int64_t> estimateSamples(const DataConfig& data, std::int64_t vocabulary, std::int64_t bytes);

/// Estimates the number of samples of at most `longest` tokens, from the lengths of the same text cut to
/// `knownLongest`. Cut shorter, each sample makes as many pieces as it needs, so that there are never fewer than at
/// `knownLongest`; cut longer, there are never more, and `otherwise` tells how many fewer (0: not known). Pure.
std::int64_t samplesFromOtherLengths(const Lengths& known, std::int64_t knownLongest, std::int64_t longest,
                                     std::int64_t otherwise);

/// "20,000,000 tokens", "0.1 of the run".
QString timeText(const Time& time);

/// One line of the plan summary.
struct PlanFact {
  QString name;
  QString value;
  QString toolTip;         ///< may be empty
  QString shortText = {};  ///< short form for headline(); empty: not part of it
  bool operator==(const PlanFact&) const = default;
};

/// Joins the short forms: "818k tokens · about 512 MiB per device · 1 min 30 s". Pure.
QString headline(const std::vector<PlanFact>& facts);

/// Estimates that are not part of the plan itself.
struct PlanEstimates {
  std::optional<RunCost> cost = {};              ///< of the previewed run
  std::optional<MemoryForecast> memory = {};     ///< of one optimizer step
  std::optional<std::int64_t> memoryLimit = {};  ///< bytes per device; none: unknown before the launch
  std::int64_t runs = 1;                         ///< size of the sweep
  std::int64_t number = 1;                       ///< of the previewed run in the sweep, from 1
  std::optional<double> totalSeconds = {};       ///< training time of all runs of the sweep
};

/// Totals and costs of a run: steps, epochs, tokens, warm-up, memory, duration. Unknown values are omitted. Pure.
std::vector<PlanFact> planFacts(const PlanPreview& plan, const PlanEstimates& estimates);

/// The text that a run would train on.
struct TextReview {
  bool demo = false;  ///< generated: no files
  std::int64_t files = 0;
  std::int64_t bytes = 0;  ///< on disk
  QString sample;          ///< the beginning of the first document, on one line; empty if it cannot be read
};

/// Finds the training text and reads the beginning of its first file. Thread-safe; blocks on the file system.
TextReview reviewText(const DataConfig& data, const std::filesystem::path& baseFolder);

/// Describes the text in a line: "3 files, 12.4 MiB". Empty without text.
QString textLine(const TextReview& text);

/// One run of a sweep, as planned. Unknown values are empty.
struct PlannedRun {
  std::string name;
  std::vector<std::string> values;  ///< YAML text, in the order of the axes
  std::optional<std::int64_t> steps, tokens;
  std::optional<double> seconds;
  std::vector<FieldProblem> warnings;  ///< of its plan
};

/// Cost of a run whose stages have these totals; none if it is not known.
using CostOf =
    std::function<std::optional<RunCost>(const LoadedConfig& config, const std::vector<Plan::Totals>& stages)>;

/// Plans each run of a sweep. The assumptions are those of the first run: a run with other data has unknown steps and
/// tokens. Thread-safe.
std::vector<PlannedRun> planRuns(const std::vector<LoadedConfig>& runs, const std::vector<SweepAxis>& axes,
                                 const PlanAssumptions& assumptions, const CostOf& costOf);

/// Total training time of all runs, one after the other; none if that of a run is unknown.
std::optional<double> totalSeconds(const std::vector<PlannedRun>& runs);
/// Same for tokens.
std::optional<std::int64_t> totalTokens(const std::vector<PlannedRun>& runs);

/// Returns the warnings of the other runs of a sweep that `shown`, those of the previewed run, lack; the message names
/// the run.
std::vector<FieldProblem> otherWarnings(const std::vector<PlannedRun>& runs, const std::vector<FieldProblem>& shown);

/// Returns what keeps the runs of a sweep over these axes from being compared step by step.
std::vector<FieldProblem> sweepWarnings(const std::vector<SweepAxis>& axes);

/// Returns everything to check before the launch, by field: likely mistakes of the configuration, of its plan, and
/// too little text. `lengths` null: not known. Thread-safe.
std::vector<FieldProblem> reviewWarnings(const TrainConfig& config, const PlanPreview& plan, const Lengths* lengths);

}  // namespace batchwise
