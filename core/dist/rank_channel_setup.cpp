// SPDX-License-Identifier: GPL-3.0-or-later
// How the ranks of a RankChannel connect.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <tuple>

#include "core/base/format.h"
#include "core/base/mutex.h"
#include "core/dist/messages.h"
#include "core/dist/rank_channel.h"
#include "core/dist/rank_messages.h"

namespace batchwise {
namespace {

constexpr int kPollMs = 200;
constexpr double kHandshakeSec = 10.0;    // limit for an unauthenticated peer
constexpr double kRetrySec = 5.0;         // for connections closed before any reply
constexpr std::size_t kMostPending = 64;  // in addition to the number of ranks

constexpr double kAnswerSec = 1.0;  // a rank on a busy machine sends its proof faster
constexpr double kHelloSec = 0.2;   // and its hello; refused ranks try again

std::string addressOf(const RankChannel::Endpoint& endpoint) {
  return endpoint.host + ":" + std::to_string(endpoint.port);
}

Error deviceError(const Message& message) {
  return Error{ErrorCode::Device, message, {}};
}

Message ownName(std::int64_t rank) {
  return messages::ownRankName(rank, ::getpid(), hostName());
}

// Waits until `untilSec` for the next handshake message and returns its body if it is of `kind`.
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

// Closed: closed before any reply, for example by an ending process; worth a retry.
enum class AuthResult { Done, Closed, Failed };

struct AuthOutcome {
  AuthResult proof = AuthResult::Failed;
  Error why;
};

// Joining rank's side of the handshake. Sends only a nonce before the challenge is verified.
AuthOutcome authenticate(int socket, const RankChannel::Endpoint& endpoint, std::int64_t rank, std::int64_t size,
                         double untilSec) {
  const Error noAnswer = deviceError(messages::rankZeroNotAnswering(addressOf(endpoint), rank));
  const Error wrongProgram = deviceError(messages::rankZeroNotAuthenticated(addressOf(endpoint), rank));
  const Result<std::string> nonce = randomBytes(kNonceBytes);
  if (!nonce.ok()) return {AuthResult::Failed, nonce.error()};
  ClientHandshake handshake(endpoint.secret, rank, size, *nonce);
  sendMessage(socket, kHello, handshake.hello());
  std::string body;
  switch (awaitMessage(socket, untilSec, kChallenge, body)) {
    case ReadResult::Incomplete: return {AuthResult::Failed, noAnswer};
    case ReadResult::Closed: return {AuthResult::Closed, wrongProgram};
    case ReadResult::Malformed: return {AuthResult::Failed, wrongProgram};
    case ReadResult::Message: break;
  }
  const auto proof = handshake.prove(body, ownName(rank).text());
  if (!proof) return {AuthResult::Failed, wrongProgram};
  sendMessage(socket, kProof, *proof);
  const ReadResult answer = awaitMessage(socket, untilSec, kWelcome, body);
  if (answer == ReadResult::Incomplete) return {AuthResult::Failed, noAnswer};
  if (answer != ReadResult::Message || !handshake.isWelcome(body))
    return {AuthResult::Failed, deviceError(messages::rankAlreadyConnected(addressOf(endpoint), rank))};
  return {AuthResult::Done, {}};
}

// Connects and authenticates both ends.
Result<FileDescriptor> connectAndAuthenticate(const RankChannel::Endpoint& endpoint, std::int64_t rank,
                                              std::int64_t size, double timeoutSec, double connectSec) {
  const std::string host = endpoint.host == hostName() ? "127.0.0.1" : endpoint.host;
  const double startedAt = nowSec();
  Error why = deviceError(messages::rankZeroUnreachable(rank, addressOf(endpoint)));
  for (double retrySec = connectSec;; std::this_thread::sleep_for(std::chrono::milliseconds(100))) {
    if (FileDescriptor socket = connectTo(host, endpoint.port); socket.valid()) {
      const double untilSec = std::max(startedAt + timeoutSec, nowSec() + 1);
      AuthOutcome outcome = authenticate(socket.get(), endpoint, rank, size, untilSec);
      if (outcome.proof == AuthResult::Done) return socket;
      if (outcome.proof == AuthResult::Failed) return outcome.why;
      why = std::move(outcome.why);
      retrySec = std::min(retrySec, nowSec() - startedAt + kRetrySec);
    }
    if (nowSec() >= startedAt + retrySec) return why;
  }
}

}  // namespace

std::optional<std::size_t> connectionToDrop(const std::vector<PendingConnection>& pending, std::uint32_t address,
                                            std::int64_t ranks, double timeSec) {
  std::map<std::uint32_t, std::int64_t> ofAddress;
  for (const PendingConnection& each : pending) ++ofAddress[each.address];
  const std::int64_t allowed = std::max(ranks, ofAddress[address] + 1);
  std::optional<std::size_t> chosen;
  std::tuple<bool, std::int64_t, double> best;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const PendingConnection& each = pending[i];
    const double waitedSec = timeSec - each.progressSec;
    const bool idle = waitedSec >= (each.challenged ? kAnswerSec : kHelloSec);
    const std::int64_t count = ofAddress[each.address];
    if (!idle && count <= allowed) continue;
    const std::tuple claim(idle, count, waitedSec);
    if (chosen && claim <= best) continue;
    chosen = i;
    best = claim;
  }
  return chosen;
}

Result<std::unique_ptr<RankChannel>> RankChannel::lead(std::int64_t size, std::string secret, ListenScope reach,
                                                       int port) {
  FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(reach == ListenScope::ThisHost ? INADDR_LOOPBACK : INADDR_ANY);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t length = sizeof(address);
  auto* general = reinterpret_cast<sockaddr*>(&address);
  if (!listener.valid() || ::bind(listener.get(), general, length) != 0 || ::listen(listener.get(), SOMAXCONN) != 0 ||
      ::getsockname(listener.get(), general, &length) != 0) {
    if (errno == EADDRINUSE) return Error{ErrorCode::Io, messages::rendezvousPortInUse(port), {}};
    return Error::fromErrno(errno, messages::cannotOpen, messages::portForRanks(port).text());
  }
  auto channel = std::unique_ptr<RankChannel>(
      new RankChannel(0, size, {hostName(), static_cast<int>(ntohs(address.sin_port)), std::move(secret)}));
  channel->listener_ = std::move(listener);
  const MutexLock lock(channel->mutex_);
  channel->peers_.resize(static_cast<std::size_t>(size - 1));
  for (std::size_t i = 0; i < channel->peers_.size(); ++i) channel->peers_[i].name = messages::rankName(i + 1);
  channel->server_ = std::jthread([raw = channel.get()](const std::stop_token& stop) { raw->serve(stop); });
  return channel;
}

Result<std::unique_ptr<RankChannel>> RankChannel::join(const Endpoint& endpoint, std::int64_t rank, std::int64_t size,
                                                       double timeoutSec, std::optional<double> connectSec) {
  Result<FileDescriptor> socket =
      connectAndAuthenticate(endpoint, rank, size, timeoutSec, connectSec.value_or(timeoutSec));
  if (!socket.ok()) return socket.error();
  auto channel = std::unique_ptr<RankChannel>(new RankChannel(rank, size, endpoint));
  const MutexLock lock(channel->mutex_);
  Peer& zero = channel->peers_.emplace_back();
  zero.name = messages::rankZeroOnHost(endpoint.host);
  zero.joined = true;
  zero.socket = std::move(*socket);
  zero.lastReceivedSec = nowSec();
  channel->server_ = std::jthread([raw = channel.get()](const std::stop_token& stop) { raw->serve(stop); });
  return channel;
}

Result<void> RankChannel::awaitAll(double timeoutSec) {
  MutexLock lock(mutex_);
  const auto all = [this]() REQUIRES(mutex_) {
    return broken_ || std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.joined; });
  };
  if (changed_.wait_for(lock, std::chrono::duration<double>(timeoutSec), all))
    return broken_ ? Result<void>(*broken_) : Result<void>();
  Message names;
  for (const Peer& peer : peers_)
    if (!peer.joined) names = names.empty() ? peer.name : messages::listItems(names, peer.name);
  return Error{ErrorCode::Device, messages::ranksDidNotConnect(names, timeoutSec), {}};
}

void RankChannel::acceptPending() {
  for (std::size_t count = 0; count < kMostPending; ++count) {
    sockaddr_in from{};
    socklen_t length = sizeof(from);
    FileDescriptor socket(::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&from), &length, SOCK_CLOEXEC));
    if (!socket.valid()) return;
    if (!makeRoom(from.sin_addr.s_addr)) continue;  // a refused rank tries again
    Result<std::string> nonce = randomBytes(kNonceBytes);
    if (!nonce.ok()) return;
    prepareSocket(socket.get());
    const double now = nowSec();
    pending_.push_back({std::move(socket),
                        ServerHandshake(endpoint_.secret, size_, std::move(*nonce)),
                        {},
                        now,
                        {from.sin_addr.s_addr, now, false}});
  }
}

// Returns false if there is no room for another connection.
bool RankChannel::makeRoom(std::uint32_t address) {
  if (pending_.size() < kMostPending + static_cast<std::size_t>(size_)) return true;
  std::vector<PendingConnection> connections;
  for (const PendingPeer& peer : pending_) connections.push_back(peer.connection);
  const auto dropped = connectionToDrop(connections, address, size_, nowSec());
  if (dropped) pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(*dropped));
  return dropped.has_value();
}

void RankChannel::readPending() {
  if (pending_.empty()) return;
  std::erase_if(pending_, [this](PendingPeer& peer) { return !stillPending(peer); });
  stopAccepting();
}

// Returns false if the peer was admitted or is to be dropped silently.
bool RankChannel::stillPending(PendingPeer& peer) {
  ReadResult read = ReadResult::Incomplete;
  while ((read = readHandshakeMessage(peer.socket.get(), peer.unread)) == ReadResult::Message) {
    const auto message = takeMessage(peer.unread);
    if (message->first == kHello) {
      const auto challenge = peer.handshake.challenge(message->second);
      if (!challenge || !sendMessage(peer.socket.get(), kChallenge, *challenge)) return false;
      peer.connection.challenged = true;
      peer.connection.progressSec = nowSec();
    } else {
      const auto joiner = message->first == kProof ? peer.handshake.verify(message->second) : std::nullopt;
      if (joiner) admit(peer, *joiner);
      return false;
    }
  }
  return read == ReadResult::Incomplete && nowSec() - peer.sinceSec < kHandshakeSec;
}

void RankChannel::admit(PendingPeer& pending, const ServerHandshake::Joiner& joiner) {
  const MutexLock lock(mutex_);
  Peer& peer = peers_[static_cast<std::size_t>(joiner.rank - 1)];
  if (peer.joined) return;
  sendMessage(pending.socket.get(), kWelcome, pending.handshake.welcome(joiner.rank));
  peer.name = joiner.name;
  peer.socket = std::move(pending.socket);
  peer.lastReceivedSec = nowSec();
  peer.joined = true;
  changed_.notify_all();
}

// Closes the listener once all ranks have joined.
void RankChannel::stopAccepting() {
  const MutexLock lock(mutex_);
  if (!std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.joined; })) return;
  listener_ = FileDescriptor();
  pending_.clear();
}

}  // namespace batchwise
