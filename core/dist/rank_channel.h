// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/dist/rank_line.h"

namespace batchwise {

/// Control line between processes: one connection from each rank to rank 0. It detects lost processes and lets rank 0
/// name missing ranks. Served by a thread per process. Both ends authenticate by the secret before anything else.
/// abandon() adds the name of its rank to the error; the destructor sends a goodbye, so that the other ranks do not
/// count this one as lost.
class RankChannel : public RankLine {
 public:
  struct Endpoint {
    std::string host;
    int port = 0;
    std::string secret;  ///< never sent
  };

  /// For rank 0: listens on `port` (0: any free port) until all ranks have joined, and returns at once. Fails with Io,
  /// also if the port is in use.
  static Result<std::shared_ptr<RankChannel>> lead(std::int64_t size, std::string secret, int port = 0);
  /// For other ranks: connects, retrying for `connectSec` if given, and authenticates, within `timeoutSec` in total.
  /// Fails with Device; at once if the program at `endpoint` is not rank 0 of this run.
  static Result<std::shared_ptr<RankChannel>> join(const Endpoint& endpoint, std::int64_t rank, std::int64_t size,
                                                   double timeoutSec, std::optional<double> connectSec = {});

  /// Where rank 0 listens.
  virtual const Endpoint& endpoint() const = 0;
  /// For rank 0: waits until all ranks have connected. Fails with Device, naming missing ranks.
  virtual Result<void> awaitAll(double timeoutSec) = 0;
  /// For other ranks: sets the silence after which rank 0 counts as lost; 0: never. Time during which this process was
  /// suspended does not count, because a scheduler may suspend all ranks and resume them one by one.
  virtual void setSilenceLimit(double seconds) = 0;
  /// For rank 0: describes ranks that have not arrived at the current operation or are silent, with their last section.
  /// Empty if there are none.
  virtual std::string missing() const = 0;
  /// Returns whether nothing has come from a rank for so long that it is probably gone. Of rank 0; else false.
  virtual bool hasSilentRank() const = 0;

 protected:
  using RankLine::RankLine;
};

}  // namespace batchwise
