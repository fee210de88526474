// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/dist/nccl_library.h"
#include "core/dist/rank_channel.h"

namespace batchwise {

/// NCCL communicator of a rank, nonblocking: since 2.22 NCCL connects ranks at their first operation and would block
/// the host forever if one is gone. Calls are polled instead, and a watchdog thread aborts all operations when NCCL or
/// the line fails.
class NcclLink {
 public:
  /// Connects to the other ranks of `line`, using the current CUDA device. Fails with Device, also after `timeoutSec`,
  /// or with the error that broke the line.
  static Result<std::unique_ptr<NcclLink>> connect(const NcclLibrary& nccl, std::shared_ptr<RankChannel> line,
                                                   double timeoutSec);
  NcclLink(const NcclLink&) = delete;
  NcclLink& operator=(const NcclLink&) = delete;
  ~NcclLink();

  /// Calls NCCL and waits until the operation is queued on its CUDA stream. Does nothing if the link is broken; a
  /// failure breaks it. `purpose` ("summing gradients") is for error messages. One thread at a time.
  void call(const Message& purpose, const std::function<int(NcclComm)>& function);
  /// Breaks the link with an error that is not NCCL's, unless it is broken already. Thread-safe.
  void refuse(const Error& why);
  /// Fails with the error that broke the link. Thread-safe.
  Result<void> status() const;

 private:
  NcclLink(const NcclLibrary& nccl, NcclComm comm, std::shared_ptr<RankChannel> line);
  void awaitReady(const Message& purpose, std::optional<double> timeoutSec);
  int state() const REQUIRES(mutex_);
  void abort(const Error& why) REQUIRES(mutex_);
  void watch(const std::stop_token& stop);

  const NcclLibrary nccl_;
  const std::shared_ptr<RankChannel> line_;
  mutable Mutex mutex_;               // guards the two below; held for long only during an abort
  NcclComm comm_ GUARDED_BY(mutex_);  // null once aborted
  std::optional<Error> broken_ GUARDED_BY(mutex_);
  std::jthread watch_;  // last member: joined first
};

}  // namespace batchwise
