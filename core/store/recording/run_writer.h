// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/store/run_recorder.h"
#include "core/store/stamped_event.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Records a run in the database: publish() appends events to a bounded queue, from which the workspace's writer thread
/// commits groups and updates the heartbeat at most 200 ms apart. publish() blocks only while the queue is full. A
/// failed group is kept and retried; writeError() returns the error (for example a full disk; training then waits).
class RunWriter final : public RunRecorder {
 public:
  /// Opens the next segment: rows after `from` of older segments become superseded. Sets the run to Running. Fails with
  /// Busy if another live writer of any process has this run.
  static Result<std::unique_ptr<RunWriter>> open(std::shared_ptr<Workspace> workspace, const std::string& run,
                                                 const SegmentStart& start);
  /// Tries once to write pending events. A run without RunFinished stays Running until markDeadRuns() finds that it has
  /// no writer.
  ~RunWriter() override;

  std::int64_t segment() const override;
  void publish(const RunEvent& event) override;
  Result<void> addCheckpoint(const CheckpointRecord& record) override;
  Result<std::vector<CheckpointRecord>> checkpoints() const override;
  Result<void> removeCheckpoint(const CheckpointRecord& record) override;
  Result<void> flush() override;
  std::optional<Error> writeError() const override;
  /// Returns the published events that are not durable, oldest first, for storing them elsewhere.
  std::vector<StampedEvent> unsavedEvents();

 private:
  struct State;
  explicit RunWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace batchwise
