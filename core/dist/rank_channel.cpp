// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/clock.h"
#include "core/base/format.h"
#include "core/dist/messages.h"
#include "core/dist/rank_messages.h"

namespace batchwise {
namespace {

constexpr double kHeartbeatSec = 1.0;
constexpr double kSilentSec = 3.0;
constexpr int kReadPollMs = 200;

}  // namespace

RankChannel::RankChannel(std::int64_t rank, std::int64_t size, Endpoint endpoint)
    : rank_(rank), size_(size), endpoint_(std::move(endpoint)) {}

RankChannel::~RankChannel() {
  server_.request_stop();
  if (server_.joinable()) server_.join();
  const MutexLock lock(mutex_);
  sendToAll(kGoodbye, std::to_string(arrivals_));
}

void RankChannel::setSilenceLimit(double seconds) {
  const MutexLock lock(mutex_);
  silenceLimitSec_ = seconds;
}

Result<std::vector<std::string>> RankChannel::exchange(const std::string& own) {
  MutexLock lock(mutex_);
  ++arrivals_;
  if (rank_ != 0 && !broken_) peers_.front().send(kText, own);
  const auto come = [this]() REQUIRES(mutex_) {
    return broken_ || std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return !peer.texts.empty(); });
  };
  changed_.wait(lock, come);
  if (broken_) return *broken_;
  std::vector<std::string> all;
  if (rank_ == 0) {
    all.push_back(own);
    for (Peer& peer : peers_) {
      all.push_back(std::move(peer.texts.front()));
      peer.texts.pop_front();
    }
    sendToAll(kAllTexts, joinTexts(all));
    return all;
  }
  auto received = splitTexts(peers_.front().texts.front());
  peers_.front().texts.pop_front();
  if (!received || received->size() != static_cast<std::size_t>(size_))
    return Error::internal(messages::rankTextsIncomplete());
  return std::move(*received);
}

void RankChannel::arrive() {
  const MutexLock lock(mutex_);
  ++arrivals_;
  if (rank_ != 0 && !broken_) peers_.front().send(kArrived, {});
}

void RankChannel::enter(std::string_view section) {
  const MutexLock lock(mutex_);
  if (section_ == section) return;
  section_ = section;
  if (rank_ != 0 && !broken_) peers_.front().send(kSection, section);
}

void RankChannel::abandon(const Error& why) {
  const MutexLock lock(mutex_);
  if (setBroken(why.within(messages::rankName(rank_)), false)) sendToAll(kBroken, brokenText({*broken_, false}));
}

void RankChannel::post(const std::string& entry) {
  const MutexLock lock(mutex_);
  if (broken_) return;
  if (rank_ == 0) return append(entry);
  peers_.front().send(kLogEntry, entry);
}

// Rank 0 decides the order, and the others append what it sends.
void RankChannel::append(const std::string& entry) {
  if (rank_ == 0) sendToAll(kLogEntry, entry);
  log_.push_back(entry);
  changed_.notify_all();
}

Message RankChannel::missing() const {
  const MutexLock lock(mutex_);
  const double now = nowSec();
  Message text;
  for (const Peer& peer : peers_) {
    const double silent = now - peer.lastReceivedSec;
    if (rank_ != 0 || (peer.arrivals >= arrivals_ && silent < kSilentSec)) continue;
    const Message one = silent < kSilentSec ? messages::rankNotArrivedIn(peer.name, peer.section)
                                            : messages::rankSilentIn(peer.name, silent, peer.section);
    text = text.empty() ? one : messages::listItems(text, one);
  }
  return text;
}

void RankChannel::serve(const std::stop_token& stop) {
  StallDetector stall(kReadPollMs / 1e3, nowSec());
  while (!stop.stop_requested()) {
    std::vector<pollfd> watched;
    for (const int socket : sockets()) watched.push_back({socket, POLLIN, 0});
    const std::size_t peers = watched.size();
    watched.push_back({listener_.get(), POLLIN, 0});  // poll() ignores -1
    for (const PendingPeer& pending : pending_) watched.push_back({pending.socket.get(), POLLIN, 0});
    ::poll(watched.data(), watched.size(), kReadPollMs);
    if (const double seconds = stall.stalledSec(nowSec()); seconds > 0) excludeStall(seconds);
    readPending();  // before new ones, to make room
    if (watched[peers].revents != 0) acceptPending();
    for (std::size_t i = 0; i < peers; ++i)
      if (watched[i].revents != 0) receive(i);
    detectEarlyExit();
    checkHeartbeats();
    stall.polled(nowSec());
  }
}

std::vector<int> RankChannel::sockets() const {
  const MutexLock lock(mutex_);
  std::vector<int> all;
  for (const Peer& peer : peers_) all.push_back(peer.socket.get());
  return all;
}

void RankChannel::receive(std::size_t index) {
  std::array<char, 65536> buffer{};
  std::vector<std::pair<char, std::string>> messages;
  Message lostName;
  std::string lostSection;
  bool sendFailed = false;
  {
    const MutexLock lock(mutex_);
    Peer& peer = peers_[index];
    const ssize_t size = ::recv(peer.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size > 0) peer.unread.append(buffer.data(), static_cast<std::size_t>(size));
    const bool tooLong = peer.unread.size() >= kLengthBytes && lengthAt(peer.unread) > kLongestBody;
    while (!tooLong) {
      auto message = takeMessage(peer.unread);
      if (!message) break;
      messages.push_back(std::move(*message));
    }
    peer.lastReceivedSec = nowSec();
    if (size <= 0 || tooLong) {
      peer.socket = FileDescriptor();
      lostName = peer.name;
      sendFailed = peer.sendFailed;
      lostSection = rank_ == 0 ? peer.section : section_;
    }
  }
  for (auto& [kind, body] : messages) handleMessage(index, kind, std::move(body));
  if (lostName.empty()) return;
  {
    const MutexLock lock(mutex_);
    if (peers_[index].left) return;
  }
  const Message lost = sendFailed ? messages::rankLostInSendFailed(lostName, lostSection)
                                  : messages::rankLostInProcessEnded(lostName, lostSection);
  breakChannel(Error{ErrorCode::Device, lost, {}}, true);
}

// A rank may end early, but not before it has taken part in everything that others wait for.
void RankChannel::detectEarlyExit() {
  Message why;
  {
    const MutexLock lock(mutex_);
    for (const Peer& peer : peers_) {
      if (!peer.left || peer.arrivals >= arrivals_) continue;
      why = messages::rankEndedEarlyIn(messages::rankEndedAfter(peer.name, peer.section), section_);
    }
  }
  if (!why.empty()) breakChannel(Error{ErrorCode::Device, why, {}}, true);
}

void RankChannel::handleMessage(std::size_t index, char kind, std::string body) {
  if (kind == kBroken) {
    const auto broken = brokenFrom(body);
    if (broken) breakChannel(broken->why, broken->lost);
    return;
  }
  const MutexLock lock(mutex_);
  Peer& peer = peers_[index];
  if (kind == kSection) peer.section = body;
  if (kind == kGoodbye) {
    peer.left = true;
    peer.arrivals = std::strtoull(body.c_str(), nullptr, 10);
  }
  if (kind == kArrived) ++peer.arrivals;
  if (kind == kLogEntry) append(body);
  if (kind != kText && kind != kAllTexts) return;
  ++peer.arrivals;
  peer.texts.push_back(std::move(body));
  changed_.notify_all();
}

void RankChannel::excludeStall(double seconds) {
  const double now = nowSec();
  for (PendingPeer& pending : pending_)
    for (double* since : {&pending.sinceSec, &pending.connection.progressSec}) *since = std::min(*since + seconds, now);
  const MutexLock lock(mutex_);
  for (Peer& peer : peers_) peer.lastReceivedSec = std::min(peer.lastReceivedSec + seconds, now);
}

// Sends a heartbeat each second. Other ranks time out on rank 0; rank 0 only reports silent ranks (missing()).
void RankChannel::checkHeartbeats() {
  double silent = 0;
  {
    const MutexLock lock(mutex_);
    const double now = nowSec();
    if (now - lastHeartbeatSec_ >= kHeartbeatSec) {
      lastHeartbeatSec_ = now;
      sendToAll(kHeartbeat, {});
    }
    if (rank_ != 0 && silenceLimitSec_ > 0 && !peers_.front().left) silent = now - peers_.front().lastReceivedSec;
    if (silent <= silenceLimitSec_) return;
  }
  breakChannel(Error{ErrorCode::Device, messages::rankZeroIsSilent(static_cast<int>(silent)), {}}, true);
}

// Runs on the channel's thread. Rank 0 notifies the other ranks.
void RankChannel::breakChannel(const Error& why, bool lost) {
  {
    const MutexLock lock(mutex_);
    if (!setBroken(why, lost)) return;
    if (rank_ == 0) sendToAll(kBroken, brokenText({why, lost}));
  }
  notifyBroken();
}

void RankChannel::sendToAll(char kind, std::string_view body) {
  for (Peer& peer : peers_)
    if (peer.socket.valid() && !peer.left) peer.send(kind, body);
}

bool RankChannel::Peer::send(char kind, std::string_view body) {
  if (!sendFailed) sendFailed = !sendMessage(socket.get(), kind, body);
  return !sendFailed;
}

}  // namespace batchwise
