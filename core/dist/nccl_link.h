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
#include "core/dist/rank_line.h"

namespace batchwise {

/// A rank's communicator of NCCL. Its calls do not block: NCCL connects ranks when they first need it (since 2.22), and
/// would hold the host, waiting for one that is gone, where nothing could end that. So each call is waited for here,
/// and a watch aborts all that is under way as soon as NCCL or the line of the ranks is broken.
class NcclLink {
 public:
  /// Meets the other ranks of `line`; the present CUDA device is this rank's. Fails with Device, also if that takes
  /// longer than `patienceSec`, or with what the line broke with.
  static Result<std::unique_ptr<NcclLink>> connect(const NcclLibrary& nccl, std::shared_ptr<RankLine> line,
                                                   double patienceSec);
  NcclLink(const NcclLink&) = delete;
  NcclLink& operator=(const NcclLink&) = delete;
  ~NcclLink();

  /// Makes a call of NCCL for `purpose` ("adding up gradients"), and waits until it is on its CUDA stream; does nothing
  /// once the link is broken. A failure breaks it. One thread at a time.
  void call(const std::string& purpose, const std::function<int(NcclComm)>& function);
  /// Breaks the link, if it is whole, for a reason that NCCL has no words for. Any thread.
  void refuse(const Error& why);
  /// Fails with what has broken the link. Any thread.
  Result<void> whole() const;

 private:
  NcclLink(const NcclLibrary& nccl, NcclComm comm, std::shared_ptr<RankLine> line);
  void awaitReady(const std::string& purpose, std::optional<double> patienceSec);
  int state() const REQUIRES(mutex_);
  void abort(const Error& why) REQUIRES(mutex_);
  void watch(const std::stop_token& stop);

  const NcclLibrary nccl_;
  const std::shared_ptr<RankLine> line_;
  mutable Mutex mutex_;               // guards the two below; held for moments, but for an abort
  NcclComm comm_ GUARDED_BY(mutex_);  // null once aborted
  std::optional<Error> broken_ GUARDED_BY(mutex_);
  std::jthread watch_;  // last: ends first
};

}  // namespace batchwise
