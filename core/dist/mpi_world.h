// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// All processes of an MPI launch. Implemented in libbatchwise_mpi.so, which is loaded only within an MPI launch;
/// nothing else links MPI. Not thread-safe.
class MpiWorld {
 public:
  enum class Number { Float32, Float64, Int64 };
  /// Makes progress with a running operation; returns true once it is complete. Its memory must stay valid until then.
  /// Fails with Device.
  using Progress = std::function<Result<bool>()>;

  virtual ~MpiWorld() = default;
  virtual std::int64_t rank() const = 0;
  virtual std::int64_t size() const = 0;
  /// Starts an all-reduce sum of `count` numbers, in place.
  virtual Result<Progress> startSum(void* numbers, std::int64_t count, Number kind) = 0;
  /// Starts a broadcast of `count` bytes from rank 0.
  virtual Result<Progress> startCopy(void* bytes, std::int64_t count) = 0;
  /// Blocking all-gather of short texts, in rank order; for the setup of other channels.
  virtual Result<std::vector<std::string>> allGatherTexts(const std::string& own) = 0;
  /// Skips MPI_Finalize in the destructor, because a rank was lost.
  virtual void skipFinalize() = 0;
};

/// Symbol exported by the library.
constexpr const char* kMakeMpiWorldSymbol = "batchwiseMakeMpiWorld";
using MakeMpiWorldFunction = MpiWorld* (*)(std::string* error);  ///< null: failed, see `error`; caller owns

}  // namespace batchwise
