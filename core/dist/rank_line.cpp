// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_line.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/format.h"
#include "core/base/standstill.h"
#include "core/dist/rank_wire.h"

namespace batchwise {
namespace {

constexpr double kBeatSec = 1.0;
constexpr double kSilentSec = 3.0;
constexpr int kLookMs = 200;

}  // namespace

RankLine::RankLine(std::int64_t rank, std::int64_t size, Place place)
    : rank_(rank), size_(size), place_(std::move(place)) {}

RankLine::~RankLine() {
  server_.request_stop();
  if (server_.joinable()) server_.join();
  const MutexLock lock(mutex_);
  sendToAll(kBye, std::to_string(arrivals_));
}

void RankLine::onBroken(OnBroken told) {
  const MutexLock lock(tellMutex_);
  onBroken_ = std::move(told);
}

void RankLine::setSilenceLimit(double seconds) {
  const MutexLock lock(mutex_);
  silenceLimitSec_ = seconds;
}

Result<std::vector<std::string>> RankLine::exchange(const std::string& own) {
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
    return Error::internal("rank 0 did not send one text for each rank");
  return std::move(*received);
}

void RankLine::arrive() {
  const MutexLock lock(mutex_);
  ++arrivals_;
  if (rank_ != 0 && !broken_) peers_.front().send(kArrived, {});
}

void RankLine::enter(std::string_view section) {
  const MutexLock lock(mutex_);
  if (section_ == section) return;
  section_ = section;
  if (rank_ != 0 && !broken_) peers_.front().send(kSection, section);
}

void RankLine::abandon(const Error& why) {
  const MutexLock lock(mutex_);
  if (broken_) return;
  broken_ = why.within("rank " + std::to_string(rank_));
  changed_.notify_all();
  sendToAll(kBroken, brokenText({*broken_, false}));
}

std::optional<Error> RankLine::trouble() const {
  const MutexLock lock(mutex_);
  return broken_;
}

bool RankLine::lostRank() const {
  const MutexLock lock(mutex_);
  return lost_;
}

std::string RankLine::missing() const {
  const MutexLock lock(mutex_);
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
  Standstill standstill(kLookMs / 1e3, nowSec());
  while (!stop.stop_requested()) {
    std::vector<pollfd> watched;
    for (const int socket : sockets()) watched.push_back({socket, POLLIN, 0});
    const std::size_t peers = watched.size();
    watched.push_back({listener_.get(), POLLIN, 0});  // -1 is passed over
    for (const PendingPeer& pending : pending_) watched.push_back({pending.socket.get(), POLLIN, 0});
    ::poll(watched.data(), watched.size(), kLookMs);
    if (const double seconds = standstill.woken(nowSec()); seconds > 0) allowForStandstill(seconds);
    readPending();  // before others come, for whom it may have to make room
    if (watched[peers].revents != 0) acceptPending();
    for (std::size_t i = 0; i < peers; ++i)
      if (watched[i].revents != 0) hear(i);
    noticeWhoLeft();
    beatAndListen();
    standstill.looked(nowSec());
  }
}

std::vector<int> RankLine::sockets() const {
  const MutexLock lock(mutex_);
  std::vector<int> all;
  for (const Peer& peer : peers_) all.push_back(peer.socket.get());
  return all;
}

void RankLine::hear(std::size_t index) {
  std::array<char, 65536> buffer{};
  std::vector<std::pair<char, std::string>> messages;
  std::string lostName, lostIn;
  bool deaf = false;
  {
    const MutexLock lock(mutex_);
    Peer& peer = peers_[index];
    const ssize_t size = ::recv(peer.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size > 0) peer.unread.append(buffer.data(), static_cast<std::size_t>(size));
    const bool absurd = peer.unread.size() >= kLengthBytes && lengthAt(peer.unread) > kLongestBody;
    while (!absurd) {
      auto message = takeMessage(peer.unread);
      if (!message) break;
      messages.push_back(std::move(*message));
    }
    peer.heardSec = nowSec();
    if (size <= 0 || absurd) {
      peer.socket = FileDescriptor();
      lostName = peer.name;
      deaf = peer.deaf;
      lostIn = rank_ == 0 ? peer.section : section_;
    }
  }
  for (auto& [kind, body] : messages) take(index, kind, std::move(body));
  if (lostName.empty()) return;
  {
    const MutexLock lock(mutex_);
    if (peers_[index].left) return;
  }
  breakWith(Error{ErrorCode::Device,
                  lostName + " was lost" + (lostIn.empty() ? "" : " in " + lostIn) +
                      (deaf ? ": it took nothing of what was sent to it for 10 s, or its connection broke"
                            : ": its process ended without a word (killed, out of memory, or the machine is gone)"),
                  {}},
            true);
}

// A rank may end before the others, but not before it has come to all that they wait in.
void RankLine::noticeWhoLeft() {
  std::string why;
  {
    const MutexLock lock(mutex_);
    for (const Peer& peer : peers_) {
      if (!peer.left || peer.arrivals >= arrivals_) continue;
      why = peer.name + " has ended" + (peer.section.empty() ? "" : " after " + peer.section) +
            ", and this rank waits for it" + (section_.empty() ? "" : " in " + section_);
    }
  }
  if (!why.empty()) breakWith(Error{ErrorCode::Device, why, {}}, true);
}

void RankLine::take(std::size_t index, char kind, std::string body) {
  if (kind == kBroken) {
    const auto broken = brokenFrom(body);
    if (broken) breakWith(broken->why, broken->lost);
    return;
  }
  const MutexLock lock(mutex_);
  Peer& peer = peers_[index];
  if (kind == kSection) peer.section = body;
  if (kind == kBye) {
    peer.left = true;
    peer.arrivals = std::strtoull(body.c_str(), nullptr, 10);
  }
  if (kind == kArrived) ++peer.arrivals;
  if (kind != kText && kind != kAllTexts) return;
  ++peer.arrivals;
  peer.texts.push_back(std::move(body));
  changed_.notify_all();
}

void RankLine::allowForStandstill(double seconds) {
  const double now = nowSec();
  for (PendingPeer& pending : pending_)
    for (double* since : {&pending.sinceSec, &pending.connection.progressSec}) *since = std::min(*since + seconds, now);
  const MutexLock lock(mutex_);
  for (Peer& peer : peers_) peer.heardSec = std::min(peer.heardSec + seconds, now);
}

// Every rank shows once a second that it lives. The others listen to rank 0; of them it names who is silent.
void RankLine::beatAndListen() {
  double silent = 0;
  {
    const MutexLock lock(mutex_);
    const double now = nowSec();
    if (now - beatSec_ >= kBeatSec) {
      beatSec_ = now;
      sendToAll(kAlive, {});
    }
    if (rank_ != 0 && silenceLimitSec_ > 0 && !peers_.front().left) silent = now - peers_.front().heardSec;
    if (silent <= silenceLimitSec_) return;
  }
  breakWith(
      Error{ErrorCode::Device, "rank 0 has been silent for " + std::to_string(static_cast<int>(silent)) + " s", {}},
      true);
}

// On the line's thread. Rank 0 tells the others.
void RankLine::breakWith(const Error& why, bool lost) {
  {
    const MutexLock lock(mutex_);
    if (broken_) return;
    broken_ = why;
    lost_ = lost;
    if (rank_ == 0) sendToAll(kBroken, brokenText({why, lost}));
    changed_.notify_all();
  }
  const MutexLock lock(tellMutex_);
  if (onBroken_) onBroken_(why, lost);
}

void RankLine::sendToAll(char kind, std::string_view body) {
  for (Peer& peer : peers_)
    if (peer.socket.valid() && !peer.left) peer.send(kind, body);
}

bool RankLine::Peer::send(char kind, std::string_view body) {
  if (!deaf) deaf = !sendMessage(socket.get(), kind, body);
  return !deaf;
}

}  // namespace batchwise
