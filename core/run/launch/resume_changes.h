// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/config/config_file.h"
#include "core/store/records.h"

namespace batchwise {

/// Returns the configuration of a resume: `before`, the one last trained with, plus the changes that `request` makes to
/// the one at launch (`launchedYaml`). So an empty request keeps the changes of the previous resume.
TrainConfig resumedConfig(const TrainConfig& before, const std::string& launchedYaml, const LoadedConfig& request);

/// A change that a resume rejects.
struct RejectedChange {
  enum class Reason {
    Rename,           ///< a new name needs a fork
    ForkRequired,     ///< possible only as a fork
    StretchRequired,  ///< resolved at launch: possible with --stretch, or as a fork
  };
  Message change;  ///< "seed: 17 -> 4"
  Reason reason = Reason::ForkRequired;
  /// Returns the message for the command line, with the option that allows the change.
  Message text() const;
};

/// Effect of a changed configuration on a resume.
struct ResumeChanges {
  std::vector<Message> notes;  ///< accepted changes, reported: "eval.interval: 100ba -> 50ba"
  std::vector<RejectedChange> rejected;
  /// The length changes but not the schedule; see keptScheduleNote().
  bool keepsSchedule = false;
  /// Returns whether a fork with these changes starts from the weights alone. A fork with only a new name continues.
  bool startsFromWeights() const;
};
enum class ResumePlan { Keep, Stretch };
/// Explains keepsSchedule for the command line.
Message keptScheduleNote();
ResumeChanges validateChanges(const TrainConfig& before, const TrainConfig& now, ResumePlan plan);

/// Returns the reason that forbids a resume with --stretch from `record`; empty: there is none. Pure.
Message stretchError(const CheckpointRecord& record);

}  // namespace batchwise
