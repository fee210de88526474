// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "core/store/records.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Records a run in the database: publish() appends events to a bounded queue, from which the workspace's writer thread
/// commits groups at most 200 ms apart. publish() blocks only while the queue is full. A
/// failed group is kept and retried; writeError() returns the error (for example a full disk; training then waits).
/// The destructor tries once to write pending events. A run without RunFinished stays Running until markDeadRuns()
/// finds that it has no writer.
class RunWriter : public RunRecorder {
 public:
  /// Opens the next segment: rows after `from` of older segments become superseded. Sets the run to Running. Fails with
  /// Busy if another live writer of any process has this run.
  static Result<std::unique_ptr<RunWriter>> open(std::shared_ptr<Workspace> workspace, const std::string& run,
                                                 const SegmentStart& start);
};

}  // namespace batchwise
