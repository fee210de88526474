// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/thread_pool.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/result.h"

namespace batchwise {

inline constexpr const char* kSummingGradients = "summing gradients";

/// Collective operations of the ranks of a run. One object per rank, used by its thread only. All ranks make the same
/// calls in the same order. A rank that cannot continue must call abandon(), or the others wait forever.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual std::int64_t rank() const = 0;
  virtual std::int64_t size() const = 0;

  /// All-reduce: sums each tensor over the ranks, in place; all ranks get identical bits. Requires contiguous tensors
  /// on the rank's own device, in lists of equal lengths, shapes and types. Fails with the error of a rank that called
  /// abandon().
  virtual Result<void> allReduceTensors(const std::vector<at::Tensor>& tensors) = 0;

  /// Starts allReduceTensors({tensor}) asynchronously. Until finishAllReduces(), `tensor` must not be used and no
  /// collective other than startAllReduce() may be called. Call from the rank's thread or its backward pass.
  virtual void startAllReduce(const at::Tensor& tensor) = 0;
  /// Waits for all started sums; on a GPU only makes later work on the current stream wait. Fails as
  /// allReduceTensors().
  virtual Result<void> finishAllReduces() = 0;

  /// Sums each value over the ranks; all ranks get identical bits. Requires equal lengths. Fails as allReduceTensors().
  virtual Result<void> allReduceValues(std::span<double> values) = 0;

  /// Waits for all ranks, for any time, on the host alone. Fails as allReduceTensors().
  virtual Result<void> barrier() = 0;

  /// Broadcast: copies the tensors of rank 0 to all ranks, in place. Requirements and errors as allReduceTensors().
  virtual Result<void> broadcastTensors(const std::vector<at::Tensor>& tensors) = 0;

  /// Fails as allReduceTensors() if the group is broken, in which case GPU results may be incomplete.
  virtual Result<void> status() { return {}; }

  /// Sets the section of work of this rank, for error messages of other ranks.
  virtual void enter(std::string_view /*section*/) {}

  /// Aborts the group: current and later calls of the other ranks fail with `why`.
  virtual void abandon(const Error& why) = 0;
};

/// Communicator of a run with a single rank; does nothing.
class SingleCommunicator final : public Communicator {
 public:
  std::int64_t rank() const override { return 0; }
  std::int64_t size() const override { return 1; }
  Result<void> allReduceTensors(const std::vector<at::Tensor>&) override { return {}; }
  void startAllReduce(const at::Tensor&) override {}
  Result<void> finishAllReduces() override { return {}; }
  Result<void> allReduceValues(std::span<double>) override { return {}; }
  Result<void> barrier() override { return {}; }
  Result<void> broadcastTensors(const std::vector<at::Tensor>&) override { return {}; }
  void abandon(const Error&) override {}
};

/// Control line of one rank to the others of its run, besides what carries tensors: a StoreLine between processes, a
/// line of a ThreadGroup between threads. exchange() is for one thread per rank, with all ranks calling in the same
/// order; everything else is thread-safe.
class RankLine {
 public:
  /// Called once, when the line breaks. `lost`: a rank was lost, as opposed to abandon().
  using OnBroken = std::function<void(const Error& why, bool lost)>;

  virtual ~RankLine() = default;
  std::int64_t rank() const { return rank_; }
  std::int64_t size() const { return size_; }

  /// All-gather: returns the texts of all ranks in rank order. Fails with the error that broke the line, also if a rank
  /// ended although others wait for it.
  virtual Result<std::vector<std::string>> exchange(const std::string& own) = 0;
  /// Notifies the others that this rank starts a collective operation, such as the sum of gradients.
  virtual void arrive() {}
  /// Sets the section of work of this rank, for error messages.
  virtual void enter(std::string_view /*section*/) {}
  /// Breaks the line: all calls of all ranks fail with `why`.
  virtual void abandon(const Error& why) = 0;

  /// Sets the callback of `owner`; an empty function removes it. Waits for a running callback. Callbacks run newest
  /// first: that of the run, which only records its end, before that of its communicator, which may wait for the
  /// device. Not called if the line is broken already: check error() afterwards.
  void onBroken(const void* owner, OnBroken callback);
  /// Returns the error that broke the line; nothing while it is intact.
  std::optional<Error> error() const;
  /// Returns whether the line broke because a rank was lost, not by abandon().
  bool lostRank() const;

 protected:
  RankLine(std::int64_t rank, std::int64_t size) : rank_(rank), size_(size) {}

  /// Breaks this end of the line; returns false if it was broken before.
  bool setBroken(const Error& why, bool lost) REQUIRES(mutex_);
  /// Calls the callbacks, once the line is broken.
  void notifyBroken();

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Error> broken_ GUARDED_BY(mutex_);

 private:
  const std::int64_t rank_;
  const std::int64_t size_;
  bool lost_ GUARDED_BY(mutex_) = false;
  Mutex callbackMutex_;  // never taken while mutex_ is held
  std::vector<std::pair<const void*, OnBroken>> onBroken_ GUARDED_BY(callbackMutex_);
};

/// Base for ranks with a line: values use it unless the subclass has a faster way; tensors are up to the subclass.
class LineCommunicator : public Communicator {
 public:
  explicit LineCommunicator(std::shared_ptr<RankLine> line) : line_(std::move(line)) {}

  std::int64_t rank() const override { return line_->rank(); }
  std::int64_t size() const override { return line_->size(); }
  /// Sums in rank order, so that all ranks get identical bits.
  Result<void> allReduceValues(std::span<double> values) override;
  Result<void> barrier() override { return LineCommunicator::allReduceValues({}); }
  void enter(std::string_view section) override { line_->enter(section); }
  void abandon(const Error& why) override { line_->abandon(why); }

 protected:
  RankLine& line() const { return *line_; }

 private:
  const std::shared_ptr<RankLine> line_;
};

/// Communicator whose collectives of tensors block. Sums that are started run one by one on a thread of its own, which
/// starts with the first, while the rank continues computing.
class BlockingCommunicator : public LineCommunicator {
 public:
  using Collective = std::function<Result<void>(const std::vector<at::Tensor>&)>;

  BlockingCommunicator(std::shared_ptr<RankLine> line, Collective allReduce, Collective broadcast)
      : LineCommunicator(std::move(line)), allReduce_(std::move(allReduce)), broadcast_(std::move(broadcast)) {}

  Result<void> allReduceTensors(const std::vector<at::Tensor>& tensors) override { return allReduce_(tensors); }
  void startAllReduce(const at::Tensor& tensor) override;
  Result<void> finishAllReduces() override;
  Result<void> broadcastTensors(const std::vector<at::Tensor>& tensors) override { return broadcast_(tensors); }

 private:
  void run(const at::Tensor& tensor);

  const Collective allReduce_;
  const Collective broadcast_;
  Result<void> outcome_;  // of the sums since finishAllReduces(); used by the thread until it has worked them off
  std::unique_ptr<c10::ThreadPool> thread_;  // last member: waits for the running sum, drops pending ones
};

}  // namespace batchwise
