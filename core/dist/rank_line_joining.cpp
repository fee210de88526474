// SPDX-License-Identifier: GPL-3.0-or-later
// How the ranks of a RankLine come together.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "core/base/format.h"
#include "core/base/mutex.h"
#include "core/dist/rank_line.h"
#include "core/dist/rank_wire.h"

namespace batchwise {
namespace {

constexpr int kPollMs = 200;
constexpr double kHandshakeSec = 10.0;    // for an unproven peer, whatever it sends
constexpr double kRetrySec = 5.0;         // for connections that end before anything was answered
constexpr std::size_t kMostPending = 64;  // beside the ranks themselves

std::string addressOf(const RankLine::Place& place) {
  return place.host + ":" + std::to_string(place.port);
}

Error cannotReach(const RankLine::Place& place, std::int64_t rank) {
  return Error{ErrorCode::Device,
               "rank " + std::to_string(rank) + " cannot reach rank 0 at " + addressOf(place) +
                   "; the machines of a run must reach each other over TCP",
               {}};
}

Error noAnswer(const RankLine::Place& place, std::int64_t rank) {
  return Error{ErrorCode::Device,
               "rank 0 at " + addressOf(place) + " has not answered rank " + std::to_string(rank) +
                   ": its machine is too busy, or another program listens there",
               {}};
}

Error anotherProgram(const RankLine::Place& place, std::int64_t rank) {
  return Error{ErrorCode::Device,
               "the program at " + addressOf(place) + " cannot prove that it is rank 0 of this run, so rank " +
                   std::to_string(rank) + " has told it nothing; end it, or choose another port with MASTER_PORT",
               {}};
}

Error turnedAway(const RankLine::Place& place, std::int64_t rank) {
  return Error{
      ErrorCode::Device,
      "rank 0 at " + addressOf(place) + " does not let rank " + std::to_string(rank) + " in: it has this rank already",
      {}};
}

std::string ownName(std::int64_t rank) {
  return "rank " + std::to_string(rank) + " (process " + std::to_string(::getpid()) + " on " + hostName() + ")";
}

// The next message of a handshake, waited for until `untilSec`: its body, if it is of this kind.
ReadResult awaitMessage(int socket, double untilSec, char kind, std::string& body) {
  std::string unread;
  ReadResult read = ReadResult::Incomplete;
  while (read == ReadResult::Incomplete && nowSec() < untilSec) {
    pollfd watched{socket, POLLIN, 0};
    ::poll(&watched, 1, kPollMs);
    read = readHandshakeMessage(socket, unread);
  }
  if (read != ReadResult::Message) return read;
  auto message = takeMessage(unread);
  if (!message || message->first != kind) return ReadResult::Malformed;
  body = std::move(message->second);
  return read;
}

// Closed: the connection ended before rank 0 had answered, as of a process that is just ending: worth another try.
enum class Proof { Done, Closed, Failed };

struct ProofOutcome {
  Proof proof = Proof::Failed;
  Error why;
};

// The joining rank's side of the handshake. Until the challenge has been checked only a nonce has left.
ProofOutcome proveTo(int socket, const RankLine::Place& place, std::int64_t rank, std::int64_t size, double untilSec) {
  const Result<std::string> nonce = randomBytes(kNonceBytes);
  if (!nonce.ok()) return {Proof::Failed, nonce.error()};
  JoiningHandshake handshake(place.secret, rank, size, *nonce);
  sendMessage(socket, kHello, handshake.hello());
  std::string body;
  switch (awaitMessage(socket, untilSec, kChallenge, body)) {
    case ReadResult::Incomplete: return {Proof::Failed, noAnswer(place, rank)};
    case ReadResult::Closed: return {Proof::Closed, anotherProgram(place, rank)};
    case ReadResult::Malformed: return {Proof::Failed, anotherProgram(place, rank)};
    case ReadResult::Message: break;
  }
  const auto proof = handshake.prove(body, ownName(rank));
  if (!proof) return {Proof::Failed, anotherProgram(place, rank)};
  sendMessage(socket, kProof, *proof);
  const ReadResult answer = awaitMessage(socket, untilSec, kWelcome, body);
  if (answer == ReadResult::Incomplete) return {Proof::Failed, noAnswer(place, rank)};
  if (answer != ReadResult::Message || !handshake.isWelcome(body)) return {Proof::Failed, turnedAway(place, rank)};
  return {Proof::Done, {}};
}

// A connection over which both ends have proven themselves.
Result<FileDescriptor> connectAndProve(const RankLine::Place& place, std::int64_t rank, std::int64_t size,
                                       double patienceSec, double connectSec) {
  const std::string host = place.host == hostName() ? "127.0.0.1" : place.host;
  const double began = nowSec();
  Error why = cannotReach(place, rank);
  for (double retrySec = connectSec;; std::this_thread::sleep_for(std::chrono::milliseconds(100))) {
    if (FileDescriptor socket = connectTo(host, place.port); socket.valid()) {
      const double untilSec = std::max(began + patienceSec, nowSec() + 1);
      ProofOutcome outcome = proveTo(socket.get(), place, rank, size, untilSec);
      if (outcome.proof == Proof::Done) return socket;
      if (outcome.proof == Proof::Failed) return outcome.why;
      why = std::move(outcome.why);
      retrySec = std::min(retrySec, nowSec() - began + kRetrySec);
    }
    if (nowSec() >= began + retrySec) return why;
  }
}

}  // namespace

Result<std::unique_ptr<RankLine>> RankLine::lead(std::int64_t size, std::string secret, Reach reach, int port) {
  FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(reach == Reach::ThisHost ? INADDR_LOOPBACK : INADDR_ANY);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t length = sizeof(address);
  auto* general = reinterpret_cast<sockaddr*>(&address);
  if (!listener.valid() || ::bind(listener.get(), general, length) != 0 || ::listen(listener.get(), SOMAXCONN) != 0 ||
      ::getsockname(listener.get(), general, &length) != 0) {
    if (errno == EADDRINUSE)
      return Error{ErrorCode::Io,
                   "port " + std::to_string(port) +
                       ", where the other ranks look for rank 0, is in use by another program or run; end that one, or "
                       "choose another port with MASTER_PORT",
                   {}};
    return Error::fromErrno(errno, "cannot open", "port " + std::to_string(port) + " for the other ranks");
  }
  auto line = std::unique_ptr<RankLine>(
      new RankLine(0, size, {hostName(), static_cast<int>(ntohs(address.sin_port)), std::move(secret)}));
  line->listener_ = std::move(listener);
  const MutexLock lock(line->mutex_);
  line->peers_.resize(static_cast<std::size_t>(size - 1));
  for (std::size_t i = 0; i < line->peers_.size(); ++i) line->peers_[i].name = "rank " + std::to_string(i + 1);
  line->server_ = std::jthread([raw = line.get()](const std::stop_token& stop) { raw->serve(stop); });
  return line;
}

Result<std::unique_ptr<RankLine>> RankLine::join(const Place& place, std::int64_t rank, std::int64_t size,
                                                 double patienceSec, std::optional<double> connectSec) {
  Result<FileDescriptor> socket = connectAndProve(place, rank, size, patienceSec, connectSec.value_or(patienceSec));
  if (!socket.ok()) return socket.error();
  auto line = std::unique_ptr<RankLine>(new RankLine(rank, size, place));
  const MutexLock lock(line->mutex_);
  line->peers_.resize(1);
  line->peers_.front().name = "rank 0 (on " + place.host + ")";
  line->peers_.front().joined = true;
  line->peers_.front().socket = std::move(*socket);
  line->peers_.front().heardSec = nowSec();
  line->server_ = std::jthread([raw = line.get()](const std::stop_token& stop) { raw->serve(stop); });
  return line;
}

Result<void> RankLine::awaitAll(double patienceSec) {
  MutexLock lock(mutex_);
  const auto all = [this]() REQUIRES(mutex_) {
    return broken_ || std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.joined; });
  };
  if (changed_.wait_for(lock, std::chrono::duration<double>(patienceSec), all))
    return broken_ ? Result<void>(*broken_) : Result<void>();
  std::string names;
  for (const Peer& peer : peers_)
    if (!peer.joined) names += (names.empty() ? "" : ", ") + peer.name;
  return Error{ErrorCode::Device, names + " did not connect to rank 0 within " + formatValue(patienceSec) + " s", {}};
}

void RankLine::acceptPending() {
  for (std::size_t count = 0; count < kMostPending; ++count) {
    sockaddr_in from{};
    socklen_t length = sizeof(from);
    FileDescriptor socket(::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&from), &length, SOCK_CLOEXEC));
    if (!socket.valid()) return;
    if (!makeRoom(from.sin_addr.s_addr)) continue;  // a rank that is refused tries again
    Result<std::string> nonce = randomBytes(kNonceBytes);
    if (!nonce.ok()) return;
    prepareSocket(socket.get());
    const double now = nowSec();
    pending_.push_back({std::move(socket),
                        LeadingHandshake(place_.secret, size_, std::move(*nonce)),
                        {},
                        now,
                        {from.sin_addr.s_addr, now, false}});
  }
}

// False if no more can be taken.
bool RankLine::makeRoom(std::uint32_t address) {
  if (pending_.size() < kMostPending + static_cast<std::size_t>(size_)) return true;
  std::vector<PendingConnection> connections;
  for (const PendingPeer& peer : pending_) connections.push_back(peer.connection);
  const auto dropped = connectionToDrop(connections, address, size_, nowSec());
  if (dropped) pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(*dropped));
  return dropped.has_value();
}

void RankLine::readPending() {
  if (pending_.empty()) return;
  std::erase_if(pending_, [this](PendingPeer& peer) { return !stillPending(peer); });
  stopAccepting();
}

// False if it has been let in, or is to be dropped without a word.
bool RankLine::stillPending(PendingPeer& peer) {
  ReadResult read = ReadResult::Incomplete;
  while ((read = readHandshakeMessage(peer.socket.get(), peer.unread)) == ReadResult::Message) {
    const auto message = takeMessage(peer.unread);
    if (message->first == kHello) {
      const auto challenge = peer.handshake.challenge(message->second);
      if (!challenge || !sendMessage(peer.socket.get(), kChallenge, *challenge)) return false;
      peer.connection.greeted = true;
      peer.connection.progressSec = nowSec();
    } else {
      const auto joiner = message->first == kProof ? peer.handshake.verify(message->second) : std::nullopt;
      if (joiner) letIn(peer, *joiner);
      return false;
    }
  }
  return read == ReadResult::Incomplete && nowSec() - peer.sinceSec < kHandshakeSec;
}

void RankLine::letIn(PendingPeer& pending, const LeadingHandshake::Joiner& joiner) {
  const MutexLock lock(mutex_);
  Peer& peer = peers_[static_cast<std::size_t>(joiner.rank - 1)];
  if (peer.joined) return;
  sendMessage(pending.socket.get(), kWelcome, pending.handshake.welcome(joiner.rank));
  peer.name = joiner.name;
  peer.socket = std::move(pending.socket);
  peer.heardSec = nowSec();
  peer.joined = true;
  changed_.notify_all();
}

// Nobody else is expected.
void RankLine::stopAccepting() {
  const MutexLock lock(mutex_);
  if (!std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.joined; })) return;
  listener_ = FileDescriptor();
  pending_.clear();
}

}  // namespace batchwise
