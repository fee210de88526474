// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/epoch_order.h"

#include <algorithm>
#include <bit>

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

}  // namespace batchwise
