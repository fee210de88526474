// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_line.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/base/clock.h"
#include "core/base/format.h"

namespace batchwise {
namespace {

// A message: length of the body (4 bytes of this machine's order: all ranks run the same program), kind, body.
constexpr std::size_t kHeadBytes = 5;
constexpr std::uint32_t kLongestBody = 1U << 28;
constexpr char kHello = 'H';     // secret, newline, rank, newline, name
constexpr char kText = 'T';      // to rank 0: one rank's text
constexpr char kAllTexts = 'A';  // from rank 0: all texts, each with its length before it
constexpr char kArrived = 'P';
constexpr char kSection = 'S';
constexpr char kBroken = 'X';  // code of the error, 'l' if a rank was lost or 'g' if it gave up, message
constexpr char kBye = 'B';
constexpr char kAlive = 'L';

constexpr double kBeatSec = 1.0;
constexpr double kSilentSec = 3.0;
constexpr int kLookMs = 200;
constexpr int kSendSec = 10;

double nowSec() {
  return SystemClock().monotonicSec();
}

std::string hostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::string lengthText(std::size_t length) {
  const auto value = static_cast<std::uint32_t>(length);
  std::string text(sizeof(value), '\0');
  std::memcpy(text.data(), &value, sizeof(value));
  return text;
}

std::uint32_t lengthAt(std::string_view bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

// What cannot be sent shows as a broken connection to whoever reads.
void sendMessage(int socket, char kind, std::string_view body) {
  const std::string bytes = lengthText(body.size()) + kind + std::string(body);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t sent = ::send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    done += static_cast<std::size_t>(sent);
  }
}

void prepareSocket(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  const timeval patience{kSendSec, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

FileDescriptor connectTo(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return FileDescriptor();
  FileDescriptor connected;
  for (const addrinfo* one = found; one != nullptr && !connected.valid(); one = one->ai_next) {
    FileDescriptor socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.valid() && ::connect(socket.get(), one->ai_addr, one->ai_addrlen) == 0) connected = std::move(socket);
  }
  ::freeaddrinfo(found);
  return connected;
}

// Takes the first whole message out of `unread`, if there is one.
std::optional<std::pair<char, std::string>> takeMessage(std::string& unread) {
  if (unread.size() < kHeadBytes) return std::nullopt;
  const std::size_t length = lengthAt(unread);
  if (unread.size() < kHeadBytes + length) return std::nullopt;
  std::pair<char, std::string> message{unread[4], unread.substr(kHeadBytes, length)};
  unread.erase(0, kHeadBytes + length);
  return message;
}

// The first message of a connection, waited for a short while only: whoever it is may be a stranger.
std::optional<std::pair<char, std::string>> firstMessage(int socket) {
  const double until = nowSec() + 2;
  std::string unread;
  while (nowSec() < until && unread.size() < 4096) {
    pollfd watched{socket, POLLIN, 0};
    if (::poll(&watched, 1, kLookMs) <= 0) continue;
    char byte = 0;  // no further than this message
    if (::recv(socket, &byte, 1, 0) != 1) break;
    unread += byte;
    if (auto message = takeMessage(unread)) return message;
  }
  return std::nullopt;
}

}  // namespace

RankLine::RankLine(std::int64_t rank, std::int64_t size, Place place)
    : rank_(rank), size_(size), place_(std::move(place)) {}

Result<std::unique_ptr<RankLine>> RankLine::lead(std::int64_t size, std::string secret, int port) {
  FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t length = sizeof(address);
  auto* general = reinterpret_cast<sockaddr*>(&address);
  if (!listener.valid() || ::bind(listener.get(), general, length) != 0 ||
      ::listen(listener.get(), static_cast<int>(size)) != 0 || ::getsockname(listener.get(), general, &length) != 0)
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
                                                 double patienceSec) {
  const std::string host = place.host == hostName() ? "127.0.0.1" : place.host;
  const double until = nowSec() + patienceSec;
  FileDescriptor socket = connectTo(host, place.port);
  while (!socket.valid() && nowSec() < until) {
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
  auto line = std::unique_ptr<RankLine>(new RankLine(rank, size, place));
  line->peers_.resize(1);
  line->peers_.front().name = "rank 0 (on " + place.host + ")";
  line->peers_.front().joined = true;
  line->peers_.front().socket = std::move(socket);
  line->peers_.front().heardSec = nowSec();
  line->server_ = std::jthread([raw = line.get()](const std::stop_token& stop) { raw->serve(stop); });
  return line;
}

RankLine::~RankLine() {
  server_.request_stop();
  if (server_.joinable()) server_.join();
  const std::scoped_lock lock(mutex_);
  sendToAll(kBye, {});
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

void RankLine::onBroken(OnBroken told) {
  const std::scoped_lock lock(tellMutex_);
  onBroken_ = std::move(told);
}

void RankLine::setSilenceLimit(double seconds) {
  const std::scoped_lock lock(mutex_);
  silenceLimitSec_ = seconds;
}

Result<std::vector<std::string>> RankLine::exchange(const std::string& own) {
  std::unique_lock lock(mutex_);
  ++arrivals_;
  if (rank_ != 0 && !broken_) sendMessage(peers_.front().socket.get(), kText, own);
  const auto come = [this] {
    return broken_ || std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return !peer.texts.empty(); });
  };
  changed_.wait(lock, come);
  if (broken_) return *broken_;
  std::vector<std::string> all;
  if (rank_ == 0) {
    all.push_back(own);
    std::string together = lengthText(own.size()) + own;
    for (Peer& peer : peers_) {
      all.push_back(std::move(peer.texts.front()));
      peer.texts.pop_front();
      together += lengthText(all.back().size()) + all.back();
    }
    sendToAll(kAllTexts, together);
    return all;
  }
  const std::string together = std::move(peers_.front().texts.front());
  peers_.front().texts.pop_front();
  for (std::string_view rest(together); rest.size() >= 4;) {
    const std::size_t length = lengthAt(rest);
    all.emplace_back(rest.substr(4, length));
    rest.remove_prefix(std::min(rest.size(), 4 + length));
  }
  if (all.size() != static_cast<std::size_t>(size_)) return Error::internal("rank 0 sent the texts of too few ranks");
  return all;
}

void RankLine::arrive() {
  const std::scoped_lock lock(mutex_);
  ++arrivals_;
  if (rank_ != 0 && !broken_) sendMessage(peers_.front().socket.get(), kArrived, {});
}

void RankLine::enter(std::string_view section) {
  const std::scoped_lock lock(mutex_);
  if (section_ == section) return;
  section_ = section;
  if (rank_ != 0 && !broken_) sendMessage(peers_.front().socket.get(), kSection, section);
}

void RankLine::abandon(const Error& why) {
  const std::scoped_lock lock(mutex_);
  if (broken_) return;
  broken_ = why.within("rank " + std::to_string(rank_));
  changed_.notify_all();
  sendToAll(kBroken, std::string(1, static_cast<char>(why.code)) + 'g' + broken_->text());
}

std::optional<Error> RankLine::trouble() const {
  const std::scoped_lock lock(mutex_);
  return broken_;
}

bool RankLine::lostRank() const {
  const std::scoped_lock lock(mutex_);
  return lost_;
}

std::string RankLine::missing() const {
  const std::scoped_lock lock(mutex_);
  const double now = nowSec();
  std::string text;
  for (const Peer& peer : peers_) {
    const double silent = now - peer.heardSec;
    if (rank_ != 0 || (peer.arrivals >= arrivals_ && silent < kSilentSec)) continue;
    text += (text.empty() ? "" : ", ") + peer.name +
            (silent < kSilentSec ? " has not come to it" : " has been silent for " + formatValue(silent) + " s") +
            (peer.section.empty() ? "" : ", last seen in " + peer.section);
  }
  return text;
}

void RankLine::serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<pollfd> watched;
    for (const int socket : sockets()) watched.push_back({socket, POLLIN, 0});
    watched.push_back({listener_.get(), POLLIN, 0});  // -1 is passed over
    ::poll(watched.data(), watched.size(), kLookMs);
    if (watched.back().revents != 0) acceptOne();
    for (std::size_t i = 0; i + 1 < watched.size(); ++i)
      if (watched[i].revents != 0) hear(i);
    beatAndListen();
  }
}

std::vector<int> RankLine::sockets() const {
  const std::scoped_lock lock(mutex_);
  std::vector<int> all;
  for (const Peer& peer : peers_) all.push_back(peer.socket.get());
  return all;
}

void RankLine::acceptOne() {
  FileDescriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket.valid()) return;
  const auto hello = firstMessage(socket.get());
  if (!hello || hello->first != kHello) return;
  const std::string& body = hello->second;
  const std::size_t first = body.find('\n');
  const std::size_t second = first == std::string::npos ? first : body.find('\n', first + 1);
  if (second == std::string::npos || body.substr(0, first) != place_.secret) return;
  const std::int64_t rank = std::strtoll(body.c_str() + first + 1, nullptr, 10);
  const std::scoped_lock lock(mutex_);
  if (rank < 1 || rank >= size_ || peers_[static_cast<std::size_t>(rank - 1)].joined) return;
  prepareSocket(socket.get());
  Peer& peer = peers_[static_cast<std::size_t>(rank - 1)];
  peer.name = body.substr(second + 1);
  peer.socket = std::move(socket);
  peer.heardSec = nowSec();
  peer.joined = true;
  changed_.notify_all();
}

void RankLine::hear(std::size_t index) {
  std::array<char, 65536> buffer{};
  std::vector<std::pair<char, std::string>> messages;
  std::string lostName, lostIn;
  {
    const std::scoped_lock lock(mutex_);
    Peer& peer = peers_[index];
    const ssize_t size = ::recv(peer.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size > 0) peer.unread.append(buffer.data(), static_cast<std::size_t>(size));
    const bool absurd = peer.unread.size() >= 4 && lengthAt(peer.unread) > kLongestBody;
    while (!absurd) {
      auto message = takeMessage(peer.unread);
      if (!message) break;
      messages.push_back(std::move(*message));
    }
    peer.heardSec = nowSec();
    if (size <= 0 || absurd) {
      peer.socket = FileDescriptor();
      lostName = peer.name;
      lostIn = rank_ == 0 ? peer.section : section_;
    }
  }
  for (auto& [kind, body] : messages) take(index, kind, std::move(body));
  if (lostName.empty()) return;
  {
    const std::scoped_lock lock(mutex_);
    if (peers_[index].left) return;
  }
  breakWith(Error{ErrorCode::Device,
                  lostName + " was lost" + (lostIn.empty() ? "" : " in " + lostIn) +
                      ": its process ended without a word (killed, out of memory, or the machine is gone)",
                  {}},
            true);
}

void RankLine::take(std::size_t index, char kind, std::string body) {
  if (kind == kBroken && body.size() >= 2)
    return breakWith(Error{static_cast<ErrorCode>(body[0]), body.substr(2), {}}, body[1] == 'l');
  const std::scoped_lock lock(mutex_);
  Peer& peer = peers_[index];
  if (kind == kSection) peer.section = std::move(body);
  if (kind == kBye) peer.left = true;
  if (kind == kArrived) ++peer.arrivals;
  if (kind != kText && kind != kAllTexts) return;
  ++peer.arrivals;
  peer.texts.push_back(std::move(body));
  changed_.notify_all();
}

// Every rank shows once a second that it lives. The others listen to rank 0; of them it names who is silent.
void RankLine::beatAndListen() {
  double silent = 0;
  {
    const std::scoped_lock lock(mutex_);
    const double now = nowSec();
    if (now - beatSec_ >= kBeatSec) {
      beatSec_ = now;
      sendToAll(kAlive, {});
    }
    if (rank_ != 0 && silenceLimitSec_ > 0 && !peers_.front().left) silent = now - peers_.front().heardSec;
    if (silent <= silenceLimitSec_) return;
  }
  breakWith(Error{ErrorCode::Device, "rank 0 has been silent for " + std::to_string(static_cast<int>(silent)) + " s", {}},
            true);
}

// On the line's thread. Rank 0 tells the others.
void RankLine::breakWith(const Error& why, bool lost) {
  {
    const std::scoped_lock lock(mutex_);
    if (broken_) return;
    broken_ = why;
    lost_ = lost;
    if (rank_ == 0) sendToAll(kBroken, std::string(1, static_cast<char>(why.code)) + (lost ? 'l' : 'g') + why.text());
    changed_.notify_all();
  }
  const std::scoped_lock lock(tellMutex_);
  if (onBroken_) onBroken_(why, lost);
}

void RankLine::sendToAll(char kind, std::string_view body) {
  for (const Peer& peer : peers_)
    if (peer.socket.valid() && !peer.left) sendMessage(peer.socket.get(), kind, body);
}

}  // namespace batchwise
