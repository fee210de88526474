// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/rank_group.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/result.h"
#include "core/dist/mpi_communicator.h"
#include "core/dist/nccl_communicator.h"
#include "core/run/messages.h"
#include "core/run/ranks/rank_rendezvous.h"
#include "core/store/process_identity.h"

namespace batchwise {
namespace {

bool launcherOffersMpi(const LaunchedRank& launched) {
  if (launched.launcher == "torchrun") return false;  // srun's variables are meant for torchrun itself
  return launched.launcher == "mpirun" || std::getenv("PMIX_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr;
}

// Returns this machine's boot id and the cores this process may use.
std::string coresText() {
  std::string text = currentMachine().boot + ":";
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return text;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) text += std::to_string(core) + ",";
  return text;
}

}  // namespace

Result<std::unique_ptr<RankGroup>> RankGroup::connect(const LaunchedRank& launched) {
  auto rankGroup = std::unique_ptr<RankGroup>(new RankGroup(launched));
  if (launcherOffersMpi(launched)) {
    ASSIGN_OR_RETURN(auto mpi, openMpiWorld());
    if (mpi->size() != launched.size || mpi->rank() != launched.rank)
      return Error::unsupported(messages::launcherProcessCountMismatch(launched.launcher, launched.size, mpi->size()));
    rankGroup->mpi_ = std::move(mpi);
  }
  ASSIGN_OR_RETURN(auto channel, rankGroup->mpi_ ? rendezvousOverMpi(launched, *rankGroup->mpi_)
                                                 : rendezvousByEnvironment(launched, processEnvironment()));
  rankGroup->channel_ = std::move(channel);
  return rankGroup;
}

RankGroup::~RankGroup() {
  if (mpi_ && (!channel_ || channel_->error())) mpi_->skipFinalize();
}

Result<std::string> RankGroup::broadcastFromFirst(const std::string& text) {
  ASSIGN_OR_RETURN(auto all, channel_->exchange(rank() == 0 ? text : std::string()));
  return std::move(all.front());
}

Result<std::int64_t> RankGroup::smallest(std::int64_t own) {
  ASSIGN_OR_RETURN(const auto all, channel_->exchange(std::to_string(own)));
  std::int64_t least = own;
  for (const std::string& one : all) least = std::min<std::int64_t>(least, std::strtoll(one.c_str(), nullptr, 10));
  return least;
}

Result<ProcessShare> RankGroup::share() {
  const std::string own = coresText();
  ASSIGN_OR_RETURN(const auto all, channel_->exchange(own));
  return ProcessShare{rank(), size(), launched_.localRank, std::count(all.begin(), all.end(), own)};
}

Result<void> RankGroup::open(const c10::Device& device) {
  if (device.is_cpu() && mpi_) {
    ranks_ = makeMpiCommunicator(mpi_, channel_);
    return {};
  }
  if (device.is_cpu()) return Error::unsupported(messages::processorRanksNeedMpi(launched_.launcher));
  ASSIGN_OR_RETURN(auto made, makeNcclCommunicator(device, channel_));
  ranks_ = std::move(made);
  return {};
}

}  // namespace batchwise
