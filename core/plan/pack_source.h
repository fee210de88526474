// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/config/train_config.h"
#include "core/plan/epoch_order.h"
#include "core/plan/packing.h"

namespace batchwise {

/// A sample in no pack of an epoch.
struct SkippedSample {
  std::int64_t sample = 0;
  std::int64_t length = 0;
  std::string why;
};

/// Converts `batch.tokens` to rules. Fails with Config, naming the field, for min above max, a budget
/// below 1, and packs of equal size combined with best_fit or with global batches larger than a window. `globalUnits`:
/// packs per global batch.
Result<PackRules> packRules(const TokenBudgetConfig& config, std::int64_t globalUnits);

/// Packs under a token budget. An epoch's order is divided into windows of 2^18 positions that are packed separately,
/// so that random access packs a single window. A small table per epoch (packs, samples, tokens per window) is built on
/// demand and cached. `seqlen` sorts the whole data set once. If global batches hold packs of one size, a window ends
/// with a whole group and passes remaining sequences to the next. Thread-safe.
class PackSource final : public UnitSource {
 public:
  static constexpr std::int64_t kWindow = std::int64_t{1} << 18;

  /// Fails with Config if no sample fits the budget.
  static Result<std::shared_ptr<const PackSource>> make(const TrainConfig& config,
                                                        std::shared_ptr<const Lengths> lengths, const PackRules& rules);
  ~PackSource() override;

  std::int64_t unitsUpTo(std::int64_t epoch, std::int64_t most) const override;
  bool sameEveryEpoch() const override;
  std::int64_t lookaheadSamples() const override;
  std::int64_t samplesBefore(std::int64_t epoch, std::int64_t units) const override {
    return before(epoch, units).samples;
  }
  UnitCounts before(std::int64_t epoch, std::int64_t units) const override;
  UnitSlice take(std::int64_t epoch, const UnitCursor& from, std::int64_t units) const override;
  std::vector<std::vector<std::int64_t>> members(std::int64_t epoch, const UnitCursor& from,
                                                 std::int64_t units) const override;

  /// Returns the samples within the budget, and their tokens.
  UnitCounts usable() const;
  /// Returns the maximum number of samples in a pack of the epoch. Of an epoch of many windows, only some are sampled.
  std::int64_t maxSamplesPerPack(std::int64_t epoch) const;
  struct Mean {
    double samples = 1.0;
    double tokens = 1.0;
  };
  /// Returns the mean pack of the epoch. Of an epoch of many windows, only some are sampled.
  Mean mean(std::int64_t epoch) const;
  /// Returns real tokens / (packs x max_tokens) of an epoch.
  double fill(std::int64_t epoch) const;
  /// Returns the samples in no pack of the epoch, in the epoch's order.
  std::vector<SkippedSample> skipped(std::int64_t epoch) const;

 private:
  struct Window;
  struct EpochTable;
  struct State;
  explicit PackSource(std::unique_ptr<State> state);
  /// Returns all windows of an epoch, or some of many.
  std::vector<std::shared_ptr<const Window>> sampledWindows(std::int64_t epoch) const;
  std::shared_ptr<const Window> windowAt(std::int64_t epoch, std::int64_t window) const;
  std::shared_ptr<const Window> packWindow(std::int64_t epoch, std::int64_t window, std::int64_t begin) const;
  /// Returns the table with at least `packs` packs; the whole epoch if it has fewer.
  std::shared_ptr<const EpochTable> tableWith(std::int64_t epoch, std::int64_t packs) const;
  /// Returns the table extended until it is `enough`, or the whole epoch.
  std::shared_ptr<const EpochTable> extendedTable(std::int64_t epoch,
                                                  const std::function<bool(const EpochTable&)>& enough) const;
  /// The window and pack that a cursor refers to; the window after the last at the end of the epoch.
  struct Place {
    std::int64_t window = 0;
    std::int64_t pack = 0;
  };
  Place placeOf(std::int64_t epoch, const UnitCursor& from) const;
  std::int64_t windows() const;

  std::unique_ptr<State> state_;
};

}  // namespace batchwise
