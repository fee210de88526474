// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/rank_team.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "core/base/hash.h"
#include "core/dist/mpi_communicator.h"
#include "core/dist/nccl_communicator.h"
#include "core/store/process_identity.h"
#include "core/store/records.h"

namespace batchwise {
namespace {

constexpr double kPatienceSec = 60.0;

bool launcherOffersMpi(const LaunchedRank& launched) {
  if (launched.launcher == "torchrun") return false;  // what srun offered was for torchrun itself
  return launched.launcher == "mpirun" || std::getenv("PMIX_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// Where rank 0 is to be found by what the launcher says. Steps of one job do not get into each other's way.
Result<RankLine::Place> placeFromEnvironment(const LaunchedRank& launched) {
  const std::string job = variable("SLURM_JOB_ID") + "." + variable("SLURM_STEP_ID");
  if (const std::string host = variable("MASTER_ADDR"); !host.empty()) {
    const int port = std::atoi(variable("MASTER_PORT").c_str());
    // torchrun itself listens at MASTER_PORT.
    return RankLine::Place{host, port > 0 ? port + 1 : 29501, variable("TORCHELASTIC_RUN_ID") + job};
  }
  if (launched.launcher == "srun" && !variable("SLURM_STEP_NODELIST").empty()) {
    // The first of "node[3-5,9]" or "a,b" is where task 0 runs.
    const std::string list = variable("SLURM_STEP_NODELIST");
    std::string host = list.substr(0, list.find_first_of("[,"));
    if (const auto bracket = list.find('['); bracket == host.size())
      host += list.substr(bracket + 1, list.find_first_of("-,]", bracket) - bracket - 1);
    return RankLine::Place{host, static_cast<int>(20000 + hash128(job).low % 20000), job};
  }
  return Error::unsupported("the ranks cannot find each other: " + launched.launcher +
                            " sets neither MPI's variables nor MASTER_ADDR and MASTER_PORT; start with mpirun, or with "
                            "srun --mpi=pmix");
}

std::string placeText(const RankLine::Place& place) {
  return place.host + "\n" + std::to_string(place.port) + "\n" + place.secret;
}

RankLine::Place placeFromText(const std::string& text) {
  std::istringstream lines(text);
  RankLine::Place place;
  std::string port;
  std::getline(lines, place.host);
  std::getline(lines, port);
  std::getline(lines, place.secret);
  place.port = std::atoi(port.c_str());
  return place;
}

Result<std::shared_ptr<RankLine>> lead(const LaunchedRank& launched, const std::string& secret, int port) {
  Result<std::unique_ptr<RankLine>> line = RankLine::lead(launched.size, secret, port);
  if (!line.ok()) return line.error();
  return std::shared_ptr<RankLine>(std::move(*line));
}

Result<std::shared_ptr<RankLine>> join(const LaunchedRank& launched, const RankLine::Place& place) {
  Result<std::unique_ptr<RankLine>> line = RankLine::join(place, launched.rank, launched.size, kPatienceSec);
  if (!line.ok()) return line.error();
  return std::shared_ptr<RankLine>(std::move(*line));
}

// Rank 0 opens any free port and tells the others by MPI.
Result<std::shared_ptr<RankLine>> meetByMpi(const LaunchedRank& launched, MpiWorld& mpi) {
  std::string place;
  Result<std::shared_ptr<RankLine>> line = std::shared_ptr<RankLine>();
  if (launched.rank == 0) {
    line = lead(launched, newRecordId() + newRecordId(), 0);
    if (line.ok()) place = placeText((*line)->place());
  }
  if (Result<void> shared = mpi.shareFromFirst(place); !shared.ok()) return shared.error();
  return launched.rank == 0 ? line : join(launched, placeFromText(place));
}

Result<std::shared_ptr<RankLine>> meetByEnvironment(const LaunchedRank& launched) {
  const Result<RankLine::Place> place = placeFromEnvironment(launched);
  if (!place.ok()) return place.error();
  return launched.rank == 0 ? lead(launched, place->secret, place->port) : join(launched, *place);
}

// The cores this process may use, and of which machine.
std::string coresText() {
  std::string text = currentProcess().host + ":";
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
      team->mpi_ ? meetByMpi(launched, *team->mpi_) : meetByEnvironment(launched);
  if (!line.ok()) return line.error();
  team->line_ = std::move(*line);
  if (launched.rank == 0)
    if (Result<void> all = team->line_->awaitAll(kPatienceSec); !all.ok()) {
      team->line_->abandon(all.error());  // those that came wait for the others
      return all.error();
    }
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
