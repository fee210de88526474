// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// What the ranks of one run say to each other. One object per rank, used by that rank's thread only. Every rank makes
/// the same calls in the same order; a rank that cannot go on says so with abandon(), never by staying away.
class Communicator {
 public:
  virtual ~Communicator() = default;

  /// 0 <= rank() < size().
  virtual std::int64_t rank() const = 0;
  virtual std::int64_t size() const = 0;

  /// Adds up each tensor over the ranks, in place; afterwards all ranks hold the same bits. The ranks' lists have equal
  /// lengths, shapes and types, on the rank's own device; tensors are contiguous.
  /// Fails with the error of the rank that abandoned the group.
  virtual Result<void> sumTensors(const std::vector<at::Tensor>& tensors) = 0;

  /// Begins sumTensors({tensor}), which goes on beside what this rank does; `tensor` is left alone until finishSums().
  /// From the rank's thread or that of its backward pass; between two of finishSums() there is no other call.
  virtual void beginSum(const at::Tensor& tensor) = 0;
  /// Waits until all that was begun is added up; on a GPU whatever is queued later waits. Fails as sumTensors.
  virtual Result<void> finishSums() = 0;

  /// Adds up each value over the ranks, in rank order. Equal lengths on all ranks. Fails as sumTensors.
  virtual Result<void> sumValues(std::span<double> values) = 0;

  /// Every rank gets the texts of all ranks, in rank order. Fails as sumTensors.
  virtual Result<std::vector<std::string>> exchangeTexts(const std::string& own) = 0;

  /// Gives the tensors of rank 0 to all, in place; lists as for sumTensors. Fails as sumTensors.
  virtual Result<void> copyFromFirst(const std::vector<at::Tensor>& tensors) = 0;

  /// Fails as sumTensors if the group is broken by now, so that what was queued on a GPU may hold half sums.
  virtual Result<void> whole() { return {}; }

  /// What this rank is busy with from now on, for whoever has to name it.
  virtual void enter(std::string_view /*section*/) {}

  /// This rank gives up: calls of the other ranks, waiting ones included, fail with `why` from now on.
  virtual void abandon(const Error& why) = 0;
};

/// One rank on its own: sums are what they are.
class SingleCommunicator final : public Communicator {
 public:
  std::int64_t rank() const override { return 0; }
  std::int64_t size() const override { return 1; }
  Result<void> sumTensors(const std::vector<at::Tensor>&) override { return {}; }
  void beginSum(const at::Tensor&) override {}
  Result<void> finishSums() override { return {}; }
  Result<void> sumValues(std::span<double>) override { return {}; }
  Result<std::vector<std::string>> exchangeTexts(const std::string& own) override { return std::vector{own}; }
  Result<void> copyFromFirst(const std::vector<at::Tensor>&) override { return {}; }
  void abandon(const Error&) override {}
};

}  // namespace batchwise
