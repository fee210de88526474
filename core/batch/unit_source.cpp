// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/unit_source.h"

#include <algorithm>

#include "core/base/mutex.h"

namespace batchwise {
namespace {

constexpr std::int64_t kPlacesPerSum = 65'536;
constexpr std::size_t kEpochsKept = 4;

bool equalLengths(const Lengths& lengths) {
  __extension__ using Wide = __int128;
  return Wide{lengths.longest()} * lengths.size() == Wide{lengths.totalTokens()};
}

}  // namespace

struct SampleSource::Cache {
  struct Epoch {
    std::int64_t epoch;
    std::shared_ptr<const std::vector<std::int64_t>> sums;  ///< tokens before position k x kPlacesPerSum
  };
  Mutex mutex;
  std::vector<Epoch> epochs GUARDED_BY(mutex);  ///< most recently used last
};

SampleSource::SampleSource(std::shared_ptr<const Lengths> lengths, std::uint64_t seed, DataOrder order)
    : lengths_(std::move(lengths)), seed_(seed), order_(order), cache_(std::make_unique<Cache>()) {
  if (equalLengths(*lengths_)) equalTokens_ = lengths_->longest();
}

SampleSource::~SampleSource() = default;

std::int64_t SampleSource::unitsUpTo(std::int64_t, std::int64_t most) const {
  return std::min(most, lengths_->size());
}

EpochOrder SampleSource::orderOf(std::int64_t epoch) const {
  return {lengths_->size(), seed_, epoch, order_};
}

std::int64_t SampleSource::tokensBetween(std::int64_t epoch, std::int64_t first, std::int64_t last) const {
  if (equalTokens_) return (last - first) * *equalTokens_;
  const EpochOrder order = orderOf(epoch);
  std::int64_t tokens = 0;
  for (std::int64_t place = first; place < last; ++place) tokens += lengths_->at(order.sampleAt(place));
  return tokens;
}

UnitCounts SampleSource::before(std::int64_t epoch, std::int64_t units) const {
  const std::int64_t end = std::min(units, lengths_->size());
  if (equalTokens_) return {end, end * *equalTokens_};
  if (end == lengths_->size()) return {end, lengths_->totalTokens()};
  if (end < kPlacesPerSum) return {end, tokensBetween(epoch, 0, end)};
  const std::int64_t key = order_ == DataOrder::File ? 0 : epoch;
  std::shared_ptr<const std::vector<std::int64_t>> sums;
  {
    const MutexLock lock(cache_->mutex);
    for (const Cache::Epoch& known : cache_->epochs)
      if (known.epoch == key) sums = known.sums;
  }
  if (!sums) {
    auto made = std::make_shared<std::vector<std::int64_t>>(1, 0);
    for (std::int64_t place = 0; place < lengths_->size(); place += kPlacesPerSum)
      made->push_back(made->back() + tokensBetween(key, place, std::min(place + kPlacesPerSum, lengths_->size())));
    sums = std::move(made);
    const MutexLock lock(cache_->mutex);
    if (cache_->epochs.size() == kEpochsKept) cache_->epochs.erase(cache_->epochs.begin());
    cache_->epochs.push_back({key, sums});
  }
  const std::int64_t known = end / kPlacesPerSum;
  return {end, (*sums)[static_cast<std::size_t>(known)] + tokensBetween(epoch, known * kPlacesPerSum, end)};
}

UnitSlice SampleSource::take(std::int64_t epoch, const UnitCursor& from, std::int64_t units) const {
  const std::int64_t taken = std::clamp<std::int64_t>(lengths_->size() - from.unit, 0, units);
  return {taken, {taken, tokensBetween(epoch, from.unit, from.unit + taken)}, from.unit + taken >= lengths_->size()};
}

std::vector<std::vector<std::int64_t>> SampleSource::members(std::int64_t epoch, const UnitCursor& from,
                                                             std::int64_t units) const {
  const EpochOrder order = orderOf(epoch);
  const std::int64_t end = std::min(from.unit + units, lengths_->size());
  std::vector<std::vector<std::int64_t>> samples;
  samples.reserve(static_cast<std::size_t>(std::max<std::int64_t>(0, end - from.unit)));
  for (std::int64_t place = from.unit; place < end; ++place) samples.push_back({order.sampleAt(place)});
  return samples;
}

}  // namespace batchwise
