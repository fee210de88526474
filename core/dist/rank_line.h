// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/dist/pending_connections.h"
#include "core/dist/rank_handshake.h"

namespace batchwise {

/// The wire on which the processes of a run agree with each other, beside the one that carries tensors: a connection
/// from each rank to rank 0, which also shows at once when a process is gone, and lets rank 0 name who is missing. A
/// thread per process serves it. Texts are exchanged by one thread per rank, all ranks in the same order; everything
/// else from any thread.
///
/// Rank 0 listens until all ranks have joined and then closes its port. Both ends prove that they know the secret
/// before either sends or takes anything else (rank_handshake.h). An unproven peer can send 512 bytes in 10 s, and
/// delays nobody; of many the longest idle ones are dropped (pending_connections.h).
class RankLine {
 public:
  struct Place {
    std::string host;
    int port = 0;
    std::string secret;  ///< never sent
  };
  /// Who can reach rank 0's port.
  enum class Reach { ThisHost, Network };
  /// Told once, from the line's thread, when a rank has given up (abandon()) or was lost.
  using OnBroken = std::function<void(const Error& why, bool lost)>;

  /// Rank 0: opens a port (`port` 0: any free one) and waits for nobody yet. Fails with Io, also if another program has
  /// the port.
  static Result<std::unique_ptr<RankLine>> lead(std::int64_t size, std::string secret, Reach reach = Reach::Network,
                                                int port = 0);
  /// The others: connects, trying for `connectSec` if given, and waits to be let in, all in all for `patienceSec`: a
  /// busy machine may take long to answer. Fails with Device, at once if what listens there is not rank 0 of this run.
  static Result<std::unique_ptr<RankLine>> join(const Place& place, std::int64_t rank, std::int64_t size,
                                                double patienceSec, std::optional<double> connectSec = {});
  RankLine(const RankLine&) = delete;
  RankLine& operator=(const RankLine&) = delete;
  /// Says goodbye: the others do not take this rank for lost.
  ~RankLine();

  std::int64_t rank() const { return rank_; }
  std::int64_t size() const { return size_; }
  /// Where the others find rank 0.
  const Place& place() const { return place_; }

  /// Rank 0: waits until all ranks have connected. Fails with Device, naming those that have not.
  Result<void> awaitAll(double patienceSec);
  /// Nothing told any more with an empty function; waits until what is being told has been.
  void onBroken(OnBroken told);
  /// The others: silence of rank 0 for so long counts as its loss. 0: never. Time in which this process stood still
  /// itself is no silence: all ranks of a run may be stopped and go on later, one before the other.
  void setSilenceLimit(double seconds);

  /// Every rank gets the texts of all, in rank order. Waits. Fails with Device once the line is broken, also by a rank
  /// that has ended before it came to what another waits in.
  Result<std::vector<std::string>> exchange(const std::string& own);
  /// Tells rank 0 that this rank begins with something that all ranks do together, as the sum of a step's gradients.
  void arrive();
  /// Tells rank 0 what this rank is busy with.
  void enter(std::string_view section);
  /// Breaks the line: every rank's calls fail with `why` from now on, which gets the rank's name.
  void abandon(const Error& why);

  /// Why the line is broken; nothing while it is whole.
  std::optional<Error> trouble() const;
  /// The line broke because a rank vanished, not because one gave up.
  bool lostRank() const;
  /// Rank 0: the ranks that have not come to what rank 0 waits in, or are silent, with what they were last busy with.
  /// Empty if none.
  std::string missing() const;

 private:
  struct Peer {
    bool send(char kind, std::string_view body);

    FileDescriptor socket;
    std::string name;     // "rank 1 (process 77 on node3)"
    std::string section;  // what it was last busy with
    std::string unread;
    std::deque<std::string> texts;  // come and not yet taken
    std::uint64_t arrivals = 0;     // of arrive() and exchange()
    double heardSec = 0;            // when it last said anything
    bool joined = false;
    bool left = false;  // said goodbye
    bool deaf = false;  // what was sent to it could not be
  };
  /// Who has connected and not yet proven who it is.
  struct PendingPeer {
    FileDescriptor socket;
    LeadingHandshake handshake;
    std::string unread;
    double sinceSec = 0;
    PendingConnection connection;
  };

  RankLine(std::int64_t rank, std::int64_t size, Place place);
  void serve(const std::stop_token& stop);
  std::vector<int> sockets() const;
  void acceptPending();
  bool makeRoom(std::uint32_t address);
  void readPending();
  bool stillPending(PendingPeer& peer);
  void letIn(PendingPeer& pending, const LeadingHandshake::Joiner& joiner);
  void stopAccepting();
  void hear(std::size_t index);
  void noticeWhoLeft();
  void take(std::size_t index, char kind, std::string body);
  void allowForStandstill(double seconds);
  void beatAndListen();
  void breakWith(const Error& why, bool lost);
  void sendToAll(char kind, std::string_view body) REQUIRES(mutex_);

  const std::int64_t rank_;
  const std::int64_t size_;
  Place place_;
  // Of the line's thread, as soon as it runs.
  FileDescriptor listener_;
  std::vector<PendingPeer> pending_;

  Mutex tellMutex_;  // guards onBroken_; never taken while mutex_ is held
  OnBroken onBroken_ GUARDED_BY(tellMutex_);
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Peer> peers_ GUARDED_BY(mutex_);     // of rank 0: all others, by rank - 1; of the others: rank 0 alone
  std::uint64_t arrivals_ GUARDED_BY(mutex_) = 0;  // of this rank
  std::string section_ GUARDED_BY(mutex_);         // last told
  std::optional<Error> broken_ GUARDED_BY(mutex_);
  bool lost_ GUARDED_BY(mutex_) = false;
  double silenceLimitSec_ GUARDED_BY(mutex_) = 0;
  double beatSec_ GUARDED_BY(mutex_) = 0;  // when this rank last told that it lives
  std::jthread server_;                    // last: ends first
};

}  // namespace batchwise
