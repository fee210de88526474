// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/mutex.h"
#include "core/checkpoint/checkpoint_state.h"
#include "core/store/journal/journal.h"
#include "core/store/stamped_event.h"

namespace batchwise {

/// Keeps what the store of a run cannot take: in the user's data folder, as a journal with checkpoint files beside it,
/// `batchwise-rescue/<run>-<segment>/`, which `batchwise runs sync --from` takes in. Nothing is made before there is
/// something to keep. Any thread.
class RunRescue {
 public:
  explicit RunRescue(const Clock& clock) : clock_(clock) {}

  /// The run as the store has it at the start of a segment, which what follows belongs to.
  void setRun(RunDetail run);
  /// Writes a checkpoint that no other place took. `state` is of its tensors and facts. Fails as writeCheckpoint.
  Result<void> keep(const CheckpointRecord& record, const CheckpointState& state);
  /// Writes events that the store did not take. Fails with Io or DiskFull.
  Result<void> keep(const std::vector<StampedEvent>& events);
  /// Where it is and what takes it in: "FILE; 'batchwise runs sync --from FILE' takes it in". Empty: nothing was kept.
  std::string text() const;

 private:
  /// The time at which an event was published, not at which it is kept.
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
  std::unique_ptr<JournalWriter> journal_ GUARDED_BY(mutex_);  // last: it reads the clock
};

}  // namespace batchwise
