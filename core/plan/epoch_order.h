// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/plan/lengths.h"

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

/// Beyond the end of any run.
constexpr std::int64_t kFarthestSample = std::int64_t{1} << 50;
/// Upper bound of token counts, so that sums of a few of them fit 64 bits.
constexpr std::int64_t kMaxCountedTokens = std::int64_t{1} << 61;

/// Returns kFarthestSample, or less where samples of `longest` tokens would exceed kMaxCountedTokens.
constexpr std::int64_t farthestSample(std::uint32_t longest) {
  return longest <= kMaxCountedTokens / kFarthestSample ? kFarthestSample : kMaxCountedTokens / longest;
}

/// Samples and tokens of a range of units.
struct UnitCounts {
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
};

/// A position in an epoch, in units and samples: packs locate their window by the samples.
struct UnitCursor {
  std::int64_t unit = 0;
  std::int64_t sample = 0;
};

/// Units after a cursor.
struct UnitSlice {
  std::int64_t units = 0;  ///< as many as requested, fewer at the end of the epoch
  UnitCounts counts;
  bool reachesEnd = false;  ///< no unit of the epoch is left after it
};

/// The units of a plan by epoch: samples, or packs under a token budget. Pure functions of (lengths, seed, epoch);
/// results may be cached. Thread-safe.
class UnitSource {
 public:
  virtual ~UnitSource() = default;

  /// Returns the number of units of an epoch, or `most` if it has more.
  virtual std::int64_t unitsUpTo(std::int64_t epoch, std::int64_t most) const = 0;
  /// Returns whether all epochs have equal numbers of units, samples and tokens.
  virtual bool sameEveryEpoch() const = 0;
  /// Returns how many samples from the start of the run a search may look ahead.
  virtual std::int64_t lookaheadSamples() const = 0;
  /// Returns the samples of the first `units` units of an epoch.
  virtual std::int64_t samplesBefore(std::int64_t epoch, std::int64_t units) const = 0;
  /// Returns the same with their tokens, which takes longer.
  virtual UnitCounts before(std::int64_t epoch, std::int64_t units) const = 0;
  /// Returns the next `units` units after `from`; fewer at the end of the epoch.
  virtual UnitSlice take(std::int64_t epoch, const UnitCursor& from, std::int64_t units) const = 0;
  /// Returns the samples of those units, unit by unit, in the order in which a step places them.
  virtual std::vector<std::vector<std::int64_t>> members(std::int64_t epoch, const UnitCursor& from,
                                                         std::int64_t units) const = 0;
};

/// Each sample is one unit. Tokens far from a cursor are summed by blocks of EpochOrder, whose sums are made on first
/// use; equal lengths need none.
class SampleSource final : public UnitSource {
 public:
  SampleSource(std::shared_ptr<const Lengths> lengths, std::uint64_t seed, DataOrder order);

  std::int64_t unitsUpTo(std::int64_t epoch, std::int64_t most) const override;
  bool sameEveryEpoch() const override { return true; }
  std::int64_t lookaheadSamples() const override { return farthestSample(lengths_->longest()); }
  std::int64_t samplesBefore(std::int64_t, std::int64_t units) const override {
    return std::min(units, lengths_->size());
  }
  UnitCounts before(std::int64_t epoch, std::int64_t units) const override;
  UnitSlice take(std::int64_t epoch, const UnitCursor& from, std::int64_t units) const override;
  std::vector<std::vector<std::int64_t>> members(std::int64_t epoch, const UnitCursor& from,
                                                 std::int64_t units) const override;

 private:
  std::int64_t tokensBetween(std::int64_t epoch, std::int64_t first, std::int64_t last) const;
  const std::vector<std::int64_t>& blockTokens() const;
  EpochOrder orderOf(std::int64_t epoch) const;

  std::shared_ptr<const Lengths> lengths_;
  std::uint64_t seed_;
  DataOrder order_;
  std::optional<std::int64_t> equalTokens_;  ///< set if all samples have this length
  mutable std::once_flag blocksSummed_;
  mutable std::vector<std::int64_t> blockTokens_;
};

}  // namespace batchwise
