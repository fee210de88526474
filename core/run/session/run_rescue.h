// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/message.h"
#include "core/base/mutex.h"
#include "core/checkpoint/checkpoint_state.h"
#include "core/store/journal/journal.h"
#include "core/store/run_recorder.h"

namespace batchwise {

/// Saves what the store of a run cannot take, as a journal with checkpoint files in the user's data folder,
/// `batchwise-rescue/<run>-<segment>/`; `batchwise runs sync --from` imports it. Creates nothing until there is
/// something to save. Thread-safe.
class RunRescue {
 public:
  explicit RunRescue(const Clock& clock) : clock_(clock) {}

  /// Sets the run as stored at the start of a segment.
  void setRun(RunDetail run);
  /// Writes a checkpoint that could not be stored. `state`: its tensors and facts. Fails as writeCheckpoint.
  Result<void> keep(const CheckpointRecord& record, const CheckpointState& state);
  /// Writes events that could not be stored. Fails with Io or DiskFull.
  Result<void> keep(const std::vector<StampedEvent>& events);
  /// Returns the location and the command to import it: "FILE; 'batchwise runs sync --from FILE' takes it in". Empty if
  /// nothing was saved.
  Message text() const;

 private:
  /// Returns the time at which an event was published, instead of the present.
  class StampClock final : public Clock {
   public:
    double monotonicSec() const override { return SystemClock().monotonicSec(); }
    std::int64_t wallMs() const override { return stampMs; }
    std::int64_t stampMs = 0;
  };
  Result<void> open() REQUIRES(mutex_);

  const Clock& clock_;
  mutable Mutex mutex_;
  RunDetail run_ GUARDED_BY(mutex_);
  std::filesystem::path folder_ GUARDED_BY(mutex_);
  StampClock stamps_ GUARDED_BY(mutex_);
  std::unique_ptr<JournalWriter> journal_ GUARDED_BY(mutex_);  // last: it reads stamps_
};

}  // namespace batchwise
