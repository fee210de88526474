// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/run/session/run_checkpoint.h"
#include "core/run/session/run_session.h"
#include "core/train/step_stream.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {

/// Everything that a run reported.
struct RunLog {
  std::vector<RunStarted> started;
  std::vector<MetricsRow> rows;   ///< see addRow
  std::vector<MetricsRow> steps;  ///< of log.every_step, all of them
  std::vector<EvalResult> evaluations;
  std::vector<CheckpointSaved> checkpoints;
  std::vector<RunNote> notes;
  std::vector<PhaseProgress> phases;
  std::vector<RunFinished> finished;

  bool hasNote(const std::string& part) const;
  /// Whether one was told with an amount of `unit`.
  bool hasPhase(const std::string& phase, const std::string& unit) const;
};

/// Changes of a configuration, as in --set: the second ones after the first.
std::vector<std::string> with(std::vector<std::string> first, const std::vector<std::string>& second);

/// Appends a row. Of a global batch in one step the row of the batch takes the place of the step's, so that there is
/// one per step.
void addRow(std::vector<MetricsRow>& rows, const MetricsRow& row);

/// Goes on by 1/4 s whenever a thread asks it, for each thread on its own: two runs that do the same take the same
/// seconds but for what is under way when one stops.
class TickingClock final : public Clock {
 public:
  double monotonicSec() const override;
  std::int64_t wallMs() const override { return SystemClock().wallMs(); }
};

/// A workspace with a small text beside it: runs of a model of 32 features on about 90 samples, some milliseconds per
/// step.
class SmallRuns {
 public:
  SmallRuns();

  /// A configuration; `changes` are assignments as in --set. Six global batches of 16 make an epoch, 12 the run.
  LoadedConfig config(const std::vector<std::string>& changes = {}) const;
  LaunchRequest fresh(const std::vector<std::string>& changes = {}) const;
  LaunchRequest resume(const std::string& run, const std::vector<std::string>& changes = {}) const;

  struct Outcome {
    Result<RunFinished> end;
    RunLog log;
    std::string run() const { return log.started.empty() ? "" : log.started.front().run; }
  };
  /// Runs to its end, or with `stopAfter` to the end of that optimizer step, where it is stopped by `command`.
  Outcome train(const LaunchRequest& request, std::optional<std::int64_t> stopAfter = {},
                RunCommand command = RunCommand::StopWithCheckpoint) const;
  /// Runs to its end, with a checkpoint after each optimizer step.
  Outcome trainSavingEachStep(const LaunchRequest& request) const;
  /// The checkpoint that segment 0 of a run took after optimizer step `step`.
  RunCheckpoint takenAfter(const std::string& run, std::int64_t step) const;
  /// The newest good checkpoint.
  RunCheckpoint newest(const std::string& run) const;
  std::shared_ptr<Workspace> workspace() const;
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TempFolder folder_;
  TickingClock clock_;
};

/// Returns the outcome; one without an end ends the test with its error and the place.
inline SmallRuns::Outcome checked(SmallRuns::Outcome outcome, const char* file = __builtin_FILE(),
                                  int line = __builtin_LINE()) {
  (void)checked(outcome.end, file, line);
  return outcome;
}

/// A micro-batch, and the optimizer step it belongs to (0 is the first).
struct StepMicroBatch {
  std::int64_t step = 0;
  MicroBatch batch;
};
/// At most `most` micro-batches of `device`, as they follow the state of a checkpoint while the batch does not grow.
std::vector<StepMicroBatch> microBatchesAfter(const SmallRuns& runs, const RunCheckpoint& from, std::int64_t device,
                                              std::size_t most);
/// Ids, masks, labels and places.
void expectSameMicroBatches(const std::vector<StepMicroBatch>& left, const std::vector<StepMicroBatch>& right);

// What differs, in words; empty if nothing does. Training seconds may differ by `secondsApart`: a stop loses those that
// are under way, and two runs that do not do the same ask the clock differently often.
constexpr double kSecondsOfAStop = 4.0;  // of TickingClock
constexpr double kAnySeconds = std::numeric_limits<double>::infinity();

/// Tensor by tensor, and the small state.
std::string stateDifference(const RunCheckpoint& left, const RunCheckpoint& right, double secondsApart);
/// The rows that count of one run, in one segment or several, against those of another: all columns but memory.
std::string rowsDifference(const std::vector<MetricsRow>& left, const std::vector<MetricsRow>& right,
                           double secondsApart);
std::string evaluationsDifference(const std::vector<EvalResult>& left, const std::vector<EvalResult>& right,
                                  double secondsApart);

/// As test failures.
void expectSameState(const RunCheckpoint& left, const RunCheckpoint& right, double secondsApart = kAnySeconds);
void expectSameRows(const std::vector<MetricsRow>& left, const std::vector<MetricsRow>& right,
                    double secondsApart = kAnySeconds);

template <typename T>
std::vector<T> joined(const std::vector<T>& first, const std::vector<T>& second) {
  std::vector<T> all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

}  // namespace batchwise::test
