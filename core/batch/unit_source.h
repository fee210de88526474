// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/batch/epoch_order.h"
#include "core/batch/lengths.h"

namespace batchwise {

/// Far enough for any run.
constexpr std::int64_t kFarthestSample = std::int64_t{1} << 50;
/// Counts of tokens stay below, so that sums of a few of them fit 64 bits.
constexpr std::int64_t kMostTokens = std::int64_t{1} << 61;

/// kFarthestSample, or less where samples of `longest` tokens would leave kMostTokens.
constexpr std::int64_t farthestSample(std::uint32_t longest) {
  return longest <= kMostTokens / kFarthestSample ? kFarthestSample : kMostTokens / longest;
}

/// Samples and tokens of a stretch of units.
struct UnitCounts {
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
};

/// A place in an epoch, counted both ways: a source of packs finds its window by the samples.
struct UnitCursor {
  std::int64_t unit = 0;
  std::int64_t sample = 0;
};

/// Units that follow a cursor.
struct UnitSlice {
  std::int64_t units = 0;  ///< as many as asked for, less at the end of the epoch
  UnitCounts counts;
  bool reachesEnd = false;  ///< no unit of the epoch is left behind it
};

/// The units that a plan counts in, epoch by epoch: samples, or packs under a token budget. Pure functions of (lengths,
/// seed, epoch); answers may be cached. Any thread.
class UnitSource {
 public:
  virtual ~UnitSource() = default;

  /// How many units an epoch has, counted no further than `most`.
  virtual std::int64_t unitsUpTo(std::int64_t epoch, std::int64_t most) const = 0;
  /// True if all epochs have equally many units, samples and tokens.
  virtual bool sameEveryEpoch() const = 0;
  /// How many samples from the start of the run a search may look ahead.
  virtual std::int64_t reach() const = 0;
  /// Of the first `units` units of an epoch.
  virtual UnitCounts before(std::int64_t epoch, std::int64_t units) const = 0;
  /// The next `units` units behind `from`; fewer at the end of the epoch.
  virtual UnitSlice take(std::int64_t epoch, const UnitCursor& from, std::int64_t units) const = 0;
  /// The samples of those units, unit by unit, in the order in which a step places them.
  virtual std::vector<std::vector<std::int64_t>> members(std::int64_t epoch, const UnitCursor& from,
                                                         std::int64_t units) const = 0;
};

/// One sample is one unit: nothing stored for equal lengths; else, where tokens are asked for far from a cursor, one
/// sum per 65,536 places of the last epochs asked about.
class SampleSource final : public UnitSource {
 public:
  SampleSource(std::shared_ptr<const Lengths> lengths, std::uint64_t seed, DataOrder order);
  ~SampleSource() override;

  std::int64_t unitsUpTo(std::int64_t epoch, std::int64_t most) const override;
  bool sameEveryEpoch() const override { return true; }
  std::int64_t reach() const override { return farthestSample(lengths_->longest()); }
  UnitCounts before(std::int64_t epoch, std::int64_t units) const override;
  UnitSlice take(std::int64_t epoch, const UnitCursor& from, std::int64_t units) const override;
  std::vector<std::vector<std::int64_t>> members(std::int64_t epoch, const UnitCursor& from,
                                                 std::int64_t units) const override;

 private:
  struct Cache;
  std::int64_t tokensBetween(std::int64_t epoch, std::int64_t first, std::int64_t last) const;
  EpochOrder orderOf(std::int64_t epoch) const;

  std::shared_ptr<const Lengths> lengths_;
  std::uint64_t seed_;
  DataOrder order_;
  std::optional<std::int64_t> equalTokens_;  ///< set if all samples have this length
  std::unique_ptr<Cache> cache_;
};

}  // namespace batchwise
