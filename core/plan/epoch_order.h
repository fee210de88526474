// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace batchwise {

enum class DataOrder { File, Shuffled };

/// A keyed bijection of [0, size): a Feistel network over the next power of two with cycle walking (Black and Rogaway
/// 2002, section 3). Needs no memory. A value. Thread-safe.
class KeyedBijection {
 public:
  KeyedBijection(std::int64_t size, std::uint64_t key);
  /// Requires 0 <= place < size.
  std::int64_t at(std::int64_t place) const;
  /// Inverse of at().
  std::int64_t placeOf(std::int64_t value) const;

 private:
  static constexpr int kRounds = 4;
  std::uint64_t forward(std::uint64_t word) const;
  std::uint64_t backward(std::uint64_t word) const;
  std::uint64_t size_;
  int lowBits_;
  int highBits_;
  std::array<std::uint64_t, kRounds> keys_;
};

/// The order of an epoch's samples as a pure function of (seed, epoch): a keyed bijection of blocks of 4,096 samples,
/// then one within windows of 16 blocks, so that seeking is free and neighbors stay near each other on disk. Needs no
/// memory. A value. Thread-safe.
class EpochOrder {
 public:
  static constexpr std::int64_t kBlock = 4096;  ///< samples of a block; the last block of the data may be shorter

  EpochOrder(std::int64_t samples, std::uint64_t seed, std::int64_t epoch, DataOrder order);
  /// Returns the sample at a position of the epoch. Requires 0 <= place < samples.
  std::int64_t sampleAt(std::int64_t place) const;
  /// Writes sampleAt(first), sampleAt(first + 1), ... to `out`; several times faster than single calls.
  void samplesFrom(std::int64_t first, std::span<std::int64_t> out) const;

  /// The whole blocks before the window that holds a position: blockAt(0) to blockAt(blocks - 1) in some order.
  struct LeadingBlocks {
    std::int64_t blocks = 0;
    std::int64_t places = 0;  ///< positions that they take
  };
  LeadingBlocks leadingBlocks(std::int64_t place) const;
  /// Returns the block in a slot of the order of blocks: samples [kBlock x block, kBlock x (block + 1)).
  std::int64_t blockAt(std::int64_t slot) const { return order_ == DataOrder::File ? slot : blocks_.at(slot); }

 private:
  /// 16 blocks that are shuffled together: their position and the bijection inside.
  struct Window;
  Window windowOf(std::int64_t place) const;
  std::int64_t stretched(std::int64_t place) const;

  std::int64_t samples_;
  std::uint64_t key_;
  DataOrder order_;
  std::int64_t shortBlockSamples_;  ///< in the block that holds the last samples
  KeyedBijection blocks_;
  std::int64_t shortSlot_;  ///< position of that block in the order of blocks
};

}  // namespace batchwise
