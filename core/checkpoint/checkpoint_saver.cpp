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
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, atMost, [this] { return underWay_ < kMostUnderWay; });
}

void CheckpointSaver::save(SaveRequest request) {
  {
    const std::scoped_lock lock(mutex_);
    ++underWay_;
    if (request.onDevice != nullptr) deviceBytes_ += request.onDevice->bytes();
    request.waitedBeforeSec = waitedSec_;
  }
  queue_.push(std::move(request));
}

std::int64_t CheckpointSaver::deviceBytes() const {
  const std::scoped_lock lock(mutex_);
  return deviceBytes_;
}

bool CheckpointSaver::waitForDevice(std::chrono::milliseconds atMost) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, atMost, [this] { return deviceBytes_ == 0; });
}

std::vector<SaveOutcome> CheckpointSaver::takeOutcomes() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(outcomes_, {});
}

bool CheckpointSaver::finish(std::chrono::milliseconds atMost) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, atMost, [this] { return underWay_ == 0; });
}

std::string CheckpointSaver::waitsFor() const {
  const std::scoped_lock lock(mutex_);
  return waitsFor_;
}

std::vector<NamedTensor> CheckpointSaver::takeSpare() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(spare_, {});
}

void CheckpointSaver::work() {
  giveWay();
  while (std::optional<SaveRequest> request = queue_.pop()) {
    SaveOutcome outcome = process(*request);
    const std::scoped_lock lock(mutex_);
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
    } else if (Result<void> retained = store_.retain(); !retained.ok()) {
      outcome.retentionError = retained.error();
    }
  } catch (const c10::Error& e) {
    outcome.error = Error{ErrorCode::Device, e.what_without_backtrace(), "writing the checkpoint"};
  } catch (const std::exception& e) {
    outcome.error = Error::internal(std::string("writing the checkpoint failed: ") + e.what());
  }
  outcome.record = request.record;
  const std::scoped_lock lock(mutex_);
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
    const std::scoped_lock lock(mutex_);
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
  if (Result<void> written = whenPossible([&] { return writeVerified(request); }); !written.ok()) return written;
  return whenPossible([&] { return store_.commit(request.record); });
}

Result<void> CheckpointSaver::whenPossible(const std::function<Result<void>()>& work) {
  std::optional<double> waitsSinceSec;
  Result<void> done = untilPossible(work, [&](const Error& obstacle) {
    if (!store_.giveUp || store_.giveUp()) return false;
    if (!waitsSinceSec) waitsSinceSec = clock_.monotonicSec();
    const std::scoped_lock lock(mutex_);
    waitsFor_ = obstacle.text();
    return true;
  });
  const std::scoped_lock lock(mutex_);
  waitsFor_.clear();
  if (waitsSinceSec) waitedSec_ += clock_.monotonicSec() - *waitsSinceSec;
  return done;
}

}  // namespace batchwise
