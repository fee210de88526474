// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/schema.h"
#include "core/config/train_config.h"

// Fields whose value is a list of sections, one line of YAML, taken apart for editing in a table: the stages of a ramp,
// the parts of a chain of schedules.

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

/// One section of the list: keys and values in the order of the text, the values as YAML on one line.
using ListSection = std::vector<std::pair<std::string, std::string>>;

/// Returns the sections of "[{at: 0ba, …}, …]"; nothing if the text is not a list of sections.
std::optional<std::vector<ListSection>> parseSectionList(const std::string& yaml);
/// Inverse of parseSectionList(). Leaves out keys without a value; a value that is no YAML becomes a quoted text.
std::string sectionListText(const std::vector<ListSection>& sections);

/// Returns the keys that each section of the field must have; empty if its value is no list of sections.
std::vector<std::string> requiredKeys(const Field& field);
/// Returns the choices for the value of a key of its sections; empty if it is free.
std::vector<std::string> keyChoices(const Field& field, const std::string& key);

/// A problem in a list of sections: at a key of section `index`, or at the section as a whole if `key` is empty.
struct SectionProblem {
  std::size_t index = 0;
  std::string key;
  std::string message;
};
/// Returns the problems of a value of the field that is a list of sections.
std::vector<SectionProblem> checkSectionList(const Field& field, const std::string& yaml);
/// Returns index and key of a place in such a field: {1, "at"} of "batch.rampup.stages[1].at"; nothing if `place` names
/// no section.
std::optional<std::pair<std::size_t, std::string>> sectionPlace(const std::string& place);

}  // namespace batchwise
