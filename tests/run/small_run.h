// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/run/resume_source.h"
#include "core/run/run_session.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {

/// Everything that a run reported.
struct RunLog {
  std::vector<RunStarted> started;
  std::vector<MetricsRow> rows;
  std::vector<EvalResult> evaluations;
  std::vector<CheckpointSaved> checkpoints;
  std::vector<RunNote> notes;
  std::vector<RunFinished> finished;

  bool hasNote(const std::string& part) const;
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
  /// Runs to its end, or with `stopAfter` to the end of that optimiser step, where it is stopped by `command`.
  Outcome train(const LaunchRequest& request, std::optional<std::int64_t> stopAfter = {},
                RunCommand command = RunCommand::StopWithCheckpoint) const;
  /// The newest good checkpoint.
  RunCheckpoint newest(const std::string& run) const;
  std::shared_ptr<Workspace> workspace() const;
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TempFolder folder_;
  SystemClock clock_;
};

/// Tensor by tensor and field by field; training seconds aside. Reports differences as test failures.
void expectSameState(const RunCheckpoint& left, const RunCheckpoint& right);
/// The rows that count of one run, in one segment or several, against those of another.
void expectSameRows(const std::vector<MetricsRow>& left, const std::vector<MetricsRow>& right);

}  // namespace batchwise::test
