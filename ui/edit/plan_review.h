// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/config/sweep.h"
#include "core/run/launch/scaling_plan.h"
#include "ui/edit/plan_preview.h"

namespace batchwise {

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
