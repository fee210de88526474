// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/config/schema.h"
#include "core/config/train_config.h"

namespace batchwise {

/// A stage of a run as a configuration of its own.
struct RunStage {
  std::string field;   ///< "stages[1]"; "" for a run without `stages`
  TrainConfig config;  ///< of the run with the settings of the stage; without `stages`
  Time until;          ///< as given
  Time from;           ///< nominal begin, in the unit of max_duration; config.maxDuration is the length from there
  /// Whether the stage has a schedule of its own, on its own clock: `dur` is its length. False: the schedule of the run
  /// continues.
  bool hasOwnSchedule = true;
  bool continuesPass = false;        ///< reads the same data as the stage before, and continues its pass over them
  std::vector<std::string> changes;  ///< "data.max_seq_len: 512", in the order given
};

/// Returns the stages of a run in order: one that is the whole run without `stages`. The ramp of the run is that of its
/// first stage. A stage that does not continue a pass has another seed, derived from that of the run. Requires a
/// configuration without problems of checkRunStages().
std::vector<RunStage> runStages(const TrainConfig& config);

/// Returns the problems of `stages` by field: ends out of order, an end that is not that of the run, settings that
/// contradict others, settings without a meaning in a stage.
std::vector<FieldProblem> checkRunStages(const TrainConfig& config);

/// Returns whether a stage can set the field.
bool isStageField(const std::string& path);

/// Returns the largest data.max_seq_len of all stages.
std::int64_t longestSequence(const TrainConfig& config);

/// Returns whether two stages read the same sequences.
bool readsSameData(const TrainConfig& stage, const TrainConfig& other);

}  // namespace batchwise
