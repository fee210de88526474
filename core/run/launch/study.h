// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/critical_batch.h"
#include "core/base/result.h"
#include "core/run/trainer.h"
#include "core/store/run_queue.h"
#include "core/store/workspace.h"

namespace batchwise {

// The study of the critical batch of a run: its branches are runs of the workspace that go on from its checkpoints with
// other batches, by the same samples and masks; replicates from 1 on go on in another order of the epoch, with other
// masks, so that they meet samples again that the run has read. What they were evaluated at decides
// (core/analysis/critical_batch.h), so the study itself stores nothing but its request.

/// What a person asks for. Without a length, checkpoints or a decision on the cool-down they are chosen.
struct StudyRequest {
  std::vector<std::int64_t> positions;  ///< tokens, ascending: the nearest checkpoints; empty: geometric in tokens
  StudyOptions options;                 ///< deltaTokens 0: shortestDelta()
  std::optional<bool> coolsDown;        ///< empty: see coolsDownByDefault()
  bool operator==(const StudyRequest&) const = default;
};

/// A branch, or the run itself where it is one.
struct StudyBranch {
  BranchResult result;
  std::string run;   ///< id
  std::string name;  ///< of the run
  RunStatus status = RunStatus::Created;
  bool isRunItself = false;
  /// Whether it can go on from a checkpoint of its own; else it begins at that of the run, again if it has begun.
  bool hasCheckpoint = false;
  bool isTraining() const { return status == RunStatus::Running; }
  bool endedEarly() const {
    return status == RunStatus::Failed || status == RunStatus::Stopped || status == RunStatus::Interrupted;
  }
};

/// Where branches start and end, on the samples of the run.
struct StudyPlace {
  CheckpointRecord checkpoint;
  std::int64_t batchUnits = 1;                        ///< of a step there, samples or packs: factor 1
  std::int64_t half = 0, threeQuarters = 0, end = 0;  ///< samples at evaluations
  std::int64_t cooledEnd = 0;                         ///< `end` without a cool-down
};

/// A study as it stands.
struct Study {
  std::string name;  ///< the experiment of its branches
  RunDetail run;     ///< that is studied
  StudyRequest asked;
  StudyOptions options;  ///< with the length of a branch
  std::vector<StudyPlace> places;
  std::vector<StudyCheckpoint> checkpoints;  ///< of `places`
  std::vector<StudyBranch> branches;         ///< that are there
  std::vector<CheckpointDecision> decisions;
  std::vector<Branch> next;  ///< needed now: nextBranches() without those that are training
  StudyCost cost;            ///< of the whole study at most
  std::optional<double> tokensPerSec;
  double tokensPerSample = 1, totalTokens = 0;  ///< of the run to its planned end
  std::optional<double> deviation;   ///< of a difference between two branches of one replicate, as far as it is known
  std::string deviationSource;       ///< "differences between its branches", …
  std::optional<double> resolvable;  ///< resolvableDifference() by it
  std::optional<CriticalBatchLaw> law;
  std::string whyNoLaw;
  std::optional<StudyRamp> ramp;  ///< by the lower edge of the law; two stages or more
  std::string whyNoRamp;
  std::vector<std::string> warnings;

  std::vector<BranchResult> results() const;
  /// Returns where branches from these tokens start and end; null if none do.
  const StudyPlace* placeOf(std::int64_t position) const;
  /// Returns the branch if it is there.
  const StudyBranch* find(const Branch& branch) const;
};

/// Whether a branch has ended because its loss strayed, which is a result: too large a batch.
bool hasDiverged(FailureCause cause);

/// Returns the study of a run (id, name or "latest") with the branches that are there. Starts nothing and stores
/// nothing. Fails with NotFound, and with Config for a run that cannot be studied, as one without checkpoints, and for
/// branches that cannot be.
Result<Study> planStudy(const std::shared_ptr<Workspace>& workspace, const std::string& run,
                        const StudyRequest& request);
/// Returns the tokens of each branch of planStudy(), also where these do not fit into the run.
Result<std::int64_t> lengthOfBranches(const std::shared_ptr<Workspace>& workspace, const std::string& run,
                                      const StudyRequest& request);
/// Returns what the branches cost at most that have not ended: `study.cost` before any has.
StudyCost costLeft(const Study& study);
/// Returns the study of a run that rememberStudy() stored last; nothing if there is none. Fails as planStudy().
Result<std::optional<Study>> readStudy(const std::shared_ptr<Workspace>& workspace, const std::string& run);
/// Stores what was asked for, for readStudy().
Result<void> rememberStudy(Workspace& workspace, const Study& study);

/// Returns the configuration of a branch, which goes on from the checkpoint as a fork.
LoadedConfig branchConfig(const Study& study, const Branch& branch);
/// Returns what trains a branch: begins it, begins it again, or resumes it. Fails with Busy if it is training, else as
/// the store.
Result<LaunchRequest> studyBranch(const Workspace& workspace, const Study& study, const Branch& branch);
/// Whether branches that are needed and have failed, or were stopped or interrupted, go on.
enum class EndedEarly { Left, GoOn };
/// Appends those of `study.next` that are not there to the queue. Returns their number.
Result<std::int64_t> queueBranches(const std::shared_ptr<Workspace>& workspace, const Study& study,
                                   EndedEarly ended = EndedEarly::Left);
/// Returns whether a branch that trains is still needed after it was evaluated: it need not end if it is far behind.
bool isStillNeeded(const Study& study, const Branch& branch, const EvalResult& result);
/// The same for a run of the queue, by the study that its parent was given last: true for a run that is no branch, and
/// where the study cannot be read.
bool isStillNeeded(const std::shared_ptr<Workspace>& workspace, const std::string& run, const EvalResult& result);
/// Returns the runs of branches that have not ended and are not needed any more, by what the study knows of them.
std::vector<std::string> unneededRuns(const Study& study);
/// Deletes the checkpoints of branches that have ended: only their evaluations count.
Result<void> deleteBranchCheckpoints(Workspace& workspace, const Study& study);

/// Returns the configuration of the run with the ramp of the study, named for it. Requires a ramp.
LoadedConfig withStudyRamp(const Study& study);
/// Returns what it changes in the configuration of the run, as YAML.
std::string studyRampYaml(const Study& study);

}  // namespace batchwise
