// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/store/run_recorder.h"
#include "core/store/stamped_event.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Writes one run: publish() puts events into a bounded queue, from which the writer thread of the workspace commits
/// them in groups at most 200 ms apart and beats the heart. The training thread waits only when the queue is full. A
/// group that fails is kept and tried again, and trouble() tells (for example: disk full; training then waits).
class RunWriter final : public RunRecorder {
 public:
  /// Opens the next segment: rows after `from` of older segments become superseded. The run becomes Running. Fails with
  /// Busy if another live writer has this run, of this process or of another.
  static Result<std::unique_ptr<RunWriter>> begin(std::shared_ptr<Workspace> workspace, const std::string& run,
                                                  const SegmentStart& start);
  /// Tries once to write what is left. A run without RunFinished then stays Running until markDeadRuns() finds that
  /// nobody writes it.
  ~RunWriter() override;

  std::int64_t segment() const override;
  void publish(const RunEvent& event) override;
  Result<void> addCheckpoint(const CheckpointRecord& record) override;
  Result<std::vector<CheckpointRecord>> checkpoints() const override;
  Result<void> removeCheckpoint(const CheckpointRecord& record) override;
  Result<void> flush() override;
  std::optional<Error> trouble() const override;
  /// What was published and is not safe, oldest first: for whoever keeps it elsewhere.
  std::vector<StampedEvent> unstored();

 private:
  struct State;
  explicit RunWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace batchwise
