// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <tuple>

#include "core/base/format.h"

namespace batchwise {
namespace {

constexpr double kHandshakeSec = 10.0;    // limit for an unauthenticated peer
constexpr std::size_t kMostPending = 64;  // in addition to the number of ranks
constexpr double kAnswerSec = 1.0;        // a rank on a busy machine sends its proof faster
constexpr double kHelloSec = 0.2;         // and its hello; refused ranks try again

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
    const std::tuple claim(idle, count, waitedSec);
    if ((!idle && count <= allowed) || (chosen && claim <= best)) continue;
    chosen = i;
    best = claim;
  }
  return chosen;
}

Result<RankListener> RankListener::open(std::int64_t size, std::string secret, int port) {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t length = sizeof(address);
  auto* general = reinterpret_cast<sockaddr*>(&address);
  if (!socket.valid() || ::bind(socket.get(), general, length) != 0 || ::listen(socket.get(), SOMAXCONN) != 0 ||
      ::getsockname(socket.get(), general, &length) != 0) {
    if (errno == EADDRINUSE)
      return Error{ErrorCode::Io,
                   formatText("port {}, where the other ranks connect to rank 0, is in use by another program or run; "
                              "end that one, or choose another port with BATCHWISE_RANK_PORT",
                              port),
                   {}};
    return Error::fromErrno(errno, "cannot open '{}'", formatText("port {} for the other ranks", port));
  }
  return RankListener(std::move(socket), ntohs(address.sin_port), size, std::move(secret));
}

void RankListener::addTo(std::vector<pollfd>& watched) const {
  watched.push_back({socket_.get(), POLLIN, 0});  // poll() ignores -1
  for (const PendingPeer& peer : pending_) watched.push_back({peer.socket.get(), POLLIN, 0});
}

std::vector<RankListener::Joined> RankListener::poll(double timeSec) {
  std::vector<Joined> joined;
  if (!socket_.valid()) return joined;
  std::erase_if(pending_, [&](PendingPeer& peer) { return !isPending(peer, timeSec, joined); });  // makes room
  accept(timeSec);
  if (std::ranges::count(joined_, true) + 1 >= size()) {
    socket_ = FileDescriptor();
    pending_.clear();
  }
  return joined;
}

void RankListener::accept(double timeSec) {
  for (std::size_t count = 0; count < kMostPending; ++count) {
    sockaddr_in from{};
    socklen_t length = sizeof(from);
    FileDescriptor socket(::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&from), &length, SOCK_CLOEXEC));
    if (!socket.valid()) return;
    if (!makeRoom(from.sin_addr.s_addr, timeSec)) continue;  // a refused rank tries again
    Result<std::string> nonce = randomBytes(kNonceBytes);
    if (!nonce.ok()) return;
    pending_.push_back({RankSocket(std::move(socket)), ServerHandshake(secret_, size(), std::move(*nonce)), timeSec,
                        PendingConnection{from.sin_addr.s_addr, timeSec, false}});
  }
}

// Returns false if there is no room for another connection.
bool RankListener::makeRoom(std::uint32_t address, double timeSec) {
  if (pending_.size() < kMostPending + joined_.size()) return true;
  std::vector<PendingConnection> connections;
  for (const PendingPeer& peer : pending_) connections.push_back(peer.connection);
  const auto dropped = connectionToDrop(connections, address, size(), timeSec);
  if (dropped) pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(*dropped));
  return dropped.has_value();
}

// Returns false if the peer has joined or is to be dropped silently.
bool RankListener::isPending(PendingPeer& peer, double timeSec, std::vector<Joined>& joined) {
  RankMessage message;
  ReadResult read = ReadResult::Incomplete;
  while ((read = peer.socket.receive(message, kLongestHandshakeBody)) == ReadResult::Message) {
    if (message.kind != kHello) {
      auto joiner = message.kind == kProof ? peer.handshake.verify(message.body) : std::nullopt;
      if (!joiner || joined_[static_cast<std::size_t>(joiner->rank)]) return false;
      joined_[static_cast<std::size_t>(joiner->rank)] = true;
      peer.socket.send(kWelcome, peer.handshake.welcome(joiner->rank));
      joined.push_back({std::move(*joiner), std::move(peer.socket)});
      return false;
    }
    const auto challenge = peer.handshake.challenge(message.body);
    if (!challenge || !peer.socket.send(kChallenge, *challenge)) return false;
    peer.connection.challenged = true;
    peer.connection.progressSec = timeSec;
  }
  return read == ReadResult::Incomplete && timeSec - peer.sinceSec < kHandshakeSec;
}

}  // namespace batchwise
