// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchwise {

enum class DataOrder { File, Shuffled };

/// The order of the samples of one epoch as a pure function of (seed, epoch): a keyed bijection of blocks of 4,096
/// samples, then one within windows of blocks, so that a seek costs nothing and neighbours stay near on disk. No memory.
/// A value; any thread.
class EpochOrder {
 public:
  EpochOrder(std::int64_t samples, std::uint64_t seed, std::int64_t epoch, DataOrder order);
  /// The sample at a place of the epoch. 0 <= place < samples.
  std::int64_t sampleAt(std::int64_t place) const;

 private:
  std::int64_t samples_;
  std::uint64_t key_;
  DataOrder order_;
};

}  // namespace batchwise
