// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/rank_group.h"

#include <sched.h>
#include <torch/version.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/dist/nccl_communicator.h"
#include "core/store/process_identity.h"

namespace batchwise {
namespace {

constexpr double kTimeoutSec = 60.0;  // for all ranks to come
constexpr const char* kVersion = "Batchwise " BATCHWISE_VERSION " with LibTorch " TORCH_VERSION;
constexpr int kTorchPort = 29500;  // torch.distributed's own default
constexpr int kFirstJobPort = 15000, kJobPorts = 10000;

std::string variable(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string() : std::string(value);
}

// Returns MASTER_PORT; `otherwise` if it is not set.
Result<int> masterPort(const Environment& environment, int otherwise) {
  const std::string text = variable(environment, "MASTER_PORT");
  const int port = text.empty() ? otherwise : numberFrom<int>(text).value_or(-1);
  if (port < 0 || port > 65535)
    return Error::config(formatText("MASTER_PORT is '{}', but a TCP port is a number up to 65535", text));
  return port;
}

// Returns the first node of "node[3-5,9]" or "a,b", where task 0 runs.
std::string firstNode(const std::string& list) {
  std::string host = list.substr(0, list.find_first_of("[,"));
  if (const auto bracket = list.find('['); bracket == host.size())
    host += list.substr(bracket + 1, list.find_first_of("-,]", bracket) - bracket - 1);
  return host;
}

// Of the loopback interface that this process uses: cloned machines share their names, and containers on one machine
// its boot, but not its network.
std::string loopbackText() {
  const MachineIdentity machine = currentMachine();
  std::error_code ignored;
  return jsonText({machine.host, machine.boot, std::filesystem::read_symlink("/proc/self/ns/net", ignored).native()});
}

// Rank 0 listens on MASTER_PORT, else any free port, and sends its address to the others over MPI.
Result<std::shared_ptr<StoreLine>> meetOverMpi(const LaunchedRank& launched, MpiWorld& mpi) {
  const std::string own = loopbackText();
  ASSIGN_OR_RETURN(const auto all, mpi.allGatherTexts(own));
  MeetingPoint point;
  point.host = nlohmann::json::parse(all.front()).front();
  point.onOneMachine = std::ranges::count(all, own) == launched.size;
  if (point.onOneMachine) point.host = "127.0.0.1";
  Result<FileDescriptor> port = FileDescriptor();
  if (launched.rank == 0) {
    const Result<int> wanted = masterPort(processEnvironment(), 0);
    point.port = wanted.ok() ? *wanted : 0;
    port = wanted.ok() ? openRankPort(point) : wanted.error();
  }
  // A rank 0 without a port takes part all the same, or the others would wait for it.
  ASSIGN_OR_RETURN(const auto ports, mpi.allGatherTexts(port.ok() ? std::to_string(point.port) : std::string()));
  if (!port.ok()) return port.error();
  if (ports.front().empty())
    return Error{ErrorCode::Device, "rank 0 could not open the port where the ranks meet; its own error says why", {}};
  point.port = numberFrom<int>(ports.front()).value_or(0);
  return StoreLine::connect(launched.rank, launched.size, point, kVersion, kTimeoutSec, *std::move(port));
}

Result<std::shared_ptr<StoreLine>> meetByEnvironment(const LaunchedRank& launched) {
  ASSIGN_OR_RETURN(auto point, meetingPoint(launched, processEnvironment()));
  FileDescriptor port;
  if (launched.rank == 0 && !point.servedByLauncher) {
    ASSIGN_OR_RETURN(port, openRankPort(point));
  }
  return StoreLine::connect(launched.rank, launched.size, point, kVersion, kTimeoutSec, std::move(port));
}

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

Result<MeetingPoint> meetingPoint(const LaunchedRank& launched, const Environment& environment) {
  MeetingPoint point;
  point.host = variable(environment, "MASTER_ADDR");
  int port = kTorchPort;
  if (launched.launcher == "srun") {
    if (point.host.empty()) point.host = firstNode(variable(environment, "SLURM_STEP_NODELIST"));
    point.onOneMachine = variable(environment, "SLURM_STEP_NUM_NODES") == "1";
    port = kFirstJobPort +
           static_cast<int>(numberFrom<std::int64_t>(variable(environment, "SLURM_JOB_ID")).value_or(0) % kJobPorts);
  }
  if (point.host.empty())
    return Error::unsupported(
        formatText("the ranks cannot find each other: {} sets neither MPI's variables nor MASTER_ADDR; start with "
                   "mpirun, or with srun --mpi=pmix",
                   launched.launcher));
  ASSIGN_OR_RETURN(point.port, masterPort(environment, port));
  if (launched.launcher == "torchrun") {
    point.onOneMachine = variable(environment, "LOCAL_WORLD_SIZE") == std::to_string(launched.size);
    // torchrun's own convention: its agent listens at MASTER_PORT already, over all attempts.
    point.servedByLauncher = variable(environment, "TORCHELASTIC_USE_AGENT_STORE") == "True";
    point.prefix += "/" + variable(environment, "TORCHELASTIC_RESTART_COUNT");
  }
  if (point.host == "localhost" || point.host.starts_with("127.")) point.onOneMachine = true;
  if (point.onOneMachine && !point.servedByLauncher) point.host = "127.0.0.1";
  return point;
}

Result<std::unique_ptr<RankGroup>> RankGroup::connect(const LaunchedRank& launched) {
  if (launched.rank < 0 || launched.rank >= launched.size)
    return Error::config(
        formatText("this process is rank {} of {}: its launcher's variables (RANK, WORLD_SIZE) contradict "
                   "each other",
                   launched.rank, launched.size));
  auto rankGroup = std::unique_ptr<RankGroup>(new RankGroup(launched));
  if (launcherOffersMpi(launched)) {
    ASSIGN_OR_RETURN(auto mpi, openMpiWorld());
    if (mpi->size() != launched.size || mpi->rank() != launched.rank)
      return Error::unsupported(
          formatText("{} started {} processes, but MPI sees {}; with srun, name its MPI plug-in: srun --mpi=pmix",
                     launched.launcher, launched.size, mpi->size()));
    rankGroup->mpi_ = std::move(mpi);
  }
  ASSIGN_OR_RETURN(rankGroup->line_,
                   rankGroup->mpi_ ? meetOverMpi(launched, *rankGroup->mpi_) : meetByEnvironment(launched));
  return rankGroup;
}

RankGroup::~RankGroup() {
  if (mpi_ && (!line_ || line_->error())) mpi_->skipFinalize();
}

Result<std::string> RankGroup::broadcastFromFirst(const std::string& text) {
  ASSIGN_OR_RETURN(auto all, line_->exchange(rank() == 0 ? text : std::string()));
  return std::move(all.front());
}

Result<std::int64_t> RankGroup::smallest(std::int64_t own) {
  ASSIGN_OR_RETURN(const auto all, line_->exchange(std::to_string(own)));
  std::int64_t least = 0;
  for (const std::string& one : all)
    if (const std::int64_t number = std::strtoll(one.c_str(), nullptr, 10); number > 0)
      least = least == 0 ? number : std::min(least, number);
  return least;
}

Result<ProcessShare> RankGroup::share() {
  const std::string own = coresText();
  ASSIGN_OR_RETURN(const auto all, line_->exchange(own));
  return ProcessShare{rank(), size(), launched_.localRank, std::count(all.begin(), all.end(), own)};
}

Result<void> RankGroup::open(const c10::Device& device) {
  const std::string own = c10::DeviceTypeName(device.type(), /*lower_case=*/true);
  ASSIGN_OR_RETURN(const auto all, line_->exchange(own));
  const auto other = std::ranges::find_if(all, [&](const std::string& one) { return one != all.front(); });
  // Known before NCCL waits for ranks that never come, which cannot be interrupted.
  if (other != all.end())
    return Error::unsupported(formatText(
        "rank 0 trains on {}, but rank {} on {}: set devices.use, or see why that machine offers no other device",
        all.front(), other - all.begin(), *other));
  if (device.is_cpu() && !mpi_)
    return Error::unsupported(
        formatText("ranks on processors communicate over MPI, which {} did not start; use mpirun, or srun --mpi=pmix",
                   launched_.launcher));
  if (device.is_cpu()) {
    ranks_ = makeMpiCommunicator(mpi_, line_);
    return {};
  }
  ASSIGN_OR_RETURN(ranks_, makeNcclCommunicator(device, line_, line_->openStore()));
  return {};
}

}  // namespace batchwise
