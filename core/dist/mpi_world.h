// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

class Communicator;
class RankLine;

/// All processes of an MPI launch. Implemented in libbatchwise_mpi.so, which is loaded only within an MPI launch;
/// nothing else links MPI. Not thread-safe.
class MpiWorld {
 public:
  enum class Operation { SumFloat32, SumFloat64, SumInt64, Broadcast };
  /// A sum over the ranks or a broadcast from rank 0, in place.
  struct Collective {
    Operation operation;
    void* memory = nullptr;
    std::int64_t bytes = 0;
  };

  virtual ~MpiWorld() = default;
  virtual std::int64_t rank() const = 0;
  virtual std::int64_t size() const = 0;
  /// Runs collectives of any size, and polls until all are complete. Fails with Device, or with the error that `broken`
  /// returns meanwhile; the destructor then skips MPI_Finalize, which would wait for a lost rank forever.
  virtual Result<void> run(const std::vector<Collective>& collectives,
                           const std::function<std::optional<Error>()>& broken) = 0;
  /// Blocking all-gather of short texts, in rank order; for the setup of other channels.
  virtual Result<std::vector<std::string>> allGatherTexts(const std::string& own) = 0;
  /// Skips MPI_Finalize in the destructor, because a rank was lost.
  virtual void skipFinalize() = 0;
};

/// Loads libbatchwise_mpi.so from the folder of this program or library and initializes MPI. Call once per process.
/// Fails with Unsupported if the library is missing or unusable, Device if MPI cannot be initialized.
Result<std::shared_ptr<MpiWorld>> openMpiWorld();
/// Exported by the library. Null: failed, see `error`; the caller owns the result.
using MakeMpiWorldFunction = MpiWorld* (*)(std::string* error);

/// Communicator for ranks on CPUs: tensors and values are summed by MPI, until the line breaks.
std::unique_ptr<Communicator> makeMpiCommunicator(const std::shared_ptr<MpiWorld>& world,
                                                  const std::shared_ptr<RankLine>& line);

}  // namespace batchwise
