// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/config/time/run_length.h"
#include "core/train/blocked_notice.h"
#include "core/train/callback.h"
#include "core/train/checkpoint/checkpoint_saver.h"
#include "core/train/device_memory.h"

namespace batchwise {

/// What all checkpoints of a segment record about their origin.
struct CheckpointOrigin {
  std::string run;
  std::int64_t segment = 0;
  std::filesystem::path workspace;
  std::map<std::string, std::string> facts;  ///< in addition to the loop's state: config, tokenizer, data, versions
  bool beforeFirstStep = false;              ///< take one before the first step, because a guard may roll back to it
  std::string resumedFrom = {};              ///< the checkpoint that the segment started from; empty: none
  bool atPlannedEnd = true;                  ///< take one at max_duration
};

/// How weights are copied on a device, and how many bytes the device may hold in total; 0 on the CPU, where weights are
/// copied to the host directly.
struct DeviceCopies {
  MakeSnapshot make = makeGpuSnapshot;
  std::function<std::int64_t(c10::Device)> usableBytes = usableDeviceBytes;
};

/// Takes a checkpoint at the end of a global batch when `checkpoint.interval` is due, at the end of the run
/// (of its plan if the origin says so), on request, and before the first step if the origin says so; at most one per
/// step. Training waits only for the copy, which stays on the device if there is room beside the steps' memory.
/// Publishes CheckpointSaved from the training thread once the checkpoint is committed; publishes a note if it is not
/// finite or could not be saved. Waits for the checkpoints before the first step and at the end: a failed one fails the
/// run. Ranks other than 0 pass null for `saver`, because they hold the same state.
class CheckpointEvery final : public Callback {
 public:
  CheckpointEvery(IntervalSet interval, CheckpointSaver* saver, CheckpointOrigin origin, DeviceCopies copies = {});

  Result<void> atStart(TrainLoop& loop) override;
  Result<void> afterStep(TrainLoop& loop, const StepResult& step) override;
  void whilePaused(TrainLoop& loop) override;
  Result<void> afterBatch(TrainLoop& loop, const Timestamp& before) override;
  bool freeDeviceMemory(TrainLoop& loop) override;
  Result<void> saveNow(TrainLoop& loop, CheckpointReason reason) override;
  /// Waits until all checkpoints are written.
  Result<void> atEnd(TrainLoop& loop) override;

 private:
  Result<void> save(TrainLoop& loop, CheckpointReason reason);
  void finishSaving(TrainLoop& loop);
  CheckpointRecord recordFor(const TrainLoop& loop, CheckpointReason reason) const;
  std::unique_ptr<Snapshot> copyOnDevice(TrainLoop& loop, const std::vector<NamedTensor>& tensors);
  void publishOutcomes(TrainLoop& loop);
  /// Waits until `isDone`, which polls the saver for a moment, returns true. A slow or full disk or a starved saver
  /// thread is no hang, but is reported.
  void waitUntil(TrainLoop& loop, const std::function<bool()>& isDone);
  void notifyBlocked(TrainLoop& loop);
  std::string stopHint() const;

  const IntervalSet interval_;
  CheckpointSaver* const saver_;
  const CheckpointOrigin origin_;
  const DeviceCopies copies_;
  StepPeakMemory stepPeakMemory_;                // of this rank's device; unused without a saver
  std::optional<std::int64_t> lastStep_;         // step of the newest checkpoint taken here
  std::optional<CheckpointReason> finalReason_;  // of the final checkpoint
  std::optional<Error> saveFailure_;             // why the newest one was not saved; nothing: it was saved
  std::string lastUsable_;                       // the newest checkpoint that a resume can use; empty: none
  BlockedNotice blockedNotice_;
};

/// Names of facts and prefixes of tensors in a checkpoint of a run.
namespace checkpoint_names {
inline constexpr const char* kState = "state";
inline constexpr const char* kModel = "model/";
inline constexpr const char* kOptimizer = "optimizer/";
}  // namespace checkpoint_names

}  // namespace batchwise
