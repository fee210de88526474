// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/nccl_link.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/format.h"
#include "core/base/return_if_error.h"
#include "core/dist/messages.h"

namespace batchwise {
namespace {

using Moment = std::chrono::steady_clock::time_point;

double secondsSince(Moment startedAt) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - startedAt).count();
}

// Calls take about 10 us once ranks are connected; connecting takes seconds.
void backOff(int polls) {
  constexpr int kShort = 500;
  if (polls < kShort) return std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::microseconds(200));
}

}  // namespace

Result<std::unique_ptr<NcclLink>> NcclLink::connect(const NcclLibrary& nccl, std::shared_ptr<RankChannel> line,
                                                    double timeoutSec) {
  const Message purpose = messages::meetingRanks();
  NcclId id{};
  if (line->rank() == 0)
    if (const int code = nccl.getUniqueId(&id); code != kNcclSuccess) return nccl.error(code, purpose);
  ASSIGN_OR_RETURN(const auto ids, line->exchange(std::string(id.bytes.data(), id.bytes.size())));
  std::memcpy(id.bytes.data(), ids.front().data(), std::min(id.bytes.size(), ids.front().size()));
  NcclComm comm = nullptr;
  NcclConfig config;
  const int code =
      nccl.commInitRankConfig(&comm, static_cast<int>(line->size()), id, static_cast<int>(line->rank()), &config);
  if (code != kNcclSuccess && code != kNcclInProgress) return nccl.error(code, purpose);
  std::unique_ptr<NcclLink> link(new NcclLink(nccl, comm, std::move(line)));
  link->awaitReady(purpose, timeoutSec);
  RETURN_IF_ERROR(link->status());
  return link;
}

NcclLink::NcclLink(const NcclLibrary& nccl, NcclComm comm, std::shared_ptr<RankChannel> line)
    : nccl_(nccl), line_(std::move(line)), comm_(comm), watch_([this](const std::stop_token& stop) { watch(stop); }) {}

NcclLink::~NcclLink() {
  watch_.request_stop();
  watch_.join();
  const MutexLock lock(mutex_);
  if (comm_ != nullptr) nccl_.commDestroy(comm_);
}

void NcclLink::call(const Message& purpose, const std::function<int(NcclComm)>& function) {
  {
    const MutexLock lock(mutex_);
    if (broken_) return;
    const int code = function(comm_);
    if (code == kNcclSuccess) return;
    if (code != kNcclInProgress) return abort(nccl_.error(code, purpose));
  }
  // No timeout: a lost or hanging rank breaks the line.
  awaitReady(purpose, std::nullopt);
}

void NcclLink::awaitReady(const Message& purpose, std::optional<double> timeoutSec) {
  const Moment startedAt = std::chrono::steady_clock::now();
  for (int polls = 0;; ++polls) {
    {
      const MutexLock lock(mutex_);
      if (broken_) return;
      const int code = state();
      if (code == kNcclSuccess) return;
      if (code != kNcclInProgress) return abort(nccl_.error(code, purpose));
      if (timeoutSec && secondsSince(startedAt) > *timeoutSec)
        return abort(Error{ErrorCode::Device, messages::ncclOperationTimedOut(purpose, *timeoutSec), {}});
    }
    backOff(polls);
  }
}

// Requires comm_ not to be null.
int NcclLink::state() const {
  int code = kNcclSuccess;
  const int asked = nccl_.commGetAsyncError(comm_, &code);
  return asked == kNcclSuccess ? code : asked;
}

// Requires an unbroken link. Also aborts kernels running on the device.
void NcclLink::abort(const Error& why) {
  broken_ = why;
  nccl_.commAbort(std::exchange(comm_, nullptr));
}

void NcclLink::refuse(const Error& why) {
  const MutexLock lock(mutex_);
  if (!broken_) abort(why);
}

Result<void> NcclLink::status() const {
  const MutexLock lock(mutex_);
  return broken_ ? Result<void>(*broken_) : Result<void>();
}

// Without this, NCCL kernels would wait forever for a lost rank, and the host for the kernels.
void NcclLink::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::optional<Error> error = line_->error();
    const MutexLock lock(mutex_);
    if (broken_) return;
    const int code = state();
    if (error)
      abort(*error);
    else if (code != kNcclSuccess && code != kNcclInProgress)
      abort(nccl_.error(code, messages::ncclSummingGradients()));
  }
}

}  // namespace batchwise
