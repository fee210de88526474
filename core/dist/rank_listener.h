// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <poll.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/dist/rank_handshake.h"
#include "core/dist/rank_messages.h"

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

/// Listening socket of rank 0: authenticates connecting ranks by the secret (rank_handshake.h), and closes its port
/// once all ranks have joined. An unauthenticated peer can send at most 512 bytes within 10 s and blocks nobody; of too
/// many, the longest idle are dropped (connectionToDrop()). Not thread-safe.
class RankListener {
 public:
  struct Joined {
    ServerHandshake::Joiner rank;
    RankSocket socket;
  };

  /// For `size` ranks with 0. `port` 0: any free one. Fails with Io, also if the port is in use.
  static Result<RankListener> open(std::int64_t size, std::string secret, int port);

  int port() const { return port_; }
  void addTo(std::vector<pollfd>& watched) const;
  /// Accepts and reads what has come, and returns ranks that have proved who they are; each rank once. `timeSec`: of
  /// any clock.
  std::vector<Joined> poll(double timeSec);

 private:
  struct PendingPeer {
    RankSocket socket;
    ServerHandshake handshake;
    double sinceSec = 0;
    PendingConnection connection;
  };
  RankListener(FileDescriptor socket, int port, std::int64_t size, std::string secret)
      : socket_(std::move(socket)), port_(port), secret_(std::move(secret)), joined_(static_cast<std::size_t>(size)) {}
  std::int64_t size() const { return std::ssize(joined_); }
  void accept(double timeSec);
  bool makeRoom(std::uint32_t address, double timeSec);
  bool isPending(PendingPeer& peer, double timeSec, std::vector<Joined>& joined);

  FileDescriptor socket_;
  int port_;
  std::string secret_;
  std::vector<bool> joined_;  // by rank; never 0
  std::vector<PendingPeer> pending_;
};

}  // namespace batchwise
