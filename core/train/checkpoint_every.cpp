// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/checkpoint_every.h"

#include <algorithm>
#include <utility>

#include "core/events/waiting.h"
#include "core/store/checkpoints/checkpoint_order.h"
#include "core/train/host_memory.h"
#include "core/train/train_loop.h"

namespace batchwise {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};
constexpr double kSlowSec = 10.0;
constexpr const char* kOfStop = "stop";
constexpr const char* kOfGuard = "guard";

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
      lastGood_(origin_.resumedFrom) {}

Result<void> CheckpointEvery::atStart(TrainLoop& loop) {
  if (!origin_.beforeFirstStep) return {};
  if (Result<void> saved = saveNow(loop, kStartCheckpoint); !saved.ok() || saver_ == nullptr) return saved;
  finishSaving(loop);
  if (unsaved_.empty()) return {};
  return Error{
      ErrorCode::Io, "the run does not start without the checkpoint that a guard may roll it back to: " + unsaved_, {}};
}

Result<void> CheckpointEvery::afterStep(TrainLoop& loop, const StepResult&) {
  if (saver_ != nullptr) stepsPeak_.look(peakDeviceBytes(loop.replica().model.device()), saver_->deviceBytes());
  publishOutcomes(loop);
  return {};
}

Result<void> CheckpointEvery::afterBatch(TrainLoop& loop, const Timestamp& before) {
  if (interval_.anyDue(before, loop.state().now, false)) return saveNow(loop, kIntervalCheckpoint);
  return loop.planFinished() ? saveNow(loop, "end") : Result<void>();
}

Result<void> CheckpointEvery::saveNow(TrainLoop& loop, const std::string& reason) {
  if (Result<void> settled = loop.settle(); !settled.ok()) return settled;
  if (loop.rollsBack()) return {};
  loop.enter(RunSection::Checkpoint);
  if (reason == kOfStop || reason == kOfGuard || loop.planFinished()) ofEnd_ = reason;
  if (saver_ == nullptr || lastStep_ == loop.state().now.step) return {};
  return save(loop, reason);
}

Result<void> CheckpointEvery::save(TrainLoop& loop, const std::string& reason) {
  unsaved_.clear();
  lastStep_ = loop.state().now.step;
  const double began = loop.clock().monotonicSec();
  waitUntil(loop, [this] { return saver_->waitForRoom(kBetweenLooks); });
  loop.publish(PhaseProgress{"saving a checkpoint", 0, 0, {}});
  SaveRequest request;
  request.requestedSec = loop.clock().monotonicSec();
  request.record = recordFor(loop, reason);
  request.path = origin_.workspace / request.record.file;
  request.last = !ofEnd_.empty();
  request.state.facts = origin_.facts;
  request.state.facts[checkpoint_names::kState] = loopStateText(loop.state());
  const std::vector<NamedTensor> tensors = tensorsOf(loop.replica());
  // What steps need is known after the first ones; before them a pause holds up nobody.
  if (reason != kStartCheckpoint) request.onDevice = copyOnDevice(loop, tensors);
  if (request.onDevice == nullptr) {
    const HostDeviceScope ofNoDevice(kHostCopies);
    request.state.tensors = copyToHost(tensors, saver_->takeSpare());
  }
  // Sums that a lost rank left unfinished are in these weights.
  if (Result<void> whole = loop.ranks().whole(); !whole.ok()) return whole;
  request.pauseSec = loop.clock().monotonicSec() - began;
  saver_->save(std::move(request));
  stepsPeak_.skip(peakDeviceBytes(loop.replica().model.device()), saver_->deviceBytes());
  return {};
}

// Null if there is no room beside the steps and the copies that are under way.
std::unique_ptr<Snapshot> CheckpointEvery::copyOnDevice(TrainLoop& loop, const std::vector<NamedTensor>& tensors) {
  const c10::Device device = loop.replica().model.device();
  const std::int64_t beside = saver_->deviceBytes();
  stepsPeak_.look(peakDeviceBytes(device), beside);
  return takeSnapshot(tensors, copies_.usableBytes(device) - stepsPeak_.bytes() - beside, copies_.make);
}

bool CheckpointEvery::clearDevice(TrainLoop& loop) {
  if (saver_ == nullptr) return false;
  const std::int64_t peak = peakDeviceBytes(loop.replica().model.device());
  const std::int64_t beside = std::max(saver_->deviceBytes(), stepsPeak_.beside());
  // Of what did not fit by itself something smaller takes the place: it is no measure for what follows.
  if (beside > 0) stepsPeak_.look(peak, beside);
  waitUntil(loop, [this] { return saver_->waitForDevice(kBetweenLooks); });
  stepsPeak_.skip(peak, 0);
  return beside > 0;
}

CheckpointRecord CheckpointEvery::recordFor(const TrainLoop& loop, const std::string& reason) const {
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
      const std::string why = "checkpoint " + record.id + " was not saved: " + outcome.error->text() +
                              (outcome.kept.empty() ? std::string() : "; it is kept in " + outcome.kept);
      loop.note(NoteLevel::Error, why);
      if (record.at.step == lastStep_) unsaved_ = why;
      if (record.at.step == lastStep_ && !outcome.last) lastStep_.reset();  // the end of the run tries once more
      continue;
    }
    if (outcome.retentionError)
      loop.note(NoteLevel::Warning, "old checkpoints were not removed: " + outcome.retentionError->text());
    if (loop.timeReserve() != nullptr) loop.timeReserve()->tookForCheckpoint(outcome.seconds);
    if (!record.finite) {
      loop.note(NoteLevel::Warning,
                "checkpoint " + record.id + " holds numbers that are not finite: no resume goes on from it");
      continue;
    }
    lastGood_ = record.id;
    loop.publish(CheckpointSaved{record.id, record.at, record.bytes, outcome.seconds, outcome.pauseSec, record.reason});
  }
}

Result<void> CheckpointEvery::atEnd(TrainLoop& loop) {
  if (saver_ == nullptr) return {};
  finishSaving(loop);
  if (ofEnd_.empty() || loop.rollsBack()) return {};
  if (!unsaved_.empty() && !lastStep_) {
    if (Result<void> saved = save(loop, ofEnd_); !saved.ok()) return saved;
    finishSaving(loop);
  }
  const bool givenUp = ofEnd_ == kOfStop && loop.endsWithoutKeeping();
  if (!unsaved_.empty() && !givenUp) loop.failEnd("the weights of its end are not in the store: " + unsaved_);
  return {};
}

void CheckpointEvery::finishSaving(TrainLoop& loop) {
  loop.enter(RunSection::Checkpoint);
  waitUntil(loop, [this] { return saver_->finish(kBetweenLooks); });
  publishOutcomes(loop);
}

void CheckpointEvery::waitUntil(TrainLoop& loop, const std::function<bool()>& looksDone) {
  if (looksDone()) return;
  loop.rest();
  const double began = loop.clock().monotonicSec();
  bool slowTold = false;
  do {
    publishOutcomes(loop);  // a way out is named by the newest checkpoint
    tellObstacle(loop);
    const bool slow = loop.clock().monotonicSec() - began > kSlowSec;
    if (slow && !obstacleWords_.toldOfOne() && !std::exchange(slowTold, true))
      loop.note(NoteLevel::Info, "waiting for a checkpoint to be written, which takes long on this disk");
  } while (!looksDone());
  loop.enter(RunSection::Checkpoint);
}

void CheckpointEvery::tellObstacle(TrainLoop& loop) {
  const std::string words = obstacleWords_.next(saver_->waitsFor(), loop.endsKeeping(), wayOut());
  if (!words.empty()) loop.note(NoteLevel::Error, std::string(kWaitsToSave) + words);
}

std::string CheckpointEvery::wayOut() const {
  return "; the run stops once that is written; " + stopWithoutSaving(origin_.run) + " ends it now, " +
         (lastGood_.empty() ? "with no checkpoint to go on from" : "and a resume goes on from checkpoint " + lastGood_);
}

void CheckpointEvery::whilePaused(TrainLoop& loop) {
  if (saver_ == nullptr) return;
  publishOutcomes(loop);
  tellObstacle(loop);
}

}  // namespace batchwise
