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

/// A change that a run does not go on with.
struct ResumeRefusal {
  enum class Why {
    RenamesRun,     ///< a new name is for a fork
    AnotherRun,     ///< possible as a fork only
    KeptSinceThen,  ///< resolved at launch: possible if it is resolved anew, or as a fork
  };
  std::string change;  ///< "seed: 17 -> 4"
  Why why = Why::AnotherRun;
  /// In the words of the command line, with the way that there is.
  std::string text() const;
};

/// What a changed configuration means for a resume.
struct ResumeChanges {
  std::vector<std::string> notes;  ///< harmless, but said: "eval.interval: 100ba -> 50ba"
  std::vector<ResumeRefusal> refused;
  /// The length changes and the schedule does not: keptCourseNote() says what that means.
  bool keepsCourse = false;
  /// A fork with these changes begins anew, from the weights alone. One that only has another name goes on.
  bool makesAnotherRun() const;
};
enum class ResumePlan { Keep, Stretch };
/// In the words of the command line.
std::string keptCourseNote();
ResumeChanges judgeChanges(const TrainConfig& before, const TrainConfig& now, ResumePlan plan);

/// Why a resume that resolves the schedule anew cannot go on from `record`; empty: it can. Pure.
std::string stretchRefusal(const CheckpointRecord& record);

}  // namespace batchwise
