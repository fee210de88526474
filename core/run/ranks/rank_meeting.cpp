// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/rank_meeting.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/dist/rank_wire.h"
#include "core/dist/secret_exchange.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;

constexpr double kPatienceSec = 60.0;
constexpr double kConnectSec = 2.0;  // what rank 0 left may be of an earlier launch: it is read again
constexpr const char* kSecretVariable = "BATCHWISE_RANK_SECRET";

std::string variable(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string() : std::string(value);
}

// Of a launch: steps of one job do not get into each other's way.
std::string launchName(const Environment& environment) {
  return variable(environment, "TORCHELASTIC_RUN_ID") + variable(environment, "SLURM_JOB_ID") + "." +
         variable(environment, "SLURM_STEP_ID");
}

// Where rank 0 is to be found by what the launcher says; without the secret.
Result<RankLine::Place> placeFromEnvironment(const LaunchedRank& launched, const Environment& environment) {
  if (const std::string host = variable(environment, "MASTER_ADDR"); !host.empty()) {
    const int port = std::atoi(variable(environment, "MASTER_PORT").c_str());
    // torchrun itself listens at MASTER_PORT.
    return RankLine::Place{host, port > 0 ? port + 1 : 29501, {}};
  }
  const std::string list = variable(environment, "SLURM_STEP_NODELIST");
  if (launched.launcher == "srun" && !list.empty()) {
    // The first of "node[3-5,9]" or "a,b" is where task 0 runs.
    std::string host = list.substr(0, list.find_first_of("[,"));
    if (const auto bracket = list.find('['); bracket == host.size())
      host += list.substr(bracket + 1, list.find_first_of("-,]", bracket) - bracket - 1);
    return RankLine::Place{host, static_cast<int>(20000 + hash128(launchName(environment)).low % 20000), {}};
  }
  return Error::unsupported("the ranks cannot find each other: " + launched.launcher +
                            " sets neither MPI's variables nor MASTER_ADDR and MASTER_PORT; start with mpirun, or with "
                            "srun --mpi=pmix");
}

Result<std::shared_ptr<RankLine>> shared(Result<std::unique_ptr<RankLine>> line) {
  if (!line.ok()) return line.error();
  return std::shared_ptr<RankLine>(std::move(*line));
}

Result<std::shared_ptr<RankLine>> join(const LaunchedRank& launched, const RankLine::Place& place) {
  return shared(RankLine::join(place, launched.rank, launched.size, kPatienceSec));
}

Result<void> awaitOthers(RankLine& line) {
  Result<void> all = line.awaitAll(kPatienceSec);
  if (!all.ok()) line.abandon(all.error());  // those that came wait for the others
  return all;
}

// A secret in a file that only this user can write and read, on the file system that the nodes of a cluster share.
class SecretFile {
 public:
  SecretFile(const Environment& environment, const RankLine::Place& place) {
    const std::string cache = variable(environment, "XDG_CACHE_HOME");
    const fs::path base = cache.empty() ? fs::path(variable(environment, "HOME")) / ".cache" : fs::path(cache);
    path_ = base / "batchwise" /
            ("ranks-" + hash128(place.host + ":" + std::to_string(place.port) + launchName(environment)).hex());
  }

  Result<void> write(const std::string& secret) const {
    if (Result<void> made = makeFolders(path_.parent_path()); !made.ok()) return made;
    remove();
    const FileDescriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.valid() || ::write(file.get(), secret.data(), secret.size()) != static_cast<ssize_t>(secret.size()))
      return Error::fromErrno(errno, "cannot write", path_.string()).within(remedy());
    return {};
  }
  Result<std::string> read() const {
    const FileDescriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat status {};
    std::array<char, 1024> buffer{};
    if (!file.valid() || ::fstat(file.get(), &status) != 0)
      return Error::fromErrno(errno, "cannot read", path_.native());
    if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || (status.st_mode & 077U) != 0)
      return Error{ErrorCode::Io, "others can write or read '" + path_.native() + "'; remove it and start again", {}};
    const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
    if (size < 0) return Error::fromErrno(errno, "cannot read", path_.native());
    return std::string(buffer.data(), static_cast<std::size_t>(size));
  }
  void remove() const { ::unlink(path_.c_str()); }

  static std::string remedy() {
    return std::string("the secret of the ranks; or set ") + kSecretVariable + " to the same random text for all ranks";
  }

 private:
  fs::path path_;
};

Result<std::shared_ptr<RankLine>> leadByFile(const LaunchedRank& launched, const RankLine::Place& place,
                                             const SecretFile& file) {
  const Result<std::string> secret = newRankSecret();
  if (!secret.ok()) return secret.error();
  auto line = shared(RankLine::lead(launched.size, *secret, RankLine::Reach::Network, place.port));
  if (!line.ok()) return line;
  if (Result<void> written = file.write(*secret); !written.ok()) return written.error();
  const Result<void> all = awaitOthers(**line);
  file.remove();
  if (!all.ok()) return all.error();
  return line;
}

Result<std::shared_ptr<RankLine>> joinByFile(const LaunchedRank& launched, RankLine::Place place,
                                             const SecretFile& file) {
  const double until = SystemClock().monotonicSec() + kPatienceSec;
  for (;;) {
    const Result<std::string> secret = file.read();
    Result<std::shared_ptr<RankLine>> line = std::shared_ptr<RankLine>();
    const double left = until - SystemClock().monotonicSec();
    if (secret.ok()) {
      place.secret = *secret;
      line = shared(RankLine::join(place, launched.rank, launched.size, left, kConnectSec));
    }
    if (secret.ok() && line.ok()) return line;
    if (left <= 0) return secret.ok() ? line.error() : secret.error().within(SecretFile::remedy());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

// What rank 0 sends to all: where it listens, and the secret under a mask for each rank.
std::string meetingText(const RankLine::Place& place, const SecretExchange& exchange,
                        const std::vector<std::string>& publicKeys) {
  std::vector<std::string> texts{place.host, std::to_string(place.port)};
  for (std::size_t rank = 1; rank < publicKeys.size(); ++rank) {
    const Result<std::string> masked = exchange.masked(place.secret, publicKeys[rank]);
    texts.push_back(masked.ok() ? *masked : std::string());
  }
  return joinTexts(texts);
}

Result<RankLine::Place> placeFrom(std::string_view meeting, const SecretExchange& exchange,
                                  const LaunchedRank& launched, const std::string& publicKey) {
  const auto texts = splitTexts(meeting);
  if (!texts || texts->size() != static_cast<std::size_t>(launched.size) + 1)
    return Error{ErrorCode::Device, "rank 0 could not open a port for the other ranks", {}};
  Result<std::string> secret = exchange.masked((*texts)[static_cast<std::size_t>(launched.rank) + 1], publicKey);
  if (!secret.ok()) return secret.error();
  return RankLine::Place{texts->front(), std::atoi((*texts)[1].c_str()), std::move(*secret)};
}

}  // namespace

Result<std::shared_ptr<RankLine>> meetByMpi(const LaunchedRank& launched, MpiWorld& mpi) {
  const Result<SecretExchange> exchange = SecretExchange::create();
  if (!exchange.ok()) return exchange.error();
  const Result<std::vector<std::string>> publicKeys = mpi.exchangeTexts(exchange->publicKey());
  if (!publicKeys.ok()) return publicKeys.error();
  std::string meeting;
  Result<std::shared_ptr<RankLine>> line = std::shared_ptr<RankLine>();
  if (launched.rank == 0) {
    const Result<std::string> secret = newRankSecret();
    line = secret.ok() ? shared(RankLine::lead(launched.size, *secret)) : secret.error();
    if (line.ok()) meeting = meetingText((*line)->place(), *exchange, *publicKeys);
  }
  const Result<std::vector<std::string>> meetings = mpi.exchangeTexts(meeting);
  if (!meetings.ok()) return meetings.error();
  if (launched.rank > 0) {
    const Result<RankLine::Place> place = placeFrom(meetings->front(), *exchange, launched, publicKeys->front());
    return place.ok() ? join(launched, *place) : place.error();
  }
  if (!line.ok()) return line;
  if (Result<void> all = awaitOthers(**line); !all.ok()) return all.error();
  return line;
}

Result<std::shared_ptr<RankLine>> meetByEnvironment(const LaunchedRank& launched, const Environment& environment) {
  Result<RankLine::Place> place = placeFromEnvironment(launched, environment);
  if (!place.ok()) return place.error();
  place->secret = variable(environment, kSecretVariable);
  if (place->secret.empty()) {
    const SecretFile file(environment, *place);
    return launched.rank == 0 ? leadByFile(launched, *place, file) : joinByFile(launched, *place, file);
  }
  if (launched.rank > 0) return join(launched, *place);
  auto line = shared(RankLine::lead(launched.size, place->secret, RankLine::Reach::Network, place->port));
  if (!line.ok()) return line;
  if (Result<void> all = awaitOthers(**line); !all.ok()) return all.error();
  return line;
}

}  // namespace batchwise
