// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/format.h"
#include "core/run/trainer.h"
#include "core/store/records.h"

namespace batchwise {

inline std::string stretchNeedsBatchBoundaryText(const auto& checkpoint) {
  return formatText(
      "checkpoint {} was taken inside a global batch, which a schedule resolved again (--stretch) would split "
      "differently; resume from one that was taken between two, or keep the schedule",
      checkpoint);
}

/// What a change of the configuration does to the steps after a checkpoint; each includes those before it.
enum class ChangeEffect {
  None,      ///< nothing: what is recorded, kept, evaluated or named
  Rounding,  ///< the last bits: another order of summation
  Numbers,   ///< same samples and masks, other losses, gradients or rates
  Masks,     ///< other tokens are predicted
  Samples,   ///< other samples in the steps
};
/// Returns the effect of a change of `field` on a run that goes on from the state of a checkpoint. Pure.
ChangeEffect effectOfChange(const std::string& field);

/// A reason to refuse a resume.
struct ResumeRefusal {
  enum class Reason {
    Rename,           ///< a new name needs a fork
    ForkRequired,     ///< a change that is possible only as a fork
    StretchRequired,  ///< a change of what was resolved at launch: possible with --stretch, or as a fork
    InsideBatch,      ///< the checkpoint was taken inside a global batch, which --stretch would split differently
  };
  Reason reason = Reason::ForkRequired;
  std::string subject;  ///< the change, as "seed: 17 -> 4"; for InsideBatch the id of the checkpoint
  /// Returns the message for the command line, with the option that allows the change.
  std::string text() const;
};

/// What a resume or fork does. Session, command line and window read it.
struct ResumeDecision {
  enum class Kind {
    Continue,         ///< the same run goes on
    ForkFromState,    ///< a new run from the weights, moments and clocks of the checkpoint; see addsStage
    ForkFromWeights,  ///< a new run from the weights of the checkpoint, everything else from the start
    Refused,          ///< see refusals
  };
  Kind kind = Kind::Continue;
  TrainConfig config;                        ///< of the resumed run, defaults filled
  std::vector<ResumeRefusal> refusals;       ///< all of them
  std::vector<std::string> changes;          ///< accepted, reported: "eval.interval: 100ba -> 50ba"
  std::vector<std::string> forkChanges;      ///< changes that only a fork permits, if this is one
  bool keepsSchedule = false;                ///< the length changes but not the schedule
  bool stretches = false;                    ///< the schedule is resolved again
  bool addsStage = false;                    ///< a fork whose changes are a further stage that begins at the checkpoint
  ChangeEffect effect = ChangeEffect::None;  ///< the greatest of all changes
  std::vector<std::string> effectiveFields;  ///< those whose change has it; empty: none has one, or only `stretches`
  bool restAtZeroRate = false;               ///< keepsSchedule, and the schedule ends at 0
  bool nothingLeft = false;                  ///< the checkpoint is at the planned end, and the length is unchanged
  std::int64_t repeatedBatches = 0;          ///< global batches after the checkpoint that are trained again
  /// Returns whether a fork would permit everything that is refused.
  bool possibleAsFork() const;
};

/// Decides what `request` does with checkpoint `from` of `run`. `before`: the configuration last trained with; the
/// fields that the request assigns (LoadedConfig::assigned) are set in it, so that a request without changes keeps
/// those of the previous resume. Requires a request whose configuration is empty or without errors. Pure.
ResumeDecision decideResume(const LaunchRequest& request, const RunDetail& run, const CheckpointRecord& from,
                            const TrainConfig& before);

/// Returns the checkpoints that `request` may resume from, in the order of attempts: those of resumeOrder(), for a
/// stretch without those that were taken inside a global batch. Pure.
std::vector<CheckpointRecord> resumeCandidates(const LaunchRequest& request, const RunDetail& run,
                                               const std::vector<CheckpointRecord>& checkpoints);

}  // namespace batchwise
