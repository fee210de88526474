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
#include "core/dist/rank_line.h"
#include "core/dist/rank_wire.h"

namespace batchwise {
namespace {

constexpr int kLookMs = 200;
constexpr double kHelloSec = 10.0;
constexpr std::size_t kMostNewcomers = 64;  // beside the ranks themselves

// Takes as long whatever the first difference is.
bool isSame(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0U : 1U;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned>(static_cast<unsigned char>(b[i]));
  return difference == 0;
}

enum class Answer { Welcome, TurnedAway, None };

// Whether rank 0 lets this rank in: its first message, waited for until `untilSec`.
Answer answerOf(int socket, double untilSec) {
  std::string unread;
  for (Heard heard = Heard::NotYet; heard == Heard::NotYet && nowSec() < untilSec;) {
    pollfd watched{socket, POLLIN, 0};
    ::poll(&watched, 1, kLookMs);
    heard = hearFirst(socket, unread);
    if (heard == Heard::Message) return unread[4] == kWelcome ? Answer::Welcome : Answer::TurnedAway;
    if (heard == Heard::Nonsense) return Answer::TurnedAway;
  }
  return Answer::None;
}

Error notLetIn(Answer answer, const RankLine::Place& place, std::int64_t rank) {
  const std::string where = "rank 0 at " + place.host + ":" + std::to_string(place.port);
  if (answer == Answer::None)
    return Error{ErrorCode::Device,
                 where + " has not answered rank " + std::to_string(rank) +
                     ": its machine is too busy, or another program listens there",
                 {}};
  return Error{ErrorCode::Device,
               where + " does not let rank " + std::to_string(rank) +
                   " in: it knows another secret, another number of ranks, or has this rank "
                   "already; are two runs using one port?",
               {}};
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
      ::getsockname(listener.get(), general, &length) != 0)
    return Error::fromErrno(errno, "cannot open", "port " + std::to_string(port) + " for the other ranks");
  auto line = std::unique_ptr<RankLine>(
      new RankLine(0, size, {hostName(), static_cast<int>(ntohs(address.sin_port)), std::move(secret)}));
  line->listener_ = std::move(listener);
  line->peers_.resize(static_cast<std::size_t>(size - 1));
  for (std::size_t i = 0; i < line->peers_.size(); ++i) line->peers_[i].name = "rank " + std::to_string(i + 1);
  line->server_ = std::jthread([raw = line.get()](const std::stop_token& stop) { raw->serve(stop); });
  return line;
}

Result<std::unique_ptr<RankLine>> RankLine::join(const Place& place, std::int64_t rank, std::int64_t size,
                                                 double patienceSec, std::optional<double> connectSec) {
  const std::string host = place.host == hostName() ? "127.0.0.1" : place.host;
  const double began = nowSec();
  FileDescriptor socket = connectTo(host, place.port);
  while (!socket.valid() && nowSec() < began + connectSec.value_or(patienceSec)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    socket = connectTo(host, place.port);
  }
  if (!socket.valid())
    return Error{ErrorCode::Device,
                 "rank " + std::to_string(rank) + " cannot reach rank 0 at " + place.host + ":" +
                     std::to_string(place.port) + "; the machines of a run must reach each other over TCP",
                 {}};
  prepareSocket(socket.get());
  sendMessage(socket.get(), kHello,
              place.secret + "\n" + std::to_string(rank) + "\nrank " + std::to_string(rank) + " (process " +
                  std::to_string(::getpid()) + " on " + hostName() + ")");
  const Answer answer = answerOf(socket.get(), std::max(began + patienceSec, nowSec() + 1));
  if (answer != Answer::Welcome) return notLetIn(answer, place, rank);
  auto line = std::unique_ptr<RankLine>(new RankLine(rank, size, place));
  line->peers_.resize(1);
  line->peers_.front().name = "rank 0 (on " + place.host + ")";
  line->peers_.front().joined = true;
  line->peers_.front().socket = std::move(socket);
  line->peers_.front().heardSec = nowSec();
  line->server_ = std::jthread([raw = line.get()](const std::stop_token& stop) { raw->serve(stop); });
  return line;
}

Result<void> RankLine::awaitAll(double patienceSec) {
  std::unique_lock lock(mutex_);
  const auto all = [this] {
    return broken_ || std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.joined; });
  };
  if (changed_.wait_for(lock, std::chrono::duration<double>(patienceSec), all))
    return broken_ ? Result<void>(*broken_) : Result<void>();
  std::string names;
  for (const Peer& peer : peers_)
    if (!peer.joined) names += (names.empty() ? "" : ", ") + peer.name;
  return Error{ErrorCode::Device, names + " did not connect to rank 0 within " + formatValue(patienceSec) + " s", {}};
}

void RankLine::acceptThose() {
  for (std::size_t come = 0; come < kMostNewcomers; ++come) {
    FileDescriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.valid()) return;
    // Strangers that only wait make room for those that come: a rank of this run speaks at once.
    if (newcomers_.size() >= kMostNewcomers + static_cast<std::size_t>(size_)) newcomers_.erase(newcomers_.begin());
    newcomers_.push_back({std::move(socket), {}, nowSec()});
  }
}

void RankLine::hearNewcomers() {
  if (newcomers_.empty()) return;
  std::vector<Newcomer> waiting;
  for (Newcomer& newcomer : newcomers_) {
    const Heard heard = hearFirst(newcomer.socket.get(), newcomer.unread);
    if (heard == Heard::NotYet && nowSec() - newcomer.sinceSec < kHelloSec) waiting.push_back(std::move(newcomer));
    if (heard != Heard::Message) continue;
    const auto message = takeMessage(newcomer.unread);
    if (message && message->first == kHello) letIn(std::move(newcomer), message->second);
  }
  newcomers_ = std::move(waiting);
  closeTheDoor();
}

void RankLine::letIn(Newcomer newcomer, const std::string& hello) {
  const std::size_t first = hello.find('\n');
  const std::size_t second = first == std::string::npos ? first : hello.find('\n', first + 1);
  if (second == std::string::npos || !isSame(std::string_view(hello).substr(0, first), place_.secret)) return;
  const std::int64_t rank = std::strtoll(hello.c_str() + first + 1, nullptr, 10);
  const std::scoped_lock lock(mutex_);
  if (rank < 1 || rank >= size_ || peers_[static_cast<std::size_t>(rank - 1)].joined) return;
  prepareSocket(newcomer.socket.get());
  sendMessage(newcomer.socket.get(), kWelcome, {});
  Peer& peer = peers_[static_cast<std::size_t>(rank - 1)];
  peer.name = hello.substr(second + 1);
  peer.socket = std::move(newcomer.socket);
  peer.heardSec = nowSec();
  peer.joined = true;
  changed_.notify_all();
}

// Nobody else is expected.
void RankLine::closeTheDoor() {
  const std::scoped_lock lock(mutex_);
  if (!std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.joined; })) return;
  listener_ = FileDescriptor();
  newcomers_.clear();
}

}  // namespace batchwise
