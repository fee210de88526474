// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/rank_team.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>

#include "core/dist/mpi_communicator.h"
#include "core/dist/nccl_communicator.h"
#include "core/run/ranks/rank_meeting.h"
#include "core/store/process_identity.h"

namespace batchwise {
namespace {

bool launcherOffersMpi(const LaunchedRank& launched) {
  if (launched.launcher == "torchrun") return false;  // what srun offered was for torchrun itself
  return launched.launcher == "mpirun" || std::getenv("PMIX_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr;
}

// The cores this process may use, and of which machine.
std::string coresText() {
  std::string text = currentMachine().boot + ":";
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return text;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) text += std::to_string(core) + ",";
  return text;
}

}  // namespace

Result<std::unique_ptr<RankTeam>> RankTeam::connect(const LaunchedRank& launched) {
  auto team = std::unique_ptr<RankTeam>(new RankTeam(launched));
  if (launcherOffersMpi(launched)) {
    Result<std::shared_ptr<MpiWorld>> mpi = openMpiWorld();
    if (!mpi.ok()) return mpi.error();
    if ((*mpi)->size() != launched.size || (*mpi)->rank() != launched.rank)
      return Error::unsupported(launched.launcher + " started " + std::to_string(launched.size) +
                                " processes, but MPI sees " + std::to_string((*mpi)->size()) +
                                "; with srun name its plug-in: srun --mpi=pmix");
    team->mpi_ = std::move(*mpi);
  }
  Result<std::shared_ptr<RankLine>> line =
      team->mpi_ ? meetByMpi(launched, *team->mpi_) : meetByEnvironment(launched, processEnvironment());
  if (!line.ok()) return line.error();
  team->line_ = std::move(*line);
  return team;
}

RankTeam::~RankTeam() {
  if (mpi_ && (!line_ || line_->trouble())) mpi_->giveUp();
}

Result<std::string> RankTeam::fromFirst(const std::string& text) {
  Result<std::vector<std::string>> all = line_->exchange(rank() == 0 ? text : std::string());
  if (!all.ok()) return all.error();
  return std::move(all->front());
}

Result<std::int64_t> RankTeam::smallest(std::int64_t own) {
  const Result<std::vector<std::string>> all = line_->exchange(std::to_string(own));
  if (!all.ok()) return all.error();
  std::int64_t least = own;
  for (const std::string& one : *all) least = std::min<std::int64_t>(least, std::strtoll(one.c_str(), nullptr, 10));
  return least;
}

Result<ProcessShare> RankTeam::share() {
  const std::string own = coresText();
  const Result<std::vector<std::string>> all = line_->exchange(own);
  if (!all.ok()) return all.error();
  return ProcessShare{rank(), size(), launched_.localRank, std::count(all->begin(), all->end(), own)};
}

Result<void> RankTeam::open(const c10::Device& device) {
  if (device.is_cpu() && mpi_) {
    ranks_ = makeMpiCommunicator(mpi_, line_);
    return {};
  }
  if (device.is_cpu())
    return Error::unsupported("ranks on processors talk over MPI, which " + launched_.launcher +
                              " did not start; use mpirun, or srun --mpi=pmix");
  Result<std::unique_ptr<Communicator>> made = makeNcclCommunicator(device, line_);
  if (!made.ok()) return made.error();
  ranks_ = std::move(*made);
  return {};
}

}  // namespace batchwise
