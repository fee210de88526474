// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/checkpoint/checkpoint_saver.h"

#include <c10/util/Exception.h>
#include <sys/resource.h>
#include <unistd.h>

#include <exception>
#include <utility>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/store/checkpoints/checkpoint_file.h"

namespace batchwise {
namespace {

constexpr std::chrono::milliseconds kRetryInterval{500};

// Lowers the thread priority: in CPU training, delaying one compute thread delays all. Errors are ignored.
void lowerThreadPriority() {
  constexpr int kLowestPriority = 19;
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLowestPriority);
}

// A damaged file does not keep the name under which a good one may be stored later.
Result<void> writeVerified(SaveRequest& request) {
  RETURN_IF_ERROR(writeCheckpoint(request.path, request.state));
  const Result<CheckpointReader> reader = CheckpointReader::open(request.path);
  if (const Result<void> good = reader.ok() ? reader->verify() : Result<void>(reader.error()); !good.ok()) {
    std::error_code ignored;
    std::filesystem::remove(request.path, ignored);
    return good.error().within("the checkpoint just written");
  }
  request.record.verified = true;
  request.record.bytes = static_cast<std::int64_t>(std::filesystem::file_size(request.path));
  return {};
}

}  // namespace

CheckpointSaver::CheckpointSaver(Hooks hooks, const Clock& clock)
    : hooks_(std::move(hooks)), clock_(clock), thread_([this] { work(); }) {}

CheckpointSaver::~CheckpointSaver() {
  queue_.close();
  thread_.join();
}

bool CheckpointSaver::waitForRoom(std::chrono::milliseconds timeout) {
  constexpr int kMaxInFlight = 2;  // one being written, one waiting
  MutexLock lock(mutex_);
  return ended_.wait_for(lock, timeout, [this]() REQUIRES(mutex_) { return inFlight_ < kMaxInFlight; });
}

void CheckpointSaver::save(SaveRequest request) {
  {
    const MutexLock lock(mutex_);
    ++inFlight_;
    if (request.onDevice != nullptr) deviceBytes_ += request.onDevice->bytes();
    request.blockedBeforeSec = blockedSec_;
  }
  queue_.push(std::move(request));
}

std::int64_t CheckpointSaver::deviceBytes() const {
  const MutexLock lock(mutex_);
  return deviceBytes_;
}

bool CheckpointSaver::waitForDevice(std::chrono::milliseconds timeout) {
  MutexLock lock(mutex_);
  return ended_.wait_for(lock, timeout, [this]() REQUIRES(mutex_) { return deviceBytes_ == 0; });
}

std::vector<SaveOutcome> CheckpointSaver::takeOutcomes() {
  const MutexLock lock(mutex_);
  return std::exchange(outcomes_, {});
}

bool CheckpointSaver::finish(std::chrono::milliseconds timeout) {
  MutexLock lock(mutex_);
  return ended_.wait_for(lock, timeout, [this]() REQUIRES(mutex_) { return inFlight_ == 0; });
}

std::string CheckpointSaver::blockedReason() const {
  const MutexLock lock(mutex_);
  return blockedReason_;
}

std::vector<NamedTensor> CheckpointSaver::takeReusableTensors() {
  const MutexLock lock(mutex_);
  return std::exchange(spare_, {});
}

void CheckpointSaver::work() {
  lowerThreadPriority();
  while (std::optional<SaveRequest> request = queue_.pop()) {
    SaveOutcome outcome = process(*request);
    const MutexLock lock(mutex_);
    outcomes_.push_back(std::move(outcome));
    spare_ = std::move(request->state.tensors);
    --inFlight_;
    ended_.notify_all();
  }
}

SaveOutcome CheckpointSaver::process(SaveRequest& request) {
  SaveOutcome outcome;
  try {
    moveToHost(request);
    if (Result<void> done = writeAndCommit(request); !done.ok()) {
      outcome.error = done.error();
    } else if (Result<void> retained = hooks_.retain(); !retained.ok()) {
      outcome.retentionError = retained.error();
    }
  } catch (const c10::Error& e) {
    outcome.error = Error{ErrorCode::Device, e.what_without_backtrace(), "writing the checkpoint"};
  } catch (const std::exception& e) {
    outcome.error = Error::internal(formatText("writing the checkpoint failed: {}", e.what()));
  }
  outcome.record = request.record;
  outcome.last = request.last;
  const MutexLock lock(mutex_);
  outcome.seconds = clock_.monotonicSec() - request.requestedSec - (blockedSec_ - request.blockedBeforeSec);
  outcome.pauseSec = request.pauseSec;
  return outcome;
}

// Frees device memory before the file is written.
void CheckpointSaver::moveToHost(SaveRequest& request) {
  if (request.onDevice == nullptr) return;
  const std::int64_t bytes = request.onDevice->bytes();
  const auto leaveDevice = [&] {
    request.onDevice.reset();
    const MutexLock lock(mutex_);
    deviceBytes_ -= bytes;
    ended_.notify_all();
  };
  try {
    request.state.tensors = request.onDevice->toHost(takeReusableTensors());
  } catch (...) {
    leaveDevice();
    throw;
  }
  leaveDevice();
}

// Once the file is complete, only the commit is retried.
Result<void> CheckpointSaver::writeAndCommit(SaveRequest& request) {
  request.record.finite = allFinite(request.state.tensors);
  const auto runChecked = [&](const auto& step) {
    return runWithRetries(request, [&]() -> Result<void> {
      if (hooks_.check) RETURN_IF_ERROR(hooks_.check());
      return step();
    });
  };
  RETURN_IF_ERROR(runChecked([&] { return writeVerified(request); }));
  return runChecked([&] { return hooks_.commit(request.record); });
}

Result<void> CheckpointSaver::runWithRetries(const SaveRequest& request, const std::function<Result<void>()>& work) {
  std::optional<double> blockedSinceSec;
  const auto waited = [&] { return blockedSinceSec ? clock_.monotonicSec() - *blockedSinceSec : 0.0; };
  const auto mayRetry = [&](const Error& obstacle) {
    if (!hooks_.shouldCancel || hooks_.shouldCancel()) return false;
    if (!blockedSinceSec) blockedSinceSec = clock_.monotonicSec();
    const MutexLock lock(mutex_);
    blockedReason_ = obstacle.text();
    return true;
  };
  Result<void> done = retryWhileTransient(work, mayRetry);
  while (!done.ok() && request.last && hooks_.shouldRetryLast && hooks_.shouldRetryLast(waited()) &&
         mayRetry(done.error())) {
    std::this_thread::sleep_for(kRetryInterval);
    done = retryWhileTransient(work, mayRetry);
  }
  const MutexLock lock(mutex_);
  blockedReason_ = {};
  blockedSec_ += waited();
  return done;
}

}  // namespace batchwise
