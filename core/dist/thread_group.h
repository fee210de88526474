// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/dist/communicator.h"

namespace batchwise {

/// Ranks that are threads of this process. Sums are made in rank order, whichever thread comes first, so that a run on
/// N CPU "devices" gives the same bits every time. Each rank adds its share of the elements for all.
class ThreadGroup {
 public:
  explicit ThreadGroup(std::int64_t size);
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;
  ~ThreadGroup();

  /// The end of one rank, for its thread. The group must outlive it. 0 <= rank < size.
  std::unique_ptr<Communicator> communicator(std::int64_t rank);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace batchwise
