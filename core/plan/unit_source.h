// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/plan/epoch_order.h"
#include "core/plan/lengths.h"

namespace batchwise {

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
