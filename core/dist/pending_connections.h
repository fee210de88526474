// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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
                                            std::int64_t ranks, double nowSec);

}  // namespace batchwise
