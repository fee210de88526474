// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/dist/communicator.h"

namespace batchwise {

/// Ranks that are threads of this process. Sums in rank order, independent of thread timing, so runs on N CPU "devices"
/// are bit-reproducible. Each rank reduces its share of the elements for all.
class ThreadGroup {
 public:
  explicit ThreadGroup(std::int64_t size);
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;
  ~ThreadGroup();

  // For the thread of one rank, 0 <= rank < size. The group must outlive both.
  std::shared_ptr<RankLine> line(std::int64_t rank);
  std::unique_ptr<Communicator> communicator(std::int64_t rank);
  /// For what else the ranks of c10d need. Thread-safe.
  c10::intrusive_ptr<c10d::Store> store() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace batchwise
