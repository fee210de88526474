// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace batchwise {

enum class DataOrder { File, Shuffled };

/// A bijection of [0, size) chosen by a key: a Feistel network over the next power of two, repeated until the value
/// falls inside (Black and Rogaway 2002, section 3). No memory. A value; any thread.
class KeyedBijection {
 public:
  KeyedBijection(std::int64_t size, std::uint64_t key);
  /// 0 <= place < size.
  std::int64_t at(std::int64_t place) const;
  /// The place that at() maps to `value`.
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

/// The order of the samples of one epoch as a pure function of (seed, epoch): a keyed bijection of blocks of 4,096
/// samples, then one within windows of 16 blocks, so that a seek costs nothing and neighbours stay near on disk. No
/// memory. A value; any thread.
class EpochOrder {
 public:
  EpochOrder(std::int64_t samples, std::uint64_t seed, std::int64_t epoch, DataOrder order);
  /// The sample at a place of the epoch. 0 <= place < samples.
  std::int64_t sampleAt(std::int64_t place) const;
  /// sampleAt(first), sampleAt(first + 1), ... into `out`: several times faster than one by one.
  void samplesFrom(std::int64_t first, std::span<std::int64_t> out) const;

 private:
  /// 16 blocks that are mixed with each other: where they stand, and the bijection inside.
  struct Window;
  Window windowOf(std::int64_t place) const;
  std::int64_t stretched(std::int64_t place) const;

  std::int64_t samples_;
  std::uint64_t key_;
  DataOrder order_;
  std::int64_t shortBlockSamples_;  ///< of the block that holds the last samples
  KeyedBijection blocks_;
  std::int64_t shortSlot_;  ///< where that block stands in the order of blocks
};

}  // namespace batchwise
