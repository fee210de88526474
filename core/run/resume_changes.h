// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/store/records.h"

namespace batchwise {

/// What a resume trains with: `before`, with which the run was last trained, and upon it what `request` changes of what
/// the run was launched with (`launchedYaml`). So a resume that says nothing goes on with the changes of the one
/// before.
TrainConfig changedConfig(const TrainConfig& before, const std::string& launchedYaml, const LoadedConfig& request);

/// What a changed configuration means for a resume.
struct ResumeChanges {
  std::vector<std::string> notes;    ///< harmless, but said: "eval.interval: 100ba -> 50ba"
  std::vector<std::string> refused;  ///< possible as a fork only, or with --stretch: each names its field and the way
};
enum class ResumePlan { Keep, Stretch };
ResumeChanges judgeChanges(const TrainConfig& before, const TrainConfig& now, ResumePlan plan);

/// Why a resume that resolves the schedule anew cannot go on from `record`; empty: it can. Pure.
std::string stretchRefusal(const CheckpointRecord& record);

}  // namespace batchwise
