// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/run_ranks.h"

#include <thread>

#include "core/dist/nccl_communicator.h"
#include "core/dist/thread_group.h"
#include "core/train/host_memory.h"

namespace batchwise {
namespace {

constexpr double kPatienceSec = 60.0;  // for the ranks to find each other

RanksEnd runRank(const RanksSetup& setup, Communicator& ranks, Replica& replica) {
  SilentSink nobody;
  const bool first = ranks.rank() == 0;
  EventSink& events = first ? setup.events : static_cast<EventSink&>(nobody);
  TrainLoop loop(setup.plan, setup.data, setup.state,
                 {.replica = replica,
                  .ranks = ranks,
                  .events = events,
                  .commands = first ? &setup.commands : nullptr,
                  .clock = setup.clock,
                  .callbacks = setup.callbacks(ranks.rank()),
                  .measureNoise = setup.measureNoise,
                  .mustRest = first ? setup.mustRest : nullptr,
                  .measureLogits = setup.measureLogits,
                  .measureUpdates = setup.measureUpdates,
                  .monitor = first ? setup.monitor : nullptr,
                  .timeReserve = first ? setup.timeReserve : nullptr});
  Result<LoopEnd> end = loop.run();
  return {std::move(end), loop.state()};
}

// One thread per rank beside this one, each with the communicator that `communicatorOf` makes there.
template <typename CommunicatorOf>
RanksEnd runInThreads(const RanksSetup& setup, const CommunicatorOf& communicatorOf) {
  const auto train = [&setup, &communicatorOf](std::int64_t rank) -> RanksEnd {
    Result<std::unique_ptr<Communicator>> ranks = communicatorOf(rank);
    if (!ranks.ok()) return {ranks.error(), setup.state};
    Replica& replica = setup.replicas[static_cast<std::size_t>(rank)];
    const HostDeviceScope charged(replica.model.device().is_cpu() ? rank : 0);
    return runRank(setup, **ranks, replica);
  };
  std::vector<std::jthread> others;
  for (std::size_t rank = 1; rank < setup.replicas.size(); ++rank)
    // Its outcome is rank 0's too: an error has been told to the group.
    others.emplace_back([&train, rank] { train(static_cast<std::int64_t>(rank)); });
  return train(0);
}

RanksEnd runOnProcessors(const RanksSetup& setup) {
  ThreadGroup group(static_cast<std::int64_t>(setup.replicas.size()));
  return runInThreads(
      setup, [&group](std::int64_t rank) -> Result<std::unique_ptr<Communicator>> { return group.communicator(rank); });
}

// NCCL takes threads as it takes processes; they agree over sockets of this machine.
RanksEnd runOnGpus(const RanksSetup& setup) {
  const auto size = static_cast<std::int64_t>(setup.replicas.size());
  const Result<std::string> secret = newRankSecret();
  if (!secret.ok()) return {secret.error(), setup.state};
  Result<std::unique_ptr<RankLine>> opened = RankLine::lead(size, *secret, RankLine::Reach::ThisHost);
  if (!opened.ok()) return {opened.error(), setup.state};
  const std::shared_ptr<RankLine> first = std::move(*opened);
  return runInThreads(setup, [&](std::int64_t rank) -> Result<std::unique_ptr<Communicator>> {
    std::shared_ptr<RankLine> line = first;
    if (rank > 0) {
      Result<std::unique_ptr<RankLine>> joined = RankLine::join(first->place(), rank, size, kPatienceSec);
      if (!joined.ok()) {
        first->abandon(joined.error());
        return joined.error();
      }
      line = std::move(*joined);
    } else if (Result<void> all = first->awaitAll(kPatienceSec); !all.ok()) {
      first->abandon(all.error());
      return all.error();
    }
    auto made = makeNcclCommunicator(setup.replicas[static_cast<std::size_t>(rank)].model.device(), line);
    if (!made.ok()) line->abandon(made.error());
    return made;
  });
}

}  // namespace

RanksEnd runRanks(const RanksSetup& setup) {
  if (setup.ranks != nullptr) return runRank(setup, *setup.ranks, setup.replicas.front());
  if (setup.replicas.size() > 1)
    return setup.replicas.front().model.device().is_cpu() ? runOnProcessors(setup) : runOnGpus(setup);
  SingleCommunicator alone;
  return runRank(setup, alone, setup.replicas.front());
}

}  // namespace batchwise
