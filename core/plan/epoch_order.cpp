// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/epoch_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "core/base/random.h"

namespace batchwise {
namespace {

constexpr std::int64_t kBlock = EpochOrder::kBlock;
constexpr std::int64_t kWindow = 16 * kBlock;

std::int64_t blockCount(std::int64_t samples) {
  return std::max<std::int64_t>(1, (samples + kBlock - 1) / kBlock);
}

/// Round function of the Feistel network: mixes a few bits well enough at a fraction of mix64's cost.
std::uint64_t roundBits(std::uint64_t half, std::uint64_t key) {
  std::uint64_t word = (half ^ key) * 0x9E3779B97F4A7C15ULL;
  word ^= word >> 29;
  return (word * 0xBF58476D1CE4E5B9ULL) >> 32;
}

bool equalLengths(const Lengths& lengths) {
  __extension__ using Wide = __int128;
  return Wide{lengths.longest()} * lengths.size() == Wide{lengths.totalTokens()};
}

}  // namespace

KeyedBijection::KeyedBijection(std::int64_t size, std::uint64_t key) : size_(static_cast<std::uint64_t>(size)) {
  const int bits = std::max(2, static_cast<int>(std::bit_width(std::max<std::uint64_t>(size_, 1) - 1)));
  lowBits_ = bits / 2;
  highBits_ = bits - lowBits_;
  for (int round = 0; round < kRounds; ++round)
    keys_[static_cast<std::size_t>(round)] = subKey(key, static_cast<std::uint64_t>(round));
}

std::uint64_t KeyedBijection::forward(std::uint64_t word) const {
  const std::uint64_t lowMask = (1ULL << lowBits_) - 1;
  const std::uint64_t highMask = (1ULL << highBits_) - 1;
  std::uint64_t low = word & lowMask;
  std::uint64_t high = word >> lowBits_;
  for (std::size_t round = 0; round < kRounds; round += 2) {
    high ^= roundBits(low, keys_[round]) & highMask;
    low ^= roundBits(high, keys_[round + 1]) & lowMask;
  }
  return (high << lowBits_) | low;
}

std::uint64_t KeyedBijection::backward(std::uint64_t word) const {
  const std::uint64_t lowMask = (1ULL << lowBits_) - 1;
  const std::uint64_t highMask = (1ULL << highBits_) - 1;
  std::uint64_t low = word & lowMask;
  std::uint64_t high = word >> lowBits_;
  for (std::size_t round = kRounds; round > 0; round -= 2) {
    low ^= roundBits(high, keys_[round - 1]) & lowMask;
    high ^= roundBits(low, keys_[round - 2]) & highMask;
  }
  return (high << lowBits_) | low;
}

std::int64_t KeyedBijection::at(std::int64_t place) const {
  auto word = static_cast<std::uint64_t>(place);
  do word = forward(word);
  while (word >= size_);
  return static_cast<std::int64_t>(word);
}

std::int64_t KeyedBijection::placeOf(std::int64_t value) const {
  auto word = static_cast<std::uint64_t>(value);
  do word = backward(word);
  while (word >= size_);
  return static_cast<std::int64_t>(word);
}

struct EpochOrder::Window {
  std::int64_t firstPlace;
  std::int64_t size;
  std::int64_t firstSlot;  ///< in the order of blocks
  KeyedBijection inside;
};

EpochOrder::EpochOrder(std::int64_t samples, std::uint64_t seed, std::int64_t epoch, DataOrder order)
    : samples_(samples),
      key_(subKey(mix64(seed), static_cast<std::uint64_t>(epoch))),
      order_(order),
      shortBlockSamples_(samples - (blockCount(samples) - 1) * kBlock),
      blocks_(blockCount(samples), key_),
      shortSlot_(blocks_.placeOf(blockCount(samples) - 1)) {}

/// Maps a position to the one it would have if the short block were full.
std::int64_t EpochOrder::stretched(std::int64_t place) const {
  const std::int64_t shortEnd = shortSlot_ * kBlock + shortBlockSamples_;
  return place < shortEnd ? place : place + kBlock - shortBlockSamples_;
}

EpochOrder::Window EpochOrder::windowOf(std::int64_t place) const {
  const std::int64_t missing = kBlock - shortBlockSamples_;
  const std::int64_t window = stretched(place) / kWindow;
  const std::int64_t begin = window * kWindow;
  const std::int64_t firstPlace = begin <= shortSlot_ * kBlock ? begin : begin - missing;
  const std::int64_t lacking = shortSlot_ * kBlock / kWindow == window ? missing : 0;
  const std::int64_t size = std::min(samples_, firstPlace + kWindow - lacking) - firstPlace;
  return {firstPlace, size, begin / kBlock, KeyedBijection(size, mix64(key_ + static_cast<std::uint64_t>(window)))};
}

EpochOrder::LeadingBlocks EpochOrder::leadingBlocks(std::int64_t place) const {
  if (order_ == DataOrder::File) return {place / kBlock, place / kBlock * kBlock};
  const Window window = windowOf(place);
  return {window.firstSlot, window.firstPlace};
}

std::int64_t EpochOrder::sampleAt(std::int64_t place) const {
  if (order_ == DataOrder::File) return place;
  const Window window = windowOf(place);
  const std::int64_t spread = stretched(window.firstPlace + window.inside.at(place - window.firstPlace));
  return blocks_.at(spread / kBlock) * kBlock + spread % kBlock;
}

void EpochOrder::samplesFrom(std::int64_t first, std::span<std::int64_t> out) const {
  const auto end = first + static_cast<std::int64_t>(out.size());
  if (order_ == DataOrder::File) {
    for (std::int64_t place = first; place < end; ++place) out[static_cast<std::size_t>(place - first)] = place;
    return;
  }
  for (std::int64_t place = first; place < end;) {
    const Window window = windowOf(place);
    std::array<std::int64_t, kWindow / kBlock> blocks{};
    const std::int64_t slots = std::min<std::int64_t>(kWindow / kBlock, blockCount(samples_) - window.firstSlot);
    for (std::int64_t slot = 0; slot < slots; ++slot)
      blocks[static_cast<std::size_t>(slot)] = blocks_.at(window.firstSlot + slot) * kBlock;
    const std::int64_t stop = std::min(end, window.firstPlace + window.size);
    for (; place < stop; ++place) {
      const std::int64_t spread = stretched(window.firstPlace + window.inside.at(place - window.firstPlace));
      const auto slot = static_cast<std::size_t>(spread / kBlock - window.firstSlot);
      out[static_cast<std::size_t>(place - first)] = blocks[slot] + spread % kBlock;
    }
  }
}

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
