// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/unit_source.h"

#include <array>
#include <span>

namespace batchwise {
namespace {

bool equalLengths(const Lengths& lengths) {
  __extension__ using Wide = __int128;
  return Wide{lengths.longest()} * lengths.size() == Wide{lengths.totalTokens()};
}

}  // namespace

SampleSource::SampleSource(std::shared_ptr<const Lengths> lengths, std::uint64_t seed, DataOrder order)
    : lengths_(std::move(lengths)), seed_(seed), order_(order) {
  if (equalLengths(*lengths_)) equalTokens_ = lengths_->longest();
}

std::int64_t SampleSource::unitsUpTo(std::int64_t, std::int64_t most) const {
  return std::min(most, lengths_->size());
}

EpochOrder SampleSource::orderOf(std::int64_t epoch) const {
  return {lengths_->size(), seed_, epoch, order_};
}

std::int64_t SampleSource::tokensBetween(std::int64_t epoch, std::int64_t first, std::int64_t last) const {
  if (equalTokens_) return (last - first) * *equalTokens_;
  const EpochOrder order = orderOf(epoch);
  std::array<std::int64_t, 1024> samples{};
  std::int64_t tokens = 0;
  for (std::int64_t place = first; place < last;) {
    const std::span block(samples.data(), std::min(samples.size(), static_cast<std::size_t>(last - place)));
    order.samplesFrom(place, block);
    for (const std::int64_t sample : block) tokens += lengths_->at(sample);
    place += std::ssize(block);
  }
  return tokens;
}

const std::vector<std::int64_t>& SampleSource::blockTokens() const {
  std::call_once(blocksSummed_, [this] {
    for (std::int64_t sample = 0; sample < lengths_->size(); ++sample) {
      if (sample % EpochOrder::kBlock == 0) blockTokens_.push_back(0);
      blockTokens_.back() += lengths_->at(sample);
    }
  });
  return blockTokens_;
}

UnitCounts SampleSource::before(std::int64_t epoch, std::int64_t units) const {
  const std::int64_t end = samplesBefore(epoch, units);
  if (equalTokens_) return {end, end * *equalTokens_};
  if (end == lengths_->size()) return {end, lengths_->totalTokens()};
  const EpochOrder order = orderOf(epoch);
  const auto [blocks, places] = order.leadingBlocks(end);
  std::int64_t tokens = 0;
  for (std::int64_t slot = 0; slot < blocks; ++slot)
    tokens += blockTokens()[static_cast<std::size_t>(order.blockAt(slot))];
  return {end, tokens + tokensBetween(epoch, places, end)};
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
