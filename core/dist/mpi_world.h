// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// All processes of an MPI launch, without MPI's header. Comes out of libbatchwise_mpi.so, a library of its own that is
/// loaded when a launch is there: nothing else is linked to MPI. One thread at a time.
class MpiWorld {
 public:
  enum class Number { Float32, Float64, Int64 };
  /// What has been started and is not yet known to be done. Memory that it works on must stay until then.
  class Pending {
   public:
    virtual ~Pending() = default;
    /// Goes on with it; true once it is done. Fails with Device.
    virtual Result<bool> advance() = 0;
  };

  virtual ~MpiWorld() = default;
  virtual std::int64_t rank() const = 0;
  virtual std::int64_t size() const = 0;
  /// Adds up `count` numbers over the ranks, in place.
  virtual Result<std::unique_ptr<Pending>> startSum(void* numbers, std::int64_t count, Number kind) = 0;
  /// Gives `bytes` of rank 0 to all.
  virtual Result<std::unique_ptr<Pending>> startCopy(void* bytes, std::int64_t count) = 0;
  /// Small texts of all ranks to all, in rank order, waiting: before there is anything else to agree by.
  virtual Result<std::vector<std::string>> exchangeTexts(const std::string& own) = 0;
  /// After this the processes no longer wait for each other at their ends: a rank was lost.
  virtual void giveUp() = 0;
};

/// Loads libbatchwise_mpi.so from beside this program or library, and starts MPI in this process. Fails with
/// Unsupported, saying what is missing; with Device if MPI does not start. Once per process.
Result<std::shared_ptr<MpiWorld>> openMpiWorld();

/// The symbol that the library exports.
constexpr const char* kMakeMpiWorldSymbol = "batchwiseMakeMpiWorld";
using MakeMpiWorldFunction = MpiWorld* (*)(std::string* error);  ///< null with words in `error`; the caller owns it

}  // namespace batchwise
