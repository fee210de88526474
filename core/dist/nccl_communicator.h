// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/Device.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/dist/communicator.h"
#include "core/dist/rank_channel.h"

struct CUstream_st;

namespace batchwise {

using NcclComm = void*;

struct NcclId {
  std::array<char, 128> bytes;
};

/// ncclConfig_t of NCCL 2.14, as `version` states; later libraries fill in the remaining fields.
struct NcclConfig {
  std::size_t size = sizeof(NcclConfig);
  unsigned int magic = 0xcafebeef;
  unsigned int version = 21400;
  int blocking = 0;  ///< 0: calls may return kNcclInProgress; poll commGetAsyncError
};

constexpr int kNcclSuccess = 0;
constexpr int kNcclInProgress = 7;
constexpr int kNcclSum = 0;
constexpr int kNcclBytes = 1;  ///< ncclUint8

/// NCCL functions, loaded at run time and declared here because LibTorch ships the library without its header. Stable
/// since NCCL 2.10, except NcclConfig.
struct NcclLibrary {
  int (*getUniqueId)(NcclId*) = nullptr;
  int (*commInitRankConfig)(NcclComm*, int, NcclId, int, NcclConfig*) = nullptr;
  int (*allReduce)(const void*, void*, std::size_t, int, int, NcclComm, CUstream_st*) = nullptr;
  int (*broadcast)(const void*, void*, std::size_t, int, int, NcclComm, CUstream_st*) = nullptr;
  int (*groupStart)() = nullptr;
  int (*groupEnd)() = nullptr;
  int (*commGetAsyncError)(NcclComm, int*) = nullptr;
  int (*commAbort)(NcclComm) = nullptr;
  int (*commDestroy)(NcclComm) = nullptr;
  const char* (*getErrorString)(int) = nullptr;

  /// Loads NCCL; `file` as for dlopen(). Fails with Unsupported if it is missing or older than 2.14.
  static Result<NcclLibrary> load(const std::string& file = "libnccl.so.2");

  /// Returns a Device error with NCCL's text for `code`.
  Error error(int code, const Message& what) const;
};

/// NCCL communicator of a rank, nonblocking: since 2.22 NCCL connects ranks at their first operation and would block
/// the host forever if one is gone. Calls are polled instead, and a watchdog thread aborts all operations when NCCL or
/// the channel fails.
class NcclLink {
 public:
  /// Connects to the other ranks of `channel`, using the current CUDA device. Fails with Device, also after
  /// `timeoutSec`, or with the error that broke the channel.
  static Result<std::unique_ptr<NcclLink>> connect(const NcclLibrary& nccl, std::shared_ptr<RankChannel> channel,
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
  NcclLink(const NcclLibrary& nccl, NcclComm comm, std::shared_ptr<RankChannel> channel);
  void awaitReady(const Message& purpose, std::optional<double> timeoutSec);
  int state() const REQUIRES(mutex_);
  void abort(const Error& why) REQUIRES(mutex_);
  void watch(const std::stop_token& stop);

  const NcclLibrary nccl_;
  const std::shared_ptr<RankChannel> channel_;
  mutable Mutex mutex_;               // guards the two below; held for long only during an abort
  NcclComm comm_ GUARDED_BY(mutex_);  // null once aborted
  std::optional<Error> broken_ GUARDED_BY(mutex_);
  std::jthread watch_;  // last member: joined first
};

/// Communicator for ranks with one GPU each. NCCL runs on its own stream, ordered with the rank's stream, so the host
/// never waits for the device. NCCL errors and lost ranks abort running operations and are returned by the next call
/// (see NcclLink). `channel` connects the ranks, processes or threads. Fails with Device, for example if two ranks use
/// the same GPU.
Result<std::unique_ptr<Communicator>> makeNcclCommunicator(c10::Device device, std::shared_ptr<RankChannel> channel);

}  // namespace batchwise
