// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/nccl_link.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/format.h"

namespace batchwise {
namespace {

using Moment = std::chrono::steady_clock::time_point;

double secondsSince(Moment began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// Ranks that know each other need some ten microseconds for a call; to connect they need seconds.
void waitALittle(int looks) {
  constexpr int kShort = 500;
  if (looks < kShort) return std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::microseconds(200));
}

}  // namespace

Result<std::unique_ptr<NcclLink>> NcclLink::connect(const NcclLibrary& nccl, std::shared_ptr<RankLine> line,
                                                    double patienceSec) {
  constexpr const char* kPurpose = "meeting the other ranks";
  NcclId id{};
  if (line->rank() == 0)
    if (const int code = nccl.getUniqueId(&id); code != kNcclSuccess) return nccl.error(code, kPurpose);
  const Result<std::vector<std::string>> ids = line->exchange(std::string(id.bytes.data(), id.bytes.size()));
  if (!ids.ok()) return ids.error();
  std::memcpy(id.bytes.data(), ids->front().data(), std::min(id.bytes.size(), ids->front().size()));
  NcclComm comm = nullptr;
  NcclConfig config;
  const int code =
      nccl.commInitRankConfig(&comm, static_cast<int>(line->size()), id, static_cast<int>(line->rank()), &config);
  if (code != kNcclSuccess && code != kNcclInProgress) return nccl.error(code, kPurpose);
  std::unique_ptr<NcclLink> link(new NcclLink(nccl, comm, std::move(line)));
  link->awaitReady(kPurpose, patienceSec);
  if (Result<void> whole = link->whole(); !whole.ok()) return whole.error();
  return link;
}

NcclLink::NcclLink(const NcclLibrary& nccl, NcclComm comm, std::shared_ptr<RankLine> line)
    : nccl_(nccl), line_(std::move(line)), comm_(comm), watch_([this](const std::stop_token& stop) { watch(stop); }) {}

NcclLink::~NcclLink() {
  watch_.request_stop();
  watch_.join();
  const MutexLock lock(mutex_);
  if (comm_ != nullptr) nccl_.commDestroy(comm_);
}

void NcclLink::call(const std::string& purpose, const std::function<int(NcclComm)>& function) {
  {
    const MutexLock lock(mutex_);
    if (broken_) return;
    const int code = function(comm_);
    if (code == kNcclSuccess) return;
    if (code != kNcclInProgress) return abort(nccl_.error(code, purpose));
  }
  // How long the others may take is not known here: one that is lost, or hangs, breaks the line.
  awaitReady(purpose, std::nullopt);
}

void NcclLink::awaitReady(const std::string& purpose, std::optional<double> patienceSec) {
  const Moment began = std::chrono::steady_clock::now();
  for (int looks = 0;; ++looks) {
    {
      const MutexLock lock(mutex_);
      if (broken_) return;
      const int code = state();
      if (code == kNcclSuccess) return;
      if (code != kNcclInProgress) return abort(nccl_.error(code, purpose));
      if (patienceSec && secondsSince(began) > *patienceSec)
        return abort(Error{ErrorCode::Device,
                           "NCCL: " + purpose + " took longer than " + formatExact(*patienceSec) +
                               " s; the environment variable NCCL_DEBUG=INFO shows what it waits for",
                           {}});
    }
    waitALittle(looks);
  }
}

// comm_ is there.
int NcclLink::state() const {
  int code = kNcclSuccess;
  const int asked = nccl_.commGetAsyncError(comm_, &code);
  return asked == kNcclSuccess ? code : asked;
}

// The link is whole. What is under way on the device ends too.
void NcclLink::abort(const Error& why) {
  broken_ = why;
  nccl_.commAbort(std::exchange(comm_, nullptr));
}

void NcclLink::refuse(const Error& why) {
  const MutexLock lock(mutex_);
  if (!broken_) abort(why);
}

Result<void> NcclLink::whole() const {
  const MutexLock lock(mutex_);
  return broken_ ? Result<void>(*broken_) : Result<void>();
}

// A kernel of NCCL waits for ever for a rank that is gone, and the host for the kernel.
void NcclLink::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::optional<Error> trouble = line_->trouble();
    const MutexLock lock(mutex_);
    if (broken_) return;
    const int code = state();
    if (trouble)
      abort(*trouble);
    else if (code != kNcclSuccess && code != kNcclInProgress)
      abort(nccl_.error(code, "adding up gradients"));
  }
}

}  // namespace batchwise
