// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_ranks.h"

#include <thread>

#include "core/dist/thread_group.h"

namespace batchwise {
namespace {

class Nobody final : public EventSink {
 public:
  void publish(const RunEvent&) override {}
};

RanksEnd runRank(const RanksSetup& setup, Communicator& ranks) {
  Nobody nobody;
  const bool first = ranks.rank() == 0;
  EventSink& events = first ? setup.events : static_cast<EventSink&>(nobody);
  TrainLoop loop(setup.plan, setup.data, setup.state,
                 {setup.replicas[static_cast<std::size_t>(ranks.rank())], ranks, events,
                  first ? &setup.commands : nullptr, setup.clock, setup.callbacks(ranks.rank()), setup.measureNoise,
                  first ? setup.mustRest : nullptr, setup.measureLogits, setup.measureUpdates,
                  first ? setup.monitor : nullptr, first ? setup.timeReserve : nullptr});
  Result<LoopEnd> end = loop.run();
  return {std::move(end), loop.state()};
}

}  // namespace

RanksEnd runRanks(const RanksSetup& setup) {
  const auto size = static_cast<std::int64_t>(setup.replicas.size());
  if (size == 1) {
    SingleCommunicator alone;
    return runRank(setup, alone);
  }
  ThreadGroup group(size);
  std::vector<std::jthread> others;
  for (std::int64_t rank = 1; rank < size; ++rank) {
    others.emplace_back([&setup, &group, rank] {
      const std::unique_ptr<Communicator> ranks = group.communicator(rank);
      // Its outcome is rank 0's too: an error has been told to the group.
      runRank(setup, *ranks);
    });
  }
  const std::unique_ptr<Communicator> ranks = group.communicator(0);
  return runRank(setup, *ranks);
}

}  // namespace batchwise
