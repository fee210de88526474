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
#include "core/checkpoint/checkpoint_state.h"
#include "core/checkpoint/snapshot.h"
#include "core/store/records.h"

namespace batchwise {

/// A checkpoint on its way to the disk.
struct SaveRequest {
  CheckpointRecord record;     ///< complete but for bytes, verified, finite
  std::filesystem::path path;  ///< of the file
  CheckpointState state;
  bool last = false;                   ///< of its run: what the run amounts to
  std::unique_ptr<Snapshot> onDevice;  ///< where the tensors of `state` still are; null: in `state`
  double requestedSec = 0;             ///< Clock::monotonicSec() at the request
  double pauseSec = 0;                 ///< training waited that long for the copy
  double waitedBeforeSec = 0;          ///< the saver's: what it had waited for obstacles by then
};

/// What became of one: committed, or the reason why not.
struct SaveOutcome {
  CheckpointRecord record;
  double seconds = 0;  ///< from the request to the committed row, without the time in which something was in the way
  double pauseSec = 0;
  bool last = false;
  std::optional<Error> error;
  std::string kept;                     ///< where one that was not saved is kept, and what takes it in; empty: nowhere
  std::optional<Error> retentionError;  ///< the checkpoint is good, but older ones could not be removed
};

/// Writes checkpoints on a thread of its own, of the least priority, while training goes on: tensors off the device,
/// file, reading it back, the store's row, then the removal of those that need not be kept. At most one waits while one
/// is written. On a full disk and a store in use it tries again until it can. The last one of a run is tried again
/// whatever is in the way, then kept elsewhere. Its functions are for the thread that trains, if they do not say
/// otherwise.
class CheckpointSaver {
 public:
  struct Store {
    std::function<Result<void>(const CheckpointRecord&)> commit;  ///< enters the row; durable when it returns
    std::function<Result<void>()> retain;                         ///< removes what retention gives up
    std::function<bool()> giveUp = {};         ///< asked while something is in the way: true ends the waiting
    std::function<Result<void>()> check = {};  ///< whether the store is where it was: asked before anything is written
    /// Whether to try once more to save the last checkpoint, after so many seconds; none: no.
    std::function<bool(double waitedSec)> tryLastAgain = {};
    /// Keeps a last one that cannot be saved elsewhere; where that is, and what takes it in.
    std::function<Result<std::string>(const CheckpointRecord&, const CheckpointState&)> keepElsewhere = {};
  };
  CheckpointSaver(Store store, const Clock& clock);
  CheckpointSaver(const CheckpointSaver&) = delete;
  CheckpointSaver& operator=(const CheckpointSaver&) = delete;
  /// Waits for what is under way.
  ~CheckpointSaver();

  /// Waits until save() need not wait, `atMost` that long. Returns whether it need not.
  bool waitForRoom(std::chrono::milliseconds atMost);
  /// Takes over; waits only if one is being written and another one waits already.
  void save(SaveRequest request);
  /// Bytes that snapshots under way take of the device.
  std::int64_t deviceBytes() const;
  /// Waits until that is nothing, `atMost` that long. Returns whether it is.
  bool waitForDevice(std::chrono::milliseconds atMost);
  /// What has ended since the last call, oldest first.
  std::vector<SaveOutcome> takeOutcomes();
  /// Waits until nothing is under way, `atMost` that long. Returns whether nothing is.
  bool finish(std::chrono::milliseconds atMost);
  /// Why the checkpoint under way cannot be written yet; empty if nothing is in its way. Any thread.
  std::string waitsFor() const;
  /// Tensors of a written checkpoint, to be used again by copyToHost(); empty if there is none.
  std::vector<NamedTensor> takeSpare();

 private:
  void work();
  SaveOutcome process(SaveRequest& request);
  void bringToHost(SaveRequest& request);
  Result<void> writeAndCommit(SaveRequest& request);
  void keepElsewhere(const SaveRequest& request, SaveOutcome& outcome);
  Result<void> whenPossible(const SaveRequest& request, const std::function<Result<void>()>& work);

  const Store store_;
  const Clock& clock_;
  BoundedQueue<SaveRequest> queue_{1};
  mutable Mutex mutex_;
  std::condition_variable_any ended_;  // one that was under way, or its stay on the device
  std::vector<SaveOutcome> outcomes_ GUARDED_BY(mutex_);
  std::vector<NamedTensor> spare_ GUARDED_BY(mutex_);
  int underWay_ GUARDED_BY(mutex_) = 0;
  std::int64_t deviceBytes_ GUARDED_BY(mutex_) = 0;
  std::string waitsFor_ GUARDED_BY(mutex_);
  double waitedSec_ GUARDED_BY(mutex_) = 0;  // all in all, for what was in the way
  std::thread thread_;
};

}  // namespace batchwise
