// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/checkpoint_every.h"

#include <algorithm>
#include <utility>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/events/run_event.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/train/blocked_notice.h"
#include "core/train/train_loop.h"

namespace batchwise {
namespace {

constexpr double kSlowSec = 10.0;

std::vector<NamedTensor> tensorsOf(const Replica& replica) {
  std::vector<NamedTensor> tensors;
  for (const NamedTensor& named : replica.model.stateTensors())
    tensors.push_back({checkpoint_names::kModel + named.name, named.tensor});
  for (const NamedTensor& named : replica.optimizer.stateTensors())
    tensors.push_back({checkpoint_names::kOptimizer + named.name, named.tensor});
  return tensors;
}

}  // namespace

CheckpointEvery::CheckpointEvery(IntervalSet interval, CheckpointSaver* saver, CheckpointOrigin origin,
                                 DeviceCopies copies)
    : interval_(std::move(interval)),
      saver_(saver),
      origin_(std::move(origin)),
      copies_(std::move(copies)),
      lastUsable_(origin_.resumedFrom) {}

Result<void> CheckpointEvery::atStart(TrainLoop& loop) {
  if (!origin_.beforeFirstStep) return {};
  if (Result<void> saved = saveNow(loop, CheckpointReason::Start); !saved.ok() || saver_ == nullptr) return saved;
  finishSaving(loop);
  if (!saveFailure_) return {};
  return Error{saveFailure_->code,
               formatText("the run does not start without the checkpoint that a guard may roll it back to: {}",
                          saveFailure_->message),
               {}};
}

Result<void> CheckpointEvery::afterStep(TrainLoop& loop, const StepResult&) {
  if (saver_ != nullptr)
    stepPeakMemory_.sample(deviceTensorBytes(loop.replica().model.device()).peak, saver_->deviceBytes());
  publishOutcomes(loop);
  return {};
}

Result<void> CheckpointEvery::afterBatch(TrainLoop& loop, const Timestamp& before) {
  if (interval_.anyDue(before, loop.state().now, false)) return saveNow(loop, CheckpointReason::Interval);
  if (loop.runFinished()) return saveNow(loop, CheckpointReason::End);
  return loop.planFinished() ? saveNow(loop, CheckpointReason::Stage) : Result<void>();
}

Result<void> CheckpointEvery::saveNow(TrainLoop& loop, CheckpointReason reason) {
  RETURN_IF_ERROR(loop.flushReadback());
  if (loop.isRollingBack()) return {};
  loop.enter(RunSection::Checkpoint);
  loop.waitForRankZero();
  if (!origin_.atPlannedEnd && loop.runFinished() && loop.plan().finished(loop.state().now)) return {};
  if (reason == CheckpointReason::Stop || reason == CheckpointReason::Guard || loop.runFinished())
    finalReason_ = reason;
  if (saver_ == nullptr || lastStep_ == loop.state().now.step) return {};
  return save(loop, reason);
}

Result<void> CheckpointEvery::save(TrainLoop& loop, CheckpointReason reason) {
  saveFailure_.reset();
  lastStep_ = loop.state().now.step;
  const double began = loop.clock().monotonicSec();
  waitUntil(loop, [this] { return saver_->waitForRoom(kPollInterval); });
  loop.publish(PhaseProgress{"saving a checkpoint", 0, 0, {}});
  SaveRequest request;
  request.requestedSec = loop.clock().monotonicSec();
  request.record = recordFor(loop, reason);
  request.path = origin_.workspace / request.record.file;
  request.last = finalReason_.has_value();
  request.state.facts = origin_.facts;
  request.state.facts[checkpoint_names::kState] = loopStateText(loop.state());
  const std::vector<NamedTensor> tensors = tensorsOf(loop.replica());
  // The peak memory of steps is known only after the first ones; before them nothing is delayed by a copy to the host.
  if (reason != CheckpointReason::Start) request.onDevice = copyOnDevice(loop, tensors);
  if (request.onDevice == nullptr) {
    const ChargeAllocationsTo copies(kHostCopyDevice);
    request.state.tensors = copyToHost(tensors, saver_->takeReusableTensors());
  }
  // The weights may contain incomplete sums of a lost rank.
  RETURN_IF_ERROR(loop.ranks().status());
  request.pauseSec = loop.clock().monotonicSec() - began;
  saver_->save(std::move(request));
  stepPeakMemory_.skip(deviceTensorBytes(loop.replica().model.device()).peak, saver_->deviceBytes());
  return {};
}

// Returns null if there is no room beside the steps and the unfinished copies.
std::unique_ptr<Snapshot> CheckpointEvery::copyOnDevice(TrainLoop& loop, const std::vector<NamedTensor>& tensors) {
  const c10::Device device = loop.replica().model.device();
  const std::int64_t copyBytes = saver_->deviceBytes();
  stepPeakMemory_.sample(deviceTensorBytes(device).peak, copyBytes);
  return takeSnapshot(tensors, copies_.usableBytes(device) - stepPeakMemory_.bytes() - copyBytes, copies_.make);
}

bool CheckpointEvery::freeDeviceMemory(TrainLoop& loop) {
  if (saver_ == nullptr) return false;
  const std::int64_t peak = deviceTensorBytes(loop.replica().model.device()).peak;
  const std::int64_t copyBytes = std::max(saver_->deviceBytes(), stepPeakMemory_.beside());
  // A step that did not fit without copies beside it is replaced by a smaller one: its peak is no measure.
  if (copyBytes > 0) stepPeakMemory_.sample(peak, copyBytes);
  waitUntil(loop, [this] { return saver_->waitForDevice(kPollInterval); });
  stepPeakMemory_.skip(peak, 0);
  return copyBytes > 0;
}

CheckpointRecord CheckpointEvery::recordFor(const TrainLoop& loop, CheckpointReason reason) const {
  CheckpointRecord record;
  record.id = origin_.run + "-" + std::to_string(origin_.segment) + "-" + std::to_string(loop.state().now.step);
  record.run = origin_.run;
  record.segment = origin_.segment;
  record.at = loop.state().now;
  record.file = "checkpoints/" + record.id + ".sqlite";
  record.createdMs = loop.clock().wallMs();
  record.reason = reason;
  record.metric = loop.state().metric;
  return record;
}

void CheckpointEvery::publishOutcomes(TrainLoop& loop) {
  if (saver_ == nullptr) return;
  for (const SaveOutcome& outcome : saver_->takeOutcomes()) {
    const CheckpointRecord& record = outcome.record;
    if (outcome.error) {
      const std::string why = formatText("checkpoint {} was not saved: {}", record.id, outcome.error->text());
      loop.note(NoteLevel::Error, why);
      if (record.at.step == lastStep_) saveFailure_ = Error{outcome.error->code, why, {}};
      if (record.at.step == lastStep_ && !outcome.last) lastStep_.reset();  // retried at the end of the run
      continue;
    }
    if (outcome.retentionError)
      loop.note(NoteLevel::Warning, formatText("old checkpoints were not removed: {}", outcome.retentionError->text()));
    if (loop.timeReserve() != nullptr) loop.timeReserve()->recordCheckpoint(outcome.seconds);
    if (!record.finite) {
      loop.note(NoteLevel::Warning,
                formatText("checkpoint {} holds numbers that are not finite: no run resumes from it", record.id));
      continue;
    }
    lastUsable_ = record.id;
    loop.publish(CheckpointSaved{record.id, record.at, record.bytes, outcome.seconds, outcome.pauseSec, record.reason});
  }
}

Result<void> CheckpointEvery::atEnd(TrainLoop& loop) {
  if (saver_ == nullptr) return {};
  finishSaving(loop);
  if (!finalReason_ || loop.isRollingBack()) return {};
  if (saveFailure_ && !lastStep_) {
    RETURN_IF_ERROR(save(loop, *finalReason_));
    finishSaving(loop);
  }
  const bool aborted = finalReason_ == CheckpointReason::Stop && loop.abortRequested();
  if (saveFailure_ && !aborted)
    loop.markFailed(
        {saveFailure_->code, formatText("the final weights are not in the store: {}", saveFailure_->message), {}});
  return {};
}

void CheckpointEvery::finishSaving(TrainLoop& loop) {
  loop.enter(RunSection::Checkpoint);
  waitUntil(loop, [this] { return saver_->finish(kPollInterval); });
  publishOutcomes(loop);
}

void CheckpointEvery::waitUntil(TrainLoop& loop, const std::function<bool()>& isDone) {
  if (isDone()) return;
  loop.suspend();
  const double began = loop.clock().monotonicSec();
  bool slowNoted = false;
  do {
    publishOutcomes(loop);  // notifyBlocked() names the newest checkpoint
    notifyBlocked(loop);
    const bool slow = loop.clock().monotonicSec() - began > kSlowSec;
    if (slow && !blockedNotice_.isBlocked() && !std::exchange(slowNoted, true))
      loop.note(NoteLevel::Info, "waiting for a checkpoint to be written, which takes long on this disk");
  } while (!isDone());
  loop.enter(RunSection::Checkpoint);
}

void CheckpointEvery::notifyBlocked(TrainLoop& loop) {
  const std::string notice = blockedNotice_.next(saver_->blockedReason(), loop.gracefulStopRequested(), stopHint());
  if (!notice.empty())
    loop.note(NoteLevel::Error, formatText("waiting to save the checkpoint: {}", notice), NoteKind::Waiting);
}

std::string CheckpointEvery::stopHint() const {
  return formatText("the run stops as soon as that is written; {} ends it now, {}",
                    stopWithoutSavingRemedyText(origin_.run),
                    lastUsable_.empty() ? "with no checkpoint to resume from"
                                        : formatText("and a resume continues from checkpoint {}", lastUsable_));
}

void CheckpointEvery::whilePaused(TrainLoop& loop) {
  if (saver_ == nullptr) return;
  publishOutcomes(loop);
  notifyBlocked(loop);
}

}  // namespace batchwise
