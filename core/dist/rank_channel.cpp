// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_channel.h"

#include <unistd.h>

#include <algorithm>
#include <thread>

#include "core/base/format.h"
#include "core/base/texts.h"
#include "core/dist/rank_listener.h"

namespace batchwise {
namespace {

constexpr int kPollMs = 200;
constexpr double kLongestRoundSec = 2 * kPollMs / 1e3;
constexpr double kHeartbeatSec = 1.0;
constexpr double kSilentSec = 3.0;
constexpr double kRetrySec = 5.0;  // for connections closed before any reply, as by an ending process
constexpr const char* kFirstSection = "setting up";

Error lostRankError(std::string message) {
  return {ErrorCode::LostRank, std::move(message), {}};
}

Error deviceError(std::string message) {
  return Error{ErrorCode::Device, std::move(message), {}};
}

struct Peer {
  std::string name;  // "rank 1 (process 77 on node3)"
  RankSocket socket;
  std::string section = kFirstSection;  // last reported
  std::uint64_t arrivals = 0;           // number of arrive() and exchange() calls
  double lastReceivedSec = 0;           // time of the last message
  bool joined = false;
  bool left = false;  // sent its goodbye
};

class Channel final : public RankChannel {
 public:
  Channel(std::int64_t rank, std::int64_t size, Endpoint endpoint)
      : RankChannel(rank, size), endpoint_(std::move(endpoint)) {}
  ~Channel() override {
    server_.request_stop();
    if (server_.joinable()) server_.join();
    const MutexLock lock(mutex_);
    sendToAll(kGoodbye, std::to_string(arrivals_));
  }

  // `peers`: for rank 0 all others, in order; for others rank 0. `listener`: of rank 0.
  void start(std::vector<Peer> peers, std::optional<RankListener> listener) {
    const MutexLock lock(mutex_);
    peers_ = std::move(peers);
    listener_ = std::move(listener);
    server_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }

  const Endpoint& endpoint() const override { return endpoint_; }

  Result<void> awaitAll(double timeoutSec) override {
    MutexLock lock(mutex_);
    const auto all = [this]() REQUIRES(mutex_) { return broken_ || std::ranges::all_of(peers_, &Peer::joined); };
    if (changed_.wait_for(lock, std::chrono::duration<double>(timeoutSec), all))
      return broken_ ? Result<void>(*broken_) : Result<void>();
    std::string names;
    for (const Peer& peer : peers_)
      if (!peer.joined) names = names.empty() ? peer.name : listItemsText(names, peer.name);
    return deviceError(formatText("{} did not connect to rank 0 within {} s", names, formatValue(timeoutSec)));
  }

  void setSilenceLimit(double seconds) override {
    const MutexLock lock(mutex_);
    silenceLimitSec_ = seconds;
  }

  void arrive() override {
    const MutexLock lock(mutex_);
    ++arrivals_;
    sendToFirst(kArrived, {});
  }

  void enter(std::string_view section) override {
    const MutexLock lock(mutex_);
    if (section_ == section) return;
    section_ = section;
    sendToFirst(kSection, section);
  }

  void abandon(const Error& why) override {
    const MutexLock lock(mutex_);
    breakLine(why.within(formatText("rank {}", rank())), false);
  }

  void post(const std::string& entry) override {
    const MutexLock lock(mutex_);
    if (broken_) return;
    if (rank() == 0) return order(entry);
    sendToFirst(kLogEntry, entry);
  }

  bool hasSilentRank() const override {
    const MutexLock lock(mutex_);
    bool silent = false;
    for (const Peer& peer : peers_) silent = silent || servedSec_ - peer.lastReceivedSec >= kSilentSec;
    return silent && rank() == 0;
  }

  std::string missing() const override {
    const MutexLock lock(mutex_);
    std::string text;
    for (const Peer& peer : peers_) {
      const double silentSec = servedSec_ - peer.lastReceivedSec;
      if (rank() != 0 || (peer.arrivals >= arrivals_ && silentSec < kSilentSec)) continue;
      const std::string one = silentSec < kSilentSec
                                  ? formatText("{} has not reached it, last seen in {}", peer.name, peer.section)
                                  : formatText("{} has been silent for {} s, last seen in {}", peer.name,
                                               formatValue(silentSec), peer.section);
      text = text.empty() ? one : listItemsText(text, one);
    }
    return text;
  }

 private:
  void sendText(const std::string& own) override {
    const MutexLock lock(mutex_);
    ++arrivals_;
    if (rank() == 0) receive(0, own);
    sendToFirst(kText, own);
  }
  void shareTexts(const std::vector<std::string>& all) REQUIRES(mutex_) override {
    if (rank() == 0) sendToAll(kAllTexts, joinTexts(all));
  }

  void serve(const std::stop_token& stop) {
    for (double sinceSec = nowSec(); !stop.stop_requested();) {
      std::vector<pollfd> watched = sockets();
      ::poll(watched.data(), watched.size(), kPollMs);
      MutexLock lock(mutex_);
      const bool wasBroken = broken_.has_value();
      servedSec_ += std::min(nowSec() - sinceSec, kLongestRoundSec);
      sinceSec = nowSec();
      for (std::size_t i = 0; i < peers_.size(); ++i)
        if (watched[i].revents != 0) readFrom(peers_[i], i + 1);
      if (listener_)
        for (RankListener::Joined& joined : listener_->poll(servedSec_)) admit(joined);
      checkPeers();
      const bool broke = broken_ && !wasBroken;
      lock.unlock();
      if (broke) notifyBroken();
    }
  }

  std::vector<pollfd> sockets() const {
    const MutexLock lock(mutex_);
    std::vector<pollfd> watched;
    for (const Peer& peer : peers_) watched.push_back({peer.socket.get(), POLLIN, 0});  // poll() ignores -1
    if (listener_) listener_->addTo(watched);
    return watched;
  }

  void admit(RankListener::Joined& joined) REQUIRES(mutex_) {
    Peer& peer = peers_[static_cast<std::size_t>(joined.rank.rank - 1)];
    peer.name = joined.rank.name;
    peer.socket = std::move(joined.socket);
    peer.lastReceivedSec = servedSec_;
    peer.joined = true;
    changed_.notify_all();
  }

  // `index`: the rank of the peer, for rank 0.
  void readFrom(Peer& peer, std::size_t index) REQUIRES(mutex_) {
    RankMessage message;
    ReadResult read = ReadResult::Incomplete;
    while ((read = peer.socket.receive(message)) == ReadResult::Message) handle(peer, index, message);
    peer.lastReceivedSec = servedSec_;
    if (read == ReadResult::Incomplete) return;
    const bool sendFailed = peer.socket.sendFailed();
    peer.socket = RankSocket();
    if (peer.left) return;
    const std::string& section = rank() == 0 ? peer.section : section_;
    breakLine(lostRankError(sendFailed
                                ? formatText("{} was lost in {}: it accepted no data for 10 s, or its connection broke",
                                             peer.name, section)
                                : formatText("{} was lost in {}: its process ended without a message (killed, out of "
                                             "memory, or the machine is gone)",
                                             peer.name, section)),
              true);
  }

  void handle(Peer& peer, std::size_t index, RankMessage& message) REQUIRES(mutex_) {
    switch (message.kind) {
      case kText:
        ++peer.arrivals;
        receive(index, std::move(message.body));
        break;
      case kAllTexts: {
        ++peer.arrivals;
        auto texts = splitTexts(message.body);
        if (!texts || std::ssize(*texts) != size())
          return breakLine(Error::internal("rank 0 did not send one text for each rank"), false);
        for (std::size_t i = 0; i < texts->size(); ++i) receive(i, std::move((*texts)[i]));
        break;
      }
      case kArrived: ++peer.arrivals; break;
      case kSection: peer.section = message.body; break;
      case kLogEntry: order(message.body); break;
      case kGoodbye:
        peer.left = true;
        peer.arrivals = std::strtoull(message.body.c_str(), nullptr, 10);
        break;
      case kBroken:
        if (const auto broken = brokenFrom(message.body)) breakLine(broken->why, broken->lost);
        break;
      default: break;  // a heartbeat
    }
  }

  void checkPeers() REQUIRES(mutex_) {
    if (nowSec() - lastHeartbeatSec_ >= kHeartbeatSec) {
      lastHeartbeatSec_ = nowSec();
      sendToAll(kHeartbeat, {});
    }
    for (const Peer& peer : peers_) {
      // A rank may end early, but not before it has taken part in everything that others wait for.
      if (peer.left && peer.arrivals < arrivals_)
        breakLine(lostRankError(formatText("{}, and this rank waits for it in {}",
                                           formatText("{} has ended after {}", peer.name, peer.section), section_)),
                  true);
      // Other ranks time out on rank 0; rank 0 only reports silent ranks (missing()).
      const double silentSec = servedSec_ - peer.lastReceivedSec;
      if (rank() != 0 && silenceLimitSec_ > 0 && silentSec > silenceLimitSec_ && !peer.left)
        breakLine(lostRankError(formatText("rank 0 has been silent for {} s", static_cast<int>(silentSec))), true);
    }
  }

  // Rank 0 notifies the other ranks, and each rank the others of its own failure.
  void breakLine(const Error& why, bool lost) REQUIRES(mutex_) {
    if (setBroken(why, lost) && (rank() == 0 || !lost)) sendToAll(kBroken, brokenText({why, lost}));
  }

  // Rank 0 decides the order, and the others append what it sends.
  void order(const std::string& entry) REQUIRES(mutex_) {
    if (rank() == 0) sendToAll(kLogEntry, entry);
    append(entry);
  }

  void sendToFirst(char kind, std::string_view body) REQUIRES(mutex_) {
    if (rank() != 0 && !broken_) peers_.front().socket.send(kind, body);
  }
  void sendToAll(char kind, std::string_view body) REQUIRES(mutex_) {
    for (Peer& peer : peers_)
      if (peer.socket.valid() && !peer.left) peer.socket.send(kind, body);
  }

  const Endpoint endpoint_;
  std::optional<RankListener> listener_ GUARDED_BY(mutex_);
  std::vector<Peer> peers_ GUARDED_BY(mutex_);
  std::uint64_t arrivals_ GUARDED_BY(mutex_) = 0;           // of this rank
  std::string section_ GUARDED_BY(mutex_) = kFirstSection;  // last reported
  double silenceLimitSec_ GUARDED_BY(mutex_) = 0;
  double lastHeartbeatSec_ GUARDED_BY(mutex_) = 0;  // when this rank sent its last heartbeat
  // Time that the server has run: a round that takes longer than it should counts as kLongestRoundSec, wherever in it
  // the process was suspended or starved.
  double servedSec_ GUARDED_BY(mutex_) = 0;
  std::jthread server_;  // last member: joined first
};

// Waits until `untilSec` for the next message of the handshake. Malformed: it is of another kind.
ReadResult await(RankSocket& socket, double untilSec, char kind, std::string& body) {
  RankMessage message;
  ReadResult read = ReadResult::Incomplete;
  while ((read = socket.receive(message, kLongestHandshakeBody)) == ReadResult::Incomplete && nowSec() < untilSec) {
    pollfd watched{socket.get(), POLLIN, 0};
    ::poll(&watched, 1, kPollMs);
  }
  if (read == ReadResult::Message && message.kind != kind) return ReadResult::Malformed;
  body = std::move(message.body);
  return read;
}

// Connects to rank 0 and authenticates both ends. Sends only a nonce before the challenge is verified.
Result<RankSocket> connectToRankZero(const RankChannel::Endpoint& endpoint, std::int64_t rank, std::int64_t size,
                                     double timeoutSec, double connectSec) {
  const std::string host = endpoint.host == hostName() ? "127.0.0.1" : endpoint.host;
  const std::string address = endpoint.host + ":" + std::to_string(endpoint.port);
  const Error noAnswer = deviceError(
      formatText("rank 0 at {} has not answered rank {}: its machine is too busy, or another program listens there",
                 address, rank));
  const Error wrongProgram =
      deviceError(formatText("the program at {} cannot prove that it is rank 0 of this run, so rank {} has sent it "
                             "nothing; end it, or choose another port with BATCHWISE_RANK_PORT",
                             address, rank));
  Error failure = deviceError(formatText(
      "rank {} cannot reach rank 0 at {}; the machines of a run must reach each other over TCP", rank, address));
  const double startedAt = nowSec();
  for (double retrySec = connectSec;; std::this_thread::sleep_for(std::chrono::milliseconds(100))) {
    if (RankSocket socket = RankSocket::connect(host, endpoint.port); socket.valid()) {
      const double untilSec = std::max(startedAt + timeoutSec, nowSec() + 1);
      ASSIGN_OR_RETURN(auto nonce, randomBytes(kNonceBytes));
      ClientHandshake handshake(endpoint.secret, rank, size, std::move(nonce));
      socket.send(kHello, handshake.hello());
      std::string body;
      ReadResult read = await(socket, untilSec, kChallenge, body);
      if (read == ReadResult::Incomplete) return noAnswer;
      if (read != ReadResult::Closed) {
        const auto proof =
            handshake.prove(body, formatText("rank {} (process {} on {})", rank, ::getpid(), hostName()));
        if (read != ReadResult::Message || !proof) return wrongProgram;
        socket.send(kProof, *proof);
        read = await(socket, untilSec, kWelcome, body);
        if (read == ReadResult::Message && handshake.isWelcome(body)) return socket;
        return read == ReadResult::Incomplete
                   ? noAnswer
                   : deviceError(formatText("rank 0 at {} closed the connection of rank {}: another process with this "
                                            "rank is connected, or rank 0 has ended; see the output of rank 0",
                                            address, rank));
      }
      failure = wrongProgram;
      retrySec = std::min(retrySec, nowSec() - startedAt + kRetrySec);
    }
    if (nowSec() >= startedAt + retrySec) return failure;
  }
}

}  // namespace

Result<std::shared_ptr<RankChannel>> RankChannel::lead(std::int64_t size, std::string secret, int port) {
  ASSIGN_OR_RETURN(auto listener, RankListener::open(size, secret, port));
  std::vector<Peer> peers(static_cast<std::size_t>(size - 1));
  for (std::size_t i = 0; i < peers.size(); ++i) peers[i].name = formatText("rank {}", i + 1);
  const auto channel = std::make_shared<Channel>(0, size, Endpoint{hostName(), listener.port(), std::move(secret)});
  channel->start(std::move(peers), std::move(listener));
  return std::shared_ptr<RankChannel>(channel);
}

Result<std::shared_ptr<RankChannel>> RankChannel::join(const Endpoint& endpoint, std::int64_t rank, std::int64_t size,
                                                       double timeoutSec, std::optional<double> connectSec) {
  std::vector<Peer> peers(1);
  ASSIGN_OR_RETURN(peers.front().socket,
                   connectToRankZero(endpoint, rank, size, timeoutSec, connectSec.value_or(timeoutSec)));
  peers.front().name = formatText("rank 0 (on {})", endpoint.host);
  const auto channel = std::make_shared<Channel>(rank, size, endpoint);
  channel->start(std::move(peers), std::nullopt);
  return std::shared_ptr<RankChannel>(channel);
}

}  // namespace batchwise
