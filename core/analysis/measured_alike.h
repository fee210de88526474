// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/config_difference.h"

namespace batchwise {

/// What the losses of a run were measured with.
struct MeasuredRun {
  std::string name;
  const ConfigValues* config = nullptr;    ///< empty if it could not be read
  std::optional<double> evaluationTokens;  ///< of an evaluation; nothing if the run has none
  std::optional<double> mostParts;         ///< most optimizer steps of a global batch; nothing if unknown
  std::string tokenizer = {};              ///< identity of its tokenizer; empty if unknown
  std::string evaluationText = {};         ///< PreparedData::evaluationText; empty if unknown
  std::string trainingText = {};           ///< PreparedData::trainingText; empty if unknown
  bool isExternal = false;                 ///< of another program: text, tokenizer and masks are unknown
};

/// Return whether a series of the evaluation, or the training loss, of two runs was measured with the same text,
/// tokenizer, length of sequences and masks, the training loss also with the same dropout and layer drop, which
/// evaluations are without; true if a configuration could not be read, false of a run of another program. Tokenizers
/// and evaluation texts are compared by what is in them; where that is unknown, by the settings that decide it. What a
/// folder of model.init_from holds is not known from them. Of a series of one evaluation set ("eval.own.loss") that set
/// counts; of bits per byte the tokenizer does not.
bool isEvaluatedAlike(const MeasuredRun& run, const MeasuredRun& other, std::string_view series = "eval.loss");
bool isTrainingLossAlike(const MeasuredRun& run, const MeasuredRun& other);

/// Returns a short name of what evaluations measure, six letters: equal if and only if text, tokenizer,
/// length of sequences, masks and weights of the sets are, whatever the names of the files.
std::string evaluationSet(const ConfigValues& config, const std::string& evaluationText, const std::string& tokenizer);

/// Returns notes on evaluation losses that were not measured alike: runs that differ from the first in text,
/// tokenizer, sequence length or masks. Empty if all are comparable.
std::vector<std::string> evaluationNotes(std::span<const MeasuredRun> runs);

/// Returns a note that names the runs of other programs, whose losses have no verdict. Empty otherwise.
std::string unknownMeasurementNote(std::span<const MeasuredRun> runs);

/// Returns a note that the evaluations of a planned run will not be measured like those of a baseline; empty if they
/// will.
std::string plannedEvaluationNote(const MeasuredRun& baseline, const MeasuredRun& planned);

/// Returns a note that names the runs that were trained on other text than the first though their settings name the
/// same. Empty otherwise.
std::string trainingTextNote(std::span<const MeasuredRun> runs);

/// Returns a note if the runs differ in the number of optimizer steps of a global batch: training loss is then measured
/// between several updates. Empty otherwise.
std::string trainingLossNote(std::span<const MeasuredRun> runs);

/// Returns a note on runs that are in no mean because another one has their settings and seed. Empty without names.
std::string repeatedSeedsNote(const std::vector<std::string>& names);

/// Returns a note on runs whose time, speed and memory are not theirs alone. Empty without names.
std::string besideOthersNote(const std::vector<std::string>& names);

/// Returns a note that names the runs that started from trained weights (model.init_from, model.tile_from) if others
/// did not. Empty otherwise.
std::string startingWeightsNote(std::span<const MeasuredRun> runs);

}  // namespace batchwise
