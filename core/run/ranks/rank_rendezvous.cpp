// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/rank_rendezvous.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/base/user_folders.h"
#include "core/dist/rank_handshake.h"
#include "core/dist/rank_messages.h"
#include "core/run/messages.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;

constexpr double kTimeoutSec = 60.0;
constexpr double kConnectSec = 2.0;  // short, because the file may be left from an earlier launch and is read again
constexpr const char* kSecretVariable = "BATCHWISE_RANK_SECRET";

std::string variable(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string() : std::string(value);
}

// Identifies a launch, so that steps of one job do not collide.
std::string launchName(const Environment& environment) {
  return variable(environment, "TORCHELASTIC_RUN_ID") + variable(environment, "SLURM_JOB_ID") + "." +
         variable(environment, "SLURM_STEP_ID");
}

// Returns the address of rank 0 from the launcher's variables, without the secret.
Result<RankChannel::Endpoint> placeFromEnvironment(const LaunchedRank& launched, const Environment& environment) {
  if (const std::string host = variable(environment, "MASTER_ADDR"); !host.empty()) {
    const int port = std::atoi(variable(environment, "MASTER_PORT").c_str());
    // torchrun itself listens on MASTER_PORT.
    return RankChannel::Endpoint{host, port > 0 ? port + 1 : 29501, {}};
  }
  const std::string list = variable(environment, "SLURM_STEP_NODELIST");
  if (launched.launcher == "srun" && !list.empty()) {
    // Task 0 runs on the first node of "node[3-5,9]" or "a,b".
    std::string host = list.substr(0, list.find_first_of("[,"));
    if (const auto bracket = list.find('['); bracket == host.size())
      host += list.substr(bracket + 1, list.find_first_of("-,]", bracket) - bracket - 1);
    return RankChannel::Endpoint{host, static_cast<int>(20000 + hash128(launchName(environment)).low % 20000), {}};
  }
  return Error::unsupported(messages::ranksCannotFindEachOther(launched.launcher));
}

Result<std::shared_ptr<RankChannel>> shared(Result<std::unique_ptr<RankChannel>> channel) {
  if (!channel.ok()) return channel.error();
  return std::shared_ptr<RankChannel>(std::move(*channel));
}

Result<std::shared_ptr<RankChannel>> join(const LaunchedRank& launched, const RankChannel::Endpoint& endpoint) {
  return shared(RankChannel::join(endpoint, launched.rank, launched.size, kTimeoutSec));
}

Result<void> awaitOthers(RankChannel& channel) {
  Result<void> all = channel.awaitAll(kTimeoutSec);
  if (!all.ok()) channel.abandon(all.error());  // ranks that connected wait for the others
  return all;
}

// A file with the secret, readable and writable by this user only, on a file system shared by the nodes.
class SecretFile {
 public:
  SecretFile(const Environment& environment, const RankChannel::Endpoint& endpoint) {
    path_ = userCacheFolder(environment) /
            ("ranks-" + hash128(endpoint.host + ":" + std::to_string(endpoint.port) + launchName(environment)).hex());
  }

  Result<void> write(const std::string& secret) const {
    RETURN_IF_ERROR(makeFolders(path_.parent_path()));
    remove();
    const FileDescriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.valid() || ::write(file.get(), secret.data(), secret.size()) != static_cast<ssize_t>(secret.size()))
      return Error::fromErrno(errno, messages::cannotWrite, path_.string()).within(remedy());
    return {};
  }
  Result<std::string> read() const {
    const FileDescriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat status {};
    std::array<char, 1024> buffer{};
    if (!file.valid() || ::fstat(file.get(), &status) != 0)
      return Error::fromErrno(errno, messages::cannotRead, path_.native());
    if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || (status.st_mode & 077U) != 0)
      return Error{ErrorCode::Io, messages::rankFileAccessibleToOthers(path_.native()), {}};
    const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
    if (size < 0) return Error::fromErrno(errno, messages::cannotRead, path_.native());
    return std::string(buffer.data(), static_cast<std::size_t>(size));
  }
  void remove() const { ::unlink(path_.c_str()); }

  static Message remedy() { return messages::rankSecretRemedy(kSecretVariable); }

 private:
  fs::path path_;
};

Result<std::shared_ptr<RankChannel>> listenWithSecretFile(const LaunchedRank& launched,
                                                          const RankChannel::Endpoint& endpoint,
                                                          const SecretFile& file) {
  ASSIGN_OR_RETURN(const auto secret, newRankSecret());
  auto channel = shared(RankChannel::lead(launched.size, secret, RankChannel::ListenScope::Network, endpoint.port));
  if (!channel.ok()) return channel;
  RETURN_IF_ERROR(file.write(secret));
  const Result<void> all = awaitOthers(**channel);
  file.remove();
  if (!all.ok()) return all.error();
  return channel;
}

Result<std::shared_ptr<RankChannel>> joinWithSecretFile(const LaunchedRank& launched, RankChannel::Endpoint endpoint,
                                                        const SecretFile& file) {
  const double until = SystemClock().monotonicSec() + kTimeoutSec;
  for (;;) {
    const Result<std::string> secret = file.read();
    Result<std::shared_ptr<RankChannel>> channel = std::shared_ptr<RankChannel>();
    const double left = until - SystemClock().monotonicSec();
    if (secret.ok()) {
      endpoint.secret = *secret;
      channel = shared(RankChannel::join(endpoint, launched.rank, launched.size, left, kConnectSec));
    }
    if (secret.ok() && channel.ok()) return channel;
    if (left <= 0) return secret.ok() ? channel.error() : secret.error().within(SecretFile::remedy());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
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

Result<RankChannel::Endpoint> placeFrom(std::string_view meeting, const SecretExchange& exchange,
                                        const LaunchedRank& launched, const std::string& publicKey) {
  const auto texts = splitTexts(meeting);
  if (!texts || texts->size() != static_cast<std::size_t>(launched.size) + 1)
    return Error{ErrorCode::Device, messages::rankZeroPortUnavailable(), {}};
  ASSIGN_OR_RETURN(auto secret, exchange.masked((*texts)[static_cast<std::size_t>(launched.rank) + 1], publicKey));
  return RankChannel::Endpoint{texts->front(), std::atoi((*texts)[1].c_str()), std::move(secret)};
}

}  // namespace

Result<std::shared_ptr<RankChannel>> rendezvousOverMpi(const LaunchedRank& launched, MpiWorld& mpi) {
  const Result<SecretExchange> made = SecretExchange::create();
  // A rank without a key takes part all the same, or the others would wait for it.
  ASSIGN_OR_RETURN(const auto publicKeys, mpi.allGatherTexts(made.ok() ? made->publicKey() : std::string()));
  const auto keyMissing = [](const std::string& key) { return key.empty(); };
  if (!made.ok()) return made.error();
  if (std::ranges::any_of(publicKeys, keyMissing)) return Error{ErrorCode::Device, messages::rankKeyMissing(), {}};
  const SecretExchange& exchange = *made;
  std::string meeting;
  Result<std::shared_ptr<RankChannel>> channel = std::shared_ptr<RankChannel>();
  if (launched.rank == 0) {
    const Result<std::string> secret = newRankSecret();
    channel = secret.ok() ? shared(RankChannel::lead(launched.size, *secret)) : secret.error();
    if (channel.ok()) meeting = rendezvousText((*channel)->endpoint(), exchange, publicKeys);
  }
  ASSIGN_OR_RETURN(const auto meetings, mpi.allGatherTexts(meeting));
  if (launched.rank > 0) {
    const Result<RankChannel::Endpoint> endpoint = placeFrom(meetings.front(), exchange, launched, publicKeys.front());
    return endpoint.ok() ? join(launched, *endpoint) : endpoint.error();
  }
  if (!channel.ok()) return channel;
  RETURN_IF_ERROR(awaitOthers(**channel));
  return channel;
}

Result<std::shared_ptr<RankChannel>> rendezvousByEnvironment(const LaunchedRank& launched,
                                                             const Environment& environment) {
  ASSIGN_OR_RETURN(auto endpoint, placeFromEnvironment(launched, environment));
  endpoint.secret = variable(environment, kSecretVariable);
  if (endpoint.secret.empty()) {
    const SecretFile file(environment, endpoint);
    return launched.rank == 0 ? listenWithSecretFile(launched, endpoint, file)
                              : joinWithSecretFile(launched, endpoint, file);
  }
  if (launched.rank > 0) return join(launched, endpoint);
  auto channel =
      shared(RankChannel::lead(launched.size, endpoint.secret, RankChannel::ListenScope::Network, endpoint.port));
  if (!channel.ok()) return channel;
  RETURN_IF_ERROR(awaitOthers(**channel));
  return channel;
}

}  // namespace batchwise
