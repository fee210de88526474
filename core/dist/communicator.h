// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/dist/rank_channel.h"

namespace batchwise {

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

  /// Sums each value over the ranks, in rank order. Requires equal lengths. Fails as allReduceTensors().
  virtual Result<void> allReduceValues(std::span<double> values) = 0;

  /// All-gather: returns the texts of all ranks in rank order. Fails as allReduceTensors().
  virtual Result<std::vector<std::string>> allGatherTexts(const std::string& own) = 0;

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
  Result<std::vector<std::string>> allGatherTexts(const std::string& own) override { return std::vector{own}; }
  Result<void> broadcastTensors(const std::vector<at::Tensor>&) override { return {}; }
  void abandon(const Error&) override {}
};

/// Base for ranks in separate processes: texts and values use a RankChannel, tensors are up to the subclass.
class ChannelCommunicator : public Communicator {
 public:
  explicit ChannelCommunicator(std::shared_ptr<RankChannel> channel) : channel_(std::move(channel)) {}

  std::int64_t rank() const override { return channel_->rank(); }
  std::int64_t size() const override { return channel_->size(); }
  /// Sums in rank order, so that all ranks get identical bits.
  Result<void> allReduceValues(std::span<double> values) override;
  Result<std::vector<std::string>> allGatherTexts(const std::string& own) override { return channel_->exchange(own); }
  void enter(std::string_view section) override { channel_->enter(section); }
  void abandon(const Error& why) override { channel_->abandon(why); }

 protected:
  RankChannel& channel() const { return *channel_; }

 private:
  const std::shared_ptr<RankChannel> channel_;
};

/// Runs blocking sums of a rank one by one on its own thread, while the rank continues computing. The thread starts
/// with the first sum.
class AllReduceWorker {
 public:
  using Sum = std::function<Result<void>(const at::Tensor&)>;

  explicit AllReduceWorker(Sum sum) : sum_(std::move(sum)) {}
  AllReduceWorker(const AllReduceWorker&) = delete;
  AllReduceWorker& operator=(const AllReduceWorker&) = delete;
  /// Waits for the running sum; drops pending ones.
  ~AllReduceWorker() = default;

  void begin(const at::Tensor& tensor);
  /// Waits for all sums. Fails with the first error; later sums are skipped.
  Result<void> finish();

 private:
  void work(const std::stop_token& stop);

  const Sum sum_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<at::Tensor> waiting_ GUARDED_BY(mutex_);
  bool summing_ GUARDED_BY(mutex_) = false;
  std::optional<Error> failed_ GUARDED_BY(mutex_);
  std::jthread thread_;  // last member: joined first
};

}  // namespace batchwise
