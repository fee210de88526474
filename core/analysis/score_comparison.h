// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/run_comparison.h"
#include "core/analysis/statistics.h"
#include "core/analysis/text_table.h"
#include "core/store/score.h"

namespace batchwise {

/// Returns whether less is better: losses, perplexities, bits per byte.
Direction directionOfScore(std::string_view metric);

/// The scores of a model for one seed on one task: usually one, or several seeds of fine-tuning a pretraining seed.
struct SeedScores {
  std::string seed;           ///< equal seeds of two models are compared as pairs
  std::vector<Score> scores;  ///< at least one, with predictions if they are to be resampled
};

/// How a model differs from a baseline on a task.
struct ScoreDifference {
  double difference = 0;              ///< mean of the model less that of the baseline
  std::optional<double> betterShare;  ///< of the resamplings in which the model is better, ties half; with predictions
  std::optional<double> low, high;    ///< interval of the difference, at least 95 %; nothing if the noise is unknown
  Assessment verdict = Assessment::Unknown;
  NoiseSource noiseFrom = NoiseSource::None;  ///< Examples: of one seed a side
  bool isOfCheckpoints = false;  ///< one seed a side: it holds for these two checkpoints, not for other seeds
  /// Seeds that each side needs in addition to tell the difference in 4 of 5 cases, if it is what it seems; nothing if
  /// it is told already, or more than 30 would not do.
  std::optional<int> moreSeeds;

  /// Returns "better in 97 of 100 resamplings", or "within noise; about 6 more seeds would tell".
  std::string text() const;
};

/// Compares the scores of two models on one task: Multi-Bootstrap (Sellam et al. 2021, arXiv 2106.16163), which
/// resamples seeds and examples together, over the same examples in both models (of words: over their sentences) and,
/// where all seeds are shared, over pairs of seeds; always the same random numbers. Resampling a few seeds
/// underestimates their noise, so the interval and the verdict are of Student's t: the noise between seeds as
/// differenceNoise() has it, or that of the side with several seeds, plus the variance that resampling examples shows.
/// One seed a side needs ten examples, or sentences. Without predictions only seeds count, two on a side at least.
/// Without seeds that differ, nothing is said of their noise. Fails with Config if the scores are of several tasks,
/// metrics, splits or methods, or not of the same examples.
Result<ScoreDifference> compareScores(std::span<const SeedScores> model, std::span<const SeedScores> baseline);

/// Score of a line of a comparison, or of a Hugging Face folder, on a task, by the last checkpoint of each run that has
/// one.
struct LineScore {
  std::size_t line = 0;  ///< in the comparison; a folder has one after them
  std::string label;     ///< of the line, or the path of the folder
  std::string task, taskHash, method, metric, split;
  double rate = 0;  ///< of the fine-tuning: the best on the validation part; 0: none
  double mean = 0;
  std::optional<double> deviation;  ///< between seeds; nothing for one
  std::size_t seeds = 0;            ///< of the line: runs, or seeds of the only run
  std::int64_t examples = 0;
  std::vector<std::string> checkpoints;  ///< "base-1 at 1,200ba", one per run
  std::vector<Score> scores = {};        ///< those that the mean is of, without predictions
  std::optional<ScoreDifference> toBaseline = {};
  std::string caution = {};  ///< why there is no difference: "not of the same examples"
};

/// Reads the scores of the compared runs, by task, and of folders that were scored alike (none if one is damaged), and
/// compares them with those of the first line. Fails as the store does. Takes about a second per 1,000 resamplings of
/// 10 x 25,000 examples.
Result<std::vector<LineScore>> scoresOfLines(const Workspace& workspace, const RunComparison& comparison);

/// One row per score: task, metric, line, mean and deviation, seeds, difference, checkpoints. No rows without scores.
TextTable scoreTable(const RunComparison& comparison, std::span<const LineScore> scores);

}  // namespace batchwise
