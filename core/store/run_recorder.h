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

/// Records one segment of one run, in the database (RunWriter) or in a journal (JournalWriter). publish(): any thread.
/// What cannot be written is kept and tried again, while trouble() tells. PhaseProgress is not recorded.
class RunRecorder : public EventSink {
 public:
  struct SegmentStart {
    Timestamp from;
    std::string checkpoint;    ///< resumed from
    std::string environment;   ///< JSON
    std::string resolvedYaml;  ///< takes the place of the run's, if it goes on with changes; empty: stays
    /// Of a run without a checkpoint that starts again: its configuration, resolved values, references and plan take
    /// the place of those stored.
    std::optional<NewRun> restart = {};
  };
  virtual std::int64_t segment() const = 0;
  /// Enters a checkpoint whose file (a path below the workspace) is complete and synced; run, segment and size are
  /// filled in. Safe when this succeeds.
  virtual Result<void> addCheckpoint(const CheckpointRecord& record) = 0;
  /// Those of the run, oldest first.
  virtual Result<std::vector<CheckpointRecord>> checkpoints() const = 0;
  /// Takes a checkpoint of the run away, then its file.
  virtual Result<void> removeCheckpoint(const CheckpointRecord& record) = 0;
  /// All events so far are safe when this succeeds. When it fails they are kept and will be tried again.
  virtual Result<void> flush() = 0;
  /// The last write error that has not been made good; nothing if all is well.
  virtual std::optional<Error> trouble() const = 0;
  /// What a person should know of how the segment was opened.
  virtual std::vector<std::string> notices() const { return {}; }
};

}  // namespace batchwise
