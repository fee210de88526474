// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/checkpoint/checkpoint_saver.h"
#include "core/time/interval.h"
#include "core/train/callback.h"
#include "core/train/memory_probe.h"
#include "core/train/steps_peak.h"
#include "core/train/stop_words.h"

namespace batchwise {

/// What every checkpoint of a segment says about where it comes from.
struct CheckpointOrigin {
  std::string run;
  std::int64_t segment = 0;
  std::filesystem::path workspace;
  std::map<std::string, std::string> facts;  ///< beside the state of the loop: config, tokenizer, data, versions
  bool beforeFirstStep = false;  ///< one is taken before anything is trained: a guard may want to go back to it
  std::string resumedFrom = {};  ///< the checkpoint that the segment begins with; empty: none
};

/// How weights are copied on a device, and what the device may hold at all. The processor may hold nothing: there they
/// are copied as they are.
struct DeviceCopies {
  MakeSnapshot make = makeGpuSnapshot;
  std::function<std::int64_t(c10::Device)> usableBytes = usableDeviceBytes;
};

/// Takes a checkpoint at the end of a global batch when `checkpoint.interval` is due, at the end of the run, when one
/// is asked for, and before the first step if the origin says so; never two at one step. Training waits for the copy
/// only, which stays on the device where that has room beside the steps; CheckpointSaved is published once the
/// checkpoint is committed, from the thread that trains; one that is not finite or was not saved is a note instead.
/// Before the first step and at the end it is waited for: a run that cannot be taken back is not started, and one whose
/// last checkpoint is not saved has failed. Ranks other than 0 pass null for `saver`: they hold the same.
class CheckpointEvery final : public Callback {
 public:
  CheckpointEvery(IntervalSet interval, CheckpointSaver* saver, CheckpointOrigin origin, DeviceCopies copies = {});

  Result<void> atStart(TrainLoop& loop) override;
  Result<void> afterStep(TrainLoop& loop, const StepResult& step) override;
  void whilePaused(TrainLoop& loop) override;
  Result<void> afterBatch(TrainLoop& loop, const Timestamp& before) override;
  bool clearDevice(TrainLoop& loop) override;
  Result<void> saveNow(TrainLoop& loop, const std::string& reason) override;
  /// Waits for what is being written.
  Result<void> atEnd(TrainLoop& loop) override;

 private:
  Result<void> save(TrainLoop& loop, const std::string& reason);
  void finishSaving(TrainLoop& loop);
  CheckpointRecord recordFor(const TrainLoop& loop, const std::string& reason) const;
  std::unique_ptr<Snapshot> copyOnDevice(TrainLoop& loop, const std::vector<NamedTensor>& tensors);
  void publishOutcomes(TrainLoop& loop);
  /// `looksDone` waits for a moment and says whether the saver has come so far. A disk may be slow or full and the
  /// saver's thread starved: nothing of that is a hang, but it is told.
  void waitUntil(TrainLoop& loop, const std::function<bool()>& looksDone);
  void tellObstacle(TrainLoop& loop);
  std::string wayOut() const;

  const IntervalSet interval_;
  CheckpointSaver* const saver_;
  const CheckpointOrigin origin_;
  const DeviceCopies copies_;
  StepsPeak stepsPeak_;                   // of this rank's device; unused without a saver
  std::optional<std::int64_t> lastStep_;  // of the newest checkpoint taken here
  std::string ofEnd_;                     // the reason of the checkpoint that the run ends with; empty: none
  std::string unsaved_;                   // why the newest one was not saved, and what became of it; empty: it was
  std::string lastGood_;                  // the newest checkpoint that a resume goes on from; empty: none
  ObstacleWords obstacleWords_;
};

/// Names of the facts and the prefixes of the tensors in a checkpoint of a run.
namespace checkpoint_names {
inline constexpr const char* kState = "state";
inline constexpr const char* kModel = "model/";
inline constexpr const char* kOptimizer = "optimizer/";
}  // namespace checkpoint_names

}  // namespace batchwise
