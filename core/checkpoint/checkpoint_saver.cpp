// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/checkpoint_saver.h"

#include <c10/util/Exception.h>
#include <sys/resource.h>
#include <unistd.h>

#include <exception>
#include <utility>

#include "core/base/passing_trouble.h"
#include "core/store/checkpoints/checkpoint_file.h"

namespace batchwise {
namespace {

constexpr std::chrono::milliseconds kBetweenTries{500};

// Where the processor trains, each moment that this thread takes from one of its threads holds up all of them, so it
// only takes what they leave. A system that refuses is no harm.
void giveWay() {
  constexpr int kLeastUrgent = 19;
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLeastUrgent);
}

Result<void> writeVerified(SaveRequest& request) {
  if (Result<void> written = writeCheckpoint(request.path, request.state); !written.ok()) return written;
  Result<CheckpointReader> reader = CheckpointReader::open(request.path);
  if (!reader.ok()) return reader.error().within("the checkpoint just written");
  if (Result<void> good = reader->verify(); !good.ok()) return good.error().within("the checkpoint just written");
  request.record.verified = true;
  request.record.bytes = static_cast<std::int64_t>(std::filesystem::file_size(request.path));
  return {};
}

}  // namespace

CheckpointSaver::CheckpointSaver(Store store, const Clock& clock)
    : store_(std::move(store)), clock_(clock), thread_([this] { work(); }) {}

CheckpointSaver::~CheckpointSaver() {
  queue_.close();
  thread_.join();
}

bool CheckpointSaver::waitForRoom(std::chrono::milliseconds atMost) {
  constexpr int kMostUnderWay = 2;  // one is written, one waits
  MutexLock lock(mutex_);
  return ended_.wait_for(lock, atMost, [this]() REQUIRES(mutex_) { return underWay_ < kMostUnderWay; });
}

void CheckpointSaver::save(SaveRequest request) {
  {
    const MutexLock lock(mutex_);
    ++underWay_;
    if (request.onDevice != nullptr) deviceBytes_ += request.onDevice->bytes();
    request.waitedBeforeSec = waitedSec_;
  }
  queue_.push(std::move(request));
}

std::int64_t CheckpointSaver::deviceBytes() const {
  const MutexLock lock(mutex_);
  return deviceBytes_;
}

bool CheckpointSaver::waitForDevice(std::chrono::milliseconds atMost) {
  MutexLock lock(mutex_);
  return ended_.wait_for(lock, atMost, [this]() REQUIRES(mutex_) { return deviceBytes_ == 0; });
}

std::vector<SaveOutcome> CheckpointSaver::takeOutcomes() {
  const MutexLock lock(mutex_);
  return std::exchange(outcomes_, {});
}

bool CheckpointSaver::finish(std::chrono::milliseconds atMost) {
  MutexLock lock(mutex_);
  return ended_.wait_for(lock, atMost, [this]() REQUIRES(mutex_) { return underWay_ == 0; });
}

std::string CheckpointSaver::waitsFor() const {
  const MutexLock lock(mutex_);
  return waitsFor_;
}

std::vector<NamedTensor> CheckpointSaver::takeSpare() {
  const MutexLock lock(mutex_);
  return std::exchange(spare_, {});
}

void CheckpointSaver::work() {
  giveWay();
  while (std::optional<SaveRequest> request = queue_.pop()) {
    SaveOutcome outcome = process(*request);
    const MutexLock lock(mutex_);
    outcomes_.push_back(std::move(outcome));
    spare_ = std::move(request->state.tensors);
    --underWay_;
    ended_.notify_all();
  }
}

SaveOutcome CheckpointSaver::process(SaveRequest& request) {
  SaveOutcome outcome;
  try {
    bringToHost(request);
    if (Result<void> done = writeAndCommit(request); !done.ok()) {
      outcome.error = done.error();
      keepElsewhere(request, outcome);
    } else if (Result<void> retained = store_.retain(); !retained.ok()) {
      outcome.retentionError = retained.error();
    }
  } catch (const c10::Error& e) {
    outcome.error = Error{ErrorCode::Device, e.what_without_backtrace(), "writing the checkpoint"};
  } catch (const std::exception& e) {
    outcome.error = Error::internal(std::string("writing the checkpoint failed: ") + e.what());
  }
  outcome.record = request.record;
  outcome.last = request.last;
  const MutexLock lock(mutex_);
  outcome.seconds = clock_.monotonicSec() - request.requestedSec - (waitedSec_ - request.waitedBeforeSec);
  outcome.pauseSec = request.pauseSec;
  return outcome;
}

// Before it is written: the device's memory is wanted back.
void CheckpointSaver::bringToHost(SaveRequest& request) {
  if (request.onDevice == nullptr) return;
  const std::int64_t bytes = request.onDevice->bytes();
  const auto leaveDevice = [&] {
    request.onDevice.reset();
    const MutexLock lock(mutex_);
    deviceBytes_ -= bytes;
    ended_.notify_all();
  };
  try {
    request.state.tensors = request.onDevice->toHost(takeSpare());
  } catch (...) {
    leaveDevice();
    throw;
  }
  leaveDevice();
}

// A file that is complete waits for its row, it is not written again.
Result<void> CheckpointSaver::writeAndCommit(SaveRequest& request) {
  request.record.finite = allFinite(request.state.tensors);
  const auto checked = [this] { return store_.check ? store_.check() : Result<void>(); };
  const Result<void> written = whenPossible(request, [&] {
    const Result<void> there = checked();
    return there.ok() ? writeVerified(request) : there;
  });
  if (!written.ok()) return written;
  return whenPossible(request, [&] {
    const Result<void> there = checked();
    return there.ok() ? store_.commit(request.record) : there;
  });
}

// Whoever stops without saving wants no weights.
void CheckpointSaver::keepElsewhere(const SaveRequest& request, SaveOutcome& outcome) {
  if (!request.last || !store_.keepElsewhere || (store_.giveUp && store_.giveUp())) return;
  const Result<std::string> kept = store_.keepElsewhere(request.record, request.state);
  if (kept.ok())
    outcome.kept = *kept;
  else
    outcome.error->message += "; it cannot be kept elsewhere either: " + kept.error().text();
}

Result<void> CheckpointSaver::whenPossible(const SaveRequest& request, const std::function<Result<void>()>& work) {
  std::optional<double> waitsSinceSec;
  const auto waited = [&] { return waitsSinceSec ? clock_.monotonicSec() - *waitsSinceSec : 0.0; };
  const auto mayWait = [&](const Error& obstacle) {
    if (!store_.giveUp || store_.giveUp()) return false;
    if (!waitsSinceSec) waitsSinceSec = clock_.monotonicSec();
    const MutexLock lock(mutex_);
    waitsFor_ = obstacle.text();
    return true;
  };
  Result<void> done = untilPossible(work, mayWait);
  while (!done.ok() && request.last && store_.tryLastAgain && store_.tryLastAgain(waited()) && mayWait(done.error())) {
    std::this_thread::sleep_for(kBetweenTries);
    done = untilPossible(work, mayWait);
  }
  const MutexLock lock(mutex_);
  waitsFor_.clear();
  waitedSec_ += waited();
  return done;
}

}  // namespace batchwise
