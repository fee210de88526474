// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/rank_group.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/user_folders.h"
#include "core/dist/nccl_communicator.h"
#include "core/dist/rank_handshake.h"
#include "core/dist/rank_messages.h"
#include "core/store/process_identity.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;

constexpr double kTimeoutSec = 60.0;
constexpr double kConnectSec = 2.0;  // short, because the file may be left from an earlier launch and is read again
constexpr double kAnswerSec = 10.0;
constexpr const char* kSecretVariable = "BATCHWISE_RANK_SECRET";
constexpr const char* kPortVariable = "BATCHWISE_RANK_PORT";
constexpr int kFirstPort = 20000, kPorts = 12000;  // below those that Linux gives to connections

std::string variable(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string() : std::string(value);
}

// Identifies a launch among those of a user on one machine at the same time, such as the steps of a job. Without the
// name of the machine, which ranks may know by different names.
std::string launchName(const Environment& environment) {
  return ":" + variable(environment, "MASTER_PORT") + ":" + variable(environment, "TORCHELASTIC_RUN_ID") +
         variable(environment, "SLURM_JOB_ID") + "." + variable(environment, "SLURM_STEP_ID");
}

// Returns the port that the user has set for rank 0; 0 if none.
Result<int> wantedPort(const Environment& environment) {
  const std::string text = variable(environment, kPortVariable);
  const int port = text.empty() ? 0 : numberFrom<int>(text).value_or(-1);
  if (port < 0 || port > 65535)
    return Error::config(formatText("{} is '{}', but a TCP port is a number up to 65535", kPortVariable, text));
  return port;
}

// Returns the machine of rank 0 from the launcher's variables.
Result<std::string> hostFrom(const LaunchedRank& launched, const Environment& environment) {
  if (const std::string host = variable(environment, "MASTER_ADDR"); !host.empty()) return host;
  const std::string list = variable(environment, "SLURM_STEP_NODELIST");
  if (launched.launcher != "srun" || list.empty())
    return Error::unsupported(
        formatText("the ranks cannot find each other: {} sets neither MPI's variables nor MASTER_ADDR; start with "
                   "mpirun, or with srun --mpi=pmix",
                   launched.launcher));
  // Task 0 runs on the first node of "node[3-5,9]" or "a,b".
  std::string host = list.substr(0, list.find_first_of("[,"));
  if (const auto bracket = list.find('['); bracket == host.size())
    host += list.substr(bracket + 1, list.find_first_of("-,]", bracket) - bracket - 1);
  return host;
}

// Returns the address of rank 0, as far as it is known without a message from it: else the port is 0, the secret empty.
Result<RankChannel::Endpoint> endpointFrom(const LaunchedRank& launched, const Environment& environment) {
  ASSIGN_OR_RETURN(auto host, hostFrom(launched, environment));
  ASSIGN_OR_RETURN(auto port, wantedPort(environment));
  std::string secret = variable(environment, kSecretVariable);
  if (port == 0 && !secret.empty()) port = kFirstPort + static_cast<int>(hash128(launchName(environment)).low % kPorts);
  return RankChannel::Endpoint{std::move(host), port, std::move(secret)};
}

// Returns the file for port and secret of a launch: on a file system shared by the nodes, and for this user only.
// Without a folder of the user's there is none.
fs::path endpointFile(const std::string& host, const Environment& environment) {
  const fs::path folder = userCacheFolder(environment);
  if (folder.empty()) return {};
  const bool loopback = host == "localhost" || host.starts_with("127.");  // torchrun's, on any machine
  return folder / ("ranks-" + hash128(host + (loopback ? hostName() : "") + launchName(environment)).hex());
}

Error secretError(const Error& why) {
  return why.within(
      formatText("the secret of the ranks; or set {} to the same random text for all ranks", kSecretVariable));
}

Result<void> writeEndpoint(const fs::path& path, const RankChannel::Endpoint& endpoint) {
  const std::string text = std::to_string(endpoint.port) + " " + endpoint.secret;
  if (const Result<void> made = makeFolders(path.parent_path()); !made.ok()) return secretError(made.error());
  ::unlink(path.c_str());
  const Result<FileDescriptor> file = createFile(path, 0600);
  if (!file.ok()) return secretError(file.error());
  const Result<void> written = writeAll(*file, std::as_bytes(std::span(text)), path);
  return written.ok() ? written : secretError(written.error());
}

// Sets port and secret.
Result<void> readEndpoint(const fs::path& path, RankChannel::Endpoint& endpoint) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  std::array<char, 1024> buffer{};
  if (!file.valid() || ::fstat(file.get(), &status) != 0)
    return Error::fromErrno(errno, "cannot read '{}'", path.native());
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || (status.st_mode & 077U) != 0)
    return Error{
        ErrorCode::Io, formatText("others can write or read '{}'; remove it and start again", path.native()), {}};
  const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
  if (size < 0) return Error::fromErrno(errno, "cannot read '{}'", path.native());
  const std::string_view text(buffer.data(), static_cast<std::size_t>(size));
  const std::size_t space = text.find(' ');
  const auto port = numberFrom<int>(text.substr(0, space));
  if (!port || space == std::string_view::npos) return Error::fromErrno(ENODATA, "cannot read '{}'", path.native());
  endpoint.port = *port;
  endpoint.secret = text.substr(space + 1);
  return {};
}

using Channel = std::shared_ptr<RankChannel>;

// Returns the channel of rank 0 once all ranks have connected.
Result<Channel> awaitOthers(const Channel& channel) {
  const Result<void> all = channel->awaitAll(kTimeoutSec);
  if (all.ok()) return channel;
  channel->abandon(all.error());  // ranks that connected wait for the others
  return all.error();
}

Result<Channel> joinByFile(const LaunchedRank& launched, RankChannel::Endpoint endpoint, const fs::path& file) {
  for (const double untilSec = nowSec() + kTimeoutSec;; std::this_thread::sleep_for(std::chrono::milliseconds(100))) {
    const Result<void> read = readEndpoint(file, endpoint);
    const double leftSec = untilSec - nowSec();
    if (!read.ok()) {
      if (leftSec <= 0) return secretError(read.error());
      continue;
    }
    // Whatever listens on the port of an earlier launch may never answer.
    const double answerSec = std::min(leftSec, kAnswerSec);
    Result<Channel> channel = RankChannel::join(endpoint, launched.rank, launched.size, answerSec, kConnectSec);
    if (channel.ok() || leftSec <= 0) return channel;
  }
}

// Returns the message of rank 0: its address, and the secret encrypted for each rank.
std::string rendezvousText(const RankChannel::Endpoint& endpoint, const SecretExchange& exchange,
                           const std::vector<std::string>& publicKeys) {
  std::vector<std::string> texts{endpoint.host, std::to_string(endpoint.port)};
  for (std::size_t rank = 1; rank < publicKeys.size(); ++rank) {
    const Result<std::string> masked = exchange.masked(endpoint.secret, publicKeys[rank]);
    texts.push_back(masked.ok() ? *masked : std::string());
  }
  return joinTexts(texts);
}

Result<Channel> leadWithNewSecret(std::int64_t size) {
  ASSIGN_OR_RETURN(const auto port, wantedPort(processEnvironment()));
  ASSIGN_OR_RETURN(const auto secret, newRankSecret());
  return RankChannel::lead(size, secret, port);
}

// Rank 0 listens on any free port, unless one is set, and sends its address and the secret to the others over MPI; the
// secret is encrypted, because MPI traffic is readable (rank_handshake.h).
Result<Channel> rendezvousOverMpi(const LaunchedRank& launched, MpiWorld& mpi) {
  const Result<SecretExchange> exchange = SecretExchange::create();
  // A rank without a key or a port takes part all the same, or the others would wait for it.
  ASSIGN_OR_RETURN(const auto publicKeys, mpi.allGatherTexts(exchange.ok() ? exchange->publicKey() : std::string()));
  if (!exchange.ok()) return exchange.error();
  if (std::ranges::count(publicKeys, std::string()) > 0)
    return Error{
        ErrorCode::Device, "another rank could not create its key for the connection; its own error says why", {}};
  std::string meeting;
  Result<Channel> channel = Channel();
  if (launched.rank == 0) {
    channel = leadWithNewSecret(launched.size);
    if (channel.ok()) meeting = rendezvousText((*channel)->endpoint(), *exchange, publicKeys);
  }
  ASSIGN_OR_RETURN(const auto meetings, mpi.allGatherTexts(meeting));
  if (launched.rank == 0) return channel.ok() ? awaitOthers(*channel) : channel;
  const auto texts = splitTexts(meetings.front());
  if (!texts || std::ssize(*texts) != launched.size + 1)
    return Error{ErrorCode::Device,
                 "rank 0 could not open a TCP port on which the other ranks connect to it, so no rank starts; the "
                 "error message of rank 0 names the cause: remove it, then start all ranks again",
                 {}};
  ASSIGN_OR_RETURN(auto secret,
                   exchange->masked((*texts)[static_cast<std::size_t>(launched.rank) + 1], publicKeys.front()));
  return RankChannel::join({texts->front(), std::atoi((*texts)[1].c_str()), std::move(secret)}, launched.rank,
                           launched.size, kTimeoutSec);
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

Result<Channel> rendezvousByEnvironment(const LaunchedRank& launched, const Environment& environment) {
  ASSIGN_OR_RETURN(auto endpoint, endpointFrom(launched, environment));
  const bool needsFile = endpoint.secret.empty();
  const fs::path file = endpointFile(endpoint.host, environment);
  if (needsFile && file.empty())
    return secretError(Error::fromErrno(ENOENT, "cannot create the folder '{}'", "$HOME/.cache/batchwise"));
  if (launched.rank > 0 && needsFile) return joinByFile(launched, endpoint, file);
  if (launched.rank > 0) return RankChannel::join(endpoint, launched.rank, launched.size, kTimeoutSec);
  if (needsFile) {
    ASSIGN_OR_RETURN(endpoint.secret, newRankSecret());
  }
  ASSIGN_OR_RETURN(const auto channel, RankChannel::lead(launched.size, endpoint.secret, endpoint.port));
  if (needsFile) RETURN_IF_ERROR(writeEndpoint(file, channel->endpoint()));
  Result<Channel> all = awaitOthers(channel);
  if (needsFile) ::unlink(file.c_str());
  return all;
}

Result<std::unique_ptr<RankGroup>> RankGroup::connect(const LaunchedRank& launched) {
  auto rankGroup = std::unique_ptr<RankGroup>(new RankGroup(launched));
  if (launcherOffersMpi(launched)) {
    ASSIGN_OR_RETURN(auto mpi, openMpiWorld());
    if (mpi->size() != launched.size || mpi->rank() != launched.rank)
      return Error::unsupported(
          formatText("{} started {} processes, but MPI sees {}; with srun, name its MPI plug-in: srun --mpi=pmix",
                     launched.launcher, launched.size, mpi->size()));
    rankGroup->mpi_ = std::move(mpi);
  }
  ASSIGN_OR_RETURN(rankGroup->channel_, rankGroup->mpi_ ? rendezvousOverMpi(launched, *rankGroup->mpi_)
                                                        : rendezvousByEnvironment(launched, processEnvironment()));
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
  std::int64_t least = 0;
  for (const std::string& one : all)
    if (const std::int64_t number = std::strtoll(one.c_str(), nullptr, 10); number > 0)
      least = least == 0 ? number : std::min(least, number);
  return least;
}

Result<ProcessShare> RankGroup::share() {
  const std::string own = coresText();
  ASSIGN_OR_RETURN(const auto all, channel_->exchange(own));
  return ProcessShare{rank(), size(), launched_.localRank, std::count(all.begin(), all.end(), own)};
}

Result<void> RankGroup::open(const c10::Device& device) {
  const std::string own = c10::DeviceTypeName(device.type(), /*lower_case=*/true);
  ASSIGN_OR_RETURN(const auto all, channel_->exchange(own));
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
    ranks_ = makeMpiCommunicator(mpi_, channel_);
    return {};
  }
  ASSIGN_OR_RETURN(ranks_, makeNcclCommunicator(device, channel_));
  return {};
}

}  // namespace batchwise
