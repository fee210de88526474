// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/events/run_event.h"
#include "core/store/records.h"

namespace batchwise {

/// An event and the time of its report.
struct StampedEvent {
  std::int64_t wallMs = 0;  ///< milliseconds since 1970 UTC
  RunEvent event;
};

/// Records one segment of a run, in the database (RunWriter) or in a journal (JournalWriter). publish() is thread-safe.
/// Events that cannot be written are kept and retried; writeError() returns the error meanwhile. PhaseProgress is not
/// recorded.
class RunRecorder : public EventSink {
 public:
  struct SegmentStart {
    Timestamp from;
    std::string checkpoint;    ///< the checkpoint it was resumed from
    std::string environment;   ///< JSON
    std::string resolvedYaml;  ///< replaces the run's if it resumes with changes; empty: unchanged
    /// For a run without a checkpoint that starts again: its configuration, resolved values, references and plan
    /// replace the stored ones.
    std::optional<NewRun> restart = {};
  };
  virtual std::int64_t segment() const = 0;
  /// Records a checkpoint whose file (a path relative to the workspace) is complete and synced; fills in run, segment
  /// and size. Durable on success.
  virtual Result<void> addCheckpoint(const CheckpointRecord& record) = 0;
  /// Returns the checkpoints of the run, oldest first.
  virtual Result<std::vector<CheckpointRecord>> checkpoints() const = 0;
  /// Deletes the record of a checkpoint of the run, then its file.
  virtual Result<void> removeCheckpoint(const CheckpointRecord& record) = 0;
  /// Makes all events published so far durable. On failure they are kept and retried later.
  virtual Result<void> flush() = 0;
  /// Returns the global batches of the run whose rows are durable, by the newest of them.
  virtual std::int64_t storedBatch() const = 0;
  /// Returns the write error that is being retried; nullopt if there is none.
  virtual std::optional<Error> writeError() const = 0;
  /// Returns messages for the user about how the segment was opened.
  virtual std::vector<std::string> notices() const { return {}; }
};

}  // namespace batchwise
