// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/base/file.h"
#include "core/dist/communicator.h"

namespace batchwise {

/// Where the processes of a run meet: at the c10d::TCPStore of rank 0, or at one that the launcher serves. Who can
/// connect there can take part: ranks trust their network, as those of torchrun do.
struct MeetingPoint {
  std::string host;
  int port = 0;
  bool servedByLauncher = false;
  bool onOneMachine = false;         ///< all ranks: rank 0 then listens on the loopback interface only
  std::string prefix = "batchwise";  ///< of all keys: another one for each start at a store that outlives it

  std::string text() const { return host + ":" + std::to_string(port); }
};

/// Opens the port of rank 0, and sets it if it was 0 (any free one). Fails with Io, also if it is in use.
Result<FileDescriptor> openRankPort(MeetingPoint& point);

/// Control line between processes, over a key-value store: texts are keys, and a thread per process writes a heartbeat
/// and looks for those that ended. A process that ends without a goodbye breaks the line: within half a second if it
/// was rank 0 or a rank of this machine sees it, else after the silence limit. One that is only stopped does not; see
/// missing().
/// abandon() adds the name of its rank to the error; the destructor says goodbye, so that the other ranks do not count
/// this one as lost, and that of rank 0 waits for the goodbyes of the others for a few seconds.
class StoreLine : public RankLine {
 public:
  /// Meets the other ranks, each of which calls this with the same `version`, and compares what they count and run.
  /// `port`: of rank 0, unless the launcher serves the store. Fails with Device, naming ranks that have not come within
  /// `timeoutSec`, or with Config or Unsupported if the ranks do not belong together.
  static Result<std::shared_ptr<StoreLine>> connect(std::int64_t rank, std::int64_t size, const MeetingPoint& point,
                                                    const std::string& version, double timeoutSec,
                                                    FileDescriptor port = {});

  /// Once: sets the silence after which rank 0, or for rank 0 one whose process cannot be seen from here, counts as
  /// lost; none does before. Time during which this process was suspended does not count, because a scheduler may
  /// suspend all ranks and resume them one by one.
  virtual void setSilenceLimit(double seconds) = 0;
  /// For rank 0: describes ranks that have not arrived at the current operation or are silent, with their last section.
  /// Empty if there are none.
  virtual std::string missing() const = 0;
  /// For rank 0: returns whether nothing has come from a rank for so long that it is probably gone.
  virtual bool hasSilentRank() const = 0;
  /// Returns a further connection to the store, for c10d. Throws c10::Error.
  virtual c10::intrusive_ptr<c10d::Store> openStore() const = 0;

  /// Of all texts of an exchange together: a larger one breaks the line, with Unsupported.
  static constexpr std::size_t kMostBytes = 7 << 20;

 protected:
  using RankLine::RankLine;
};

}  // namespace batchwise
