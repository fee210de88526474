// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace batchwise {

/// A connection to rank 0 whose other end has not proven yet that it is a rank of the run.
struct PendingConnection {
  std::uint32_t address = 0;  ///< IPv4 address of the other end, in any byte order
  double progressSec = 0;     ///< when it was accepted, or when its hello was answered
  bool greeted = false;       ///< its hello was answered: its proof is awaited
};

/// Returns the index of the connection that makes room for a newcomer from `address`; nothing if none does and the
/// newcomer is to be refused. A rank answers a challenge at once, and nobody else can: a connection is idle if it has
/// not come further for a second, or has sent no hello for a fifth of one. The longest idle connection of the address
/// that has most of them goes first. One that is not idle goes only if its address has more connections than the
/// newcomer's and than the run has `ranks`; so a rank within its handshake stays, however many others come. Pure.
std::optional<std::size_t> connectionToDrop(const std::vector<PendingConnection>& pending, std::uint32_t address,
                                            std::int64_t ranks, double nowSec);

}  // namespace batchwise
