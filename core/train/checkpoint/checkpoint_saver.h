// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/bounded_queue.h"
#include "core/base/clock.h"
#include "core/base/mutex.h"
#include "core/store/records.h"
#include "core/train/checkpoint/checkpoint_state.h"

namespace batchwise {

struct SaveRequest {
  CheckpointRecord record;     ///< bytes, verified and finite are set by the saver
  std::filesystem::path path;  ///< of the file
  CheckpointState state;
  bool last = false;                   ///< final checkpoint of the run
  std::unique_ptr<Snapshot> onDevice;  ///< source of the tensors; null: they are in `state`
  double requestedSec = 0;             ///< Clock::monotonicSec() of the request
  double pauseSec = 0;                 ///< time for which the copy blocked training
  double blockedBeforeSec = 0;         ///< set by save(): total blocked time of the saver at the request
};

/// Result of a request: committed, or failed with `error`.
struct SaveOutcome {
  CheckpointRecord record;
  double seconds = 0;  ///< from the request to the commit, without blocked time
  double pauseSec = 0;
  bool last = false;
  std::optional<Error> error;
  std::optional<Error> retentionError;  ///< saved, but old checkpoints could not be removed
};

/// Writes checkpoints on a low-priority background thread: copies tensors from the device, writes the file, reads it
/// back, commits the row, and applies retention. At most one request waits while another is processed. Retries while
/// the disk is full or the store is locked; retries the last checkpoint of a run on any error. Methods are for the
/// training thread unless noted otherwise.
class CheckpointSaver {
 public:
  struct Hooks {
    std::function<Result<void>(const CheckpointRecord&)> commit;  ///< inserts the row durably
    std::function<Result<void>()> retain;                         ///< removes old checkpoints
    std::function<bool()> shouldCancel = {};                      ///< polled while blocked: true stops retrying
    std::function<Result<void>()> check = {};  ///< checks that the store is still there; called before writing
    /// Returns whether to retry the last checkpoint after `waitedSec`; if not set, false.
    std::function<bool(double waitedSec)> shouldRetryLast = {};
  };
  CheckpointSaver(Hooks hooks, const Clock& clock);
  /// Waits for pending requests.
  ~CheckpointSaver();

  /// Waits up to `timeout` until save() would not block. Returns whether it would not.
  bool waitForRoom(std::chrono::milliseconds timeout);
  /// Queues a request. Blocks if one is being written and another is waiting.
  void save(SaveRequest request);
  /// Returns the bytes of device memory used by pending snapshots.
  std::int64_t deviceBytes() const;
  /// Waits up to `timeout` until deviceBytes() is 0. Returns whether it is.
  bool waitForDevice(std::chrono::milliseconds timeout);
  /// Returns the results since the last call, oldest first.
  std::vector<SaveOutcome> takeOutcomes();
  /// Waits up to `timeout` until no request is pending. Returns whether none is.
  bool finish(std::chrono::milliseconds timeout);
  /// Returns why the current checkpoint is blocked; empty if it is not. Thread-safe.
  std::string blockedReason() const;
  /// Returns the tensors of a written checkpoint for reuse by copyToHost(); empty if there are none.
  std::vector<NamedTensor> takeReusableTensors();

 private:
  void work();
  SaveOutcome process(SaveRequest& request);
  void moveToHost(SaveRequest& request);
  Result<void> writeAndCommit(SaveRequest& request);
  Result<void> runWithRetries(const SaveRequest& request, const std::function<Result<void>()>& work);

  const Hooks hooks_;
  const Clock& clock_;
  BoundedQueue<SaveRequest> queue_{1};
  mutable Mutex mutex_;
  std::condition_variable_any ended_;  // a request finished, or its snapshot was freed
  std::vector<SaveOutcome> outcomes_ GUARDED_BY(mutex_);
  std::vector<NamedTensor> spare_ GUARDED_BY(mutex_);
  int inFlight_ GUARDED_BY(mutex_) = 0;
  std::int64_t deviceBytes_ GUARDED_BY(mutex_) = 0;
  std::string blockedReason_ GUARDED_BY(mutex_);
  double blockedSec_ GUARDED_BY(mutex_) = 0;  // total blocked time
  std::thread thread_;
};

}  // namespace batchwise
