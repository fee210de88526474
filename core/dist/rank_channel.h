// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "core/dist/rank_handshake.h"
#include "core/dist/rank_line.h"

namespace batchwise {

/// A connection to rank 0 whose peer has not been authenticated yet.
struct PendingConnection {
  std::uint32_t address = 0;  ///< IPv4 address of the other end, in any byte order
  double progressSec = 0;     ///< time of accept, or of the reply to its hello
  bool challenged = false;    ///< its hello was answered; its proof is awaited
};

/// Returns the index of the connection to drop in favor of a new one from `address`; nothing if the new one is to be
/// refused. A connection is idle after 1 s without progress, or 0.2 s without a hello (only ranks can answer a
/// challenge, and they do so at once). Prefers idle connections, then addresses with most connections, then the longest
/// wait. Drops a connection that is not idle only if its address has more connections than the new one's and than
/// `ranks`; so ranks in their handshake are kept during a flood of connections. Pure.
std::optional<std::size_t> connectionToDrop(const std::vector<PendingConnection>& pending, std::uint32_t address,
                                            std::int64_t ranks, double timeSec);

/// Control line between processes: one connection from each rank to rank 0. It detects lost processes and lets rank 0
/// name missing ranks. Served by a thread per process.
///
/// Rank 0 listens until all ranks have joined, then closes its port. Both ends authenticate by the secret before
/// anything else (rank_handshake.h). An unauthenticated peer can send at most 512 bytes within 10 s and blocks nobody;
/// of too many, the longest idle are dropped (connectionToDrop()).
class RankChannel final : public RankLine {
 public:
  struct Endpoint {
    std::string host;
    int port = 0;
    std::string secret;  ///< never sent
  };
  /// Interfaces that rank 0 listens on.
  enum class ListenScope { ThisHost, Network };

  /// For rank 0: listens on `port` (0: any free port) and returns at once. Fails with Io, also if the port is in use.
  static Result<std::unique_ptr<RankChannel>> lead(std::int64_t size, std::string secret,
                                                   ListenScope reach = ListenScope::Network, int port = 0);
  /// For other ranks: connects, retrying for `connectSec` if given, and authenticates, within `timeoutSec` in total.
  /// Fails with Device; at once if the program at `endpoint` is not rank 0 of this run.
  static Result<std::unique_ptr<RankChannel>> join(const Endpoint& endpoint, std::int64_t rank, std::int64_t size,
                                                   double timeoutSec, std::optional<double> connectSec = {});
  RankChannel(const RankChannel&) = delete;
  RankChannel& operator=(const RankChannel&) = delete;
  /// Sends a goodbye, so that the other ranks do not count this one as lost.
  ~RankChannel() override;

  std::int64_t rank() const override { return rank_; }
  std::int64_t size() const override { return size_; }
  /// Where rank 0 listens.
  const Endpoint& endpoint() const { return endpoint_; }

  /// For rank 0: waits until all ranks have connected. Fails with Device, naming missing ranks.
  Result<void> awaitAll(double timeoutSec);
  /// For other ranks: sets the silence after which rank 0 counts as lost; 0: never. Time during which this process was
  /// suspended does not count, because a scheduler may suspend all ranks and resume them one by one.
  void setSilenceLimit(double seconds);

  Result<std::vector<std::string>> exchange(const std::string& own) override;
  void arrive() override;
  void enter(std::string_view section) override;
  /// Adds the name of this rank to `why`.
  void abandon(const Error& why) override;
  void post(const std::string& entry) override;

  /// For rank 0: describes ranks that have not arrived at the current operation or are silent, with their last section.
  /// Empty if there are none.
  Message missing() const;

 private:
  static constexpr const char* kFirstSection = "setting up";
  struct Peer {
    bool send(char kind, std::string_view body);

    FileDescriptor socket;
    Message name;                         // "rank 1 (process 77 on node3)"
    std::string section = kFirstSection;  // last reported
    std::string unread;
    std::deque<std::string> texts;  // received, not yet consumed
    std::uint64_t arrivals = 0;     // number of arrive() and exchange() calls
    double lastReceivedSec = 0;     // time of the last message
    bool joined = false;
    bool left = false;        // sent its goodbye
    bool sendFailed = false;  // sending failed
  };
  /// A connection that is not authenticated yet.
  struct PendingPeer {
    FileDescriptor socket;
    ServerHandshake handshake;
    std::string unread;
    double sinceSec = 0;
    PendingConnection connection;
  };

  RankChannel(std::int64_t rank, std::int64_t size, Endpoint endpoint);
  void serve(const std::stop_token& stop);
  std::vector<int> sockets() const;
  void acceptPending();
  bool makeRoom(std::uint32_t address);
  void readPending();
  bool stillPending(PendingPeer& peer);
  void admit(PendingPeer& pending, const ServerHandshake::Joiner& joiner);
  void stopAccepting();
  void receive(std::size_t index);
  void detectEarlyExit();
  void handleMessage(std::size_t index, char kind, std::string body);
  void excludeStall(double seconds);
  void checkHeartbeats();
  void breakChannel(const Error& why, bool lost);
  void append(const std::string& entry) REQUIRES(mutex_);
  void sendToAll(char kind, std::string_view body) REQUIRES(mutex_);

  const std::int64_t rank_;
  const std::int64_t size_;
  Endpoint endpoint_;
  // Used by the channel's thread only, once it runs.
  FileDescriptor listener_;
  std::vector<PendingPeer> pending_;

  std::vector<Peer> peers_ GUARDED_BY(mutex_);              // rank 0: all others, by rank - 1; others: rank 0
  std::uint64_t arrivals_ GUARDED_BY(mutex_) = 0;           // of this rank
  std::string section_ GUARDED_BY(mutex_) = kFirstSection;  // last reported
  double silenceLimitSec_ GUARDED_BY(mutex_) = 0;
  double lastHeartbeatSec_ GUARDED_BY(mutex_) = 0;  // when this rank sent its last heartbeat
  std::jthread server_;                             // last member: joined first
};

}  // namespace batchwise
