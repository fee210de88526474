// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/batch/packing.h"
#include "core/batch/unit_source.h"
#include "core/config/train_config.h"

namespace batchwise {

/// A sample that is in no pack of an epoch.
struct SkippedSample {
  std::int64_t sample = 0;
  std::int64_t length = 0;
  std::string why;
};

/// `batch.tokens` as rules. Fails with Config, naming the field: words that are not known, min above max, a budget
/// below 1, packs of one size together with best_fit or in global batches above a window. `globalUnits`: packs per
/// global batch.
Result<PackRules> packRules(const TokenBudgetConfig& config, std::int64_t globalUnits);

/// Packs under a token budget. An epoch's order is cut into windows of 2^18 places that are packed each for itself, so
/// that a place costs one window wherever it is; a small table per epoch (packs, samples, tokens per window) is made as
/// far as it is asked for and kept. `seqlen` sorts the whole set once. Where global batches hold packs of one size, a
/// window ends with a whole group, and the few sequences left over belong to the next one. Any thread.
class PackSource final : public UnitSource {
 public:
  static constexpr std::int64_t kWindow = std::int64_t{1} << 18;

  /// Fails with Config if no sample fits the budget.
  static Result<std::shared_ptr<const PackSource>> make(const TrainConfig& config,
                                                        std::shared_ptr<const Lengths> lengths, const PackRules& rules);
  ~PackSource() override;

  std::int64_t unitsUpTo(std::int64_t epoch, std::int64_t most) const override;
  bool sameEveryEpoch() const override;
  std::int64_t reach() const override;
  UnitCounts before(std::int64_t epoch, std::int64_t units) const override;
  UnitSlice take(std::int64_t epoch, const UnitCursor& from, std::int64_t units) const override;
  std::vector<std::vector<std::int64_t>> members(std::int64_t epoch, const UnitCursor& from,
                                                 std::int64_t units) const override;

  /// The samples that are not longer than the budget, and their tokens.
  UnitCounts usable() const;
  /// The most samples in a pack of the epoch. Of an epoch of many windows some are looked at, spread over it.
  std::int64_t mostSamples(std::int64_t epoch) const;
  /// Real tokens / (packs x max_tokens) of an epoch.
  double fill(std::int64_t epoch) const;
  /// Samples that no pack of the epoch holds, in the epoch's order.
  std::vector<SkippedSample> skipped(std::int64_t epoch) const;

 private:
  struct Window;
  struct EpochTable;
  struct State;
  explicit PackSource(std::unique_ptr<State> state);
  std::shared_ptr<const Window> windowAt(std::int64_t epoch, std::int64_t window) const;
  std::shared_ptr<const Window> packWindow(std::int64_t epoch, std::int64_t window, std::int64_t begin) const;
  /// The table as far as it holds `packs` packs, or `window` windows; the whole epoch if there are fewer.
  std::shared_ptr<const EpochTable> tableWith(std::int64_t epoch, std::int64_t packs) const;
  std::shared_ptr<const EpochTable> tableUpTo(std::int64_t epoch, std::int64_t window) const;
  std::shared_ptr<const EpochTable> extendedTable(std::int64_t epoch,
                                                  const std::function<bool(const EpochTable&)>& enough) const;
  /// The window and the pack in it that a cursor points at; a window behind the last at the end of the epoch.
  struct Place {
    std::int64_t window = 0;
    std::int64_t pack = 0;
  };
  Place placeOf(std::int64_t epoch, const UnitCursor& from) const;
  std::int64_t windows() const;

  std::unique_ptr<State> state_;
};

}  // namespace batchwise
