// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/byte_pair.h"

#include <algorithm>
#include <bit>
#include <queue>

#include "core/text/unicode.h"

namespace batchwise {
namespace {

/// Up to here a search through all pairs is faster than a queue of them.
constexpr std::size_t kShortPiece = 40;
constexpr int kCrossingBits = 20;
constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15ull, kOtherFactor = 0xC2B2AE3D27D4EB4Full;  // odd, for hashes

std::uint64_t pairKey(std::int32_t left, std::int32_t right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
}

/// The bit of a pair of symbols: exact below 512, hashed beyond, so that two pairs may share one.
std::size_t crossingBit(std::uint32_t left, std::uint32_t right) {
  if (left < 512 && right < 512) return left << 9 | right;
  return static_cast<std::size_t>((left * kFactor ^ right * kOtherFactor) >> (64 - kCrossingBits)) | (1u << 18);
}

constexpr std::uint32_t kRankMask = (std::uint32_t{1} << 24) - 1;

/// Bits of a hash that do not say where in the table it stands, in the place of a slot's tag.
std::uint32_t tagOf(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash) & ~kRankMask;
}

}  // namespace

BytePairModel::BytePairModel(BytePairSpec spec)
    : symbols_(spec.symbols),
      unknown_(spec.unknown),
      fuseUnknown_(spec.fuseUnknown),
      ignoreMerges_(spec.ignoreMerges),
      byteTokens_(std::move(spec.byteTokens)) {
  allByteTokens_ = !byteTokens_.empty() && std::find(byteTokens_.begin(), byteTokens_.end(), -1) == byteTokens_.end();
  // Unknown characters between byte tokens change places (see startSymbols), and must stay in one part.
  mayCut_ = byteTokens_.empty() || allByteTokens_;
  ofByte_.fill(-1);
  std::vector<std::string_view> texts;
  for (const auto& [text, id] : spec.tokens) {
    if (static_cast<std::size_t>(id) >= texts.size()) texts.resize(static_cast<std::size_t>(id) + 1);
    texts[static_cast<std::size_t>(id)] = text;
    if (text.empty()) continue;
    if (ignoreMerges_) wholeWords_.insert_or_assign(text, id);
    if (symbols_ == BytePairSymbols::Bytes) {
      if (text.size() == 1) ofByte_[static_cast<std::uint8_t>(text[0])] = id;
      continue;
    }
    const unicode::Step step = unicode::stepAt(text, 0);
    if (step.bytes != text.size()) continue;
    if (step.codePoint < 128) ofByte_[step.codePoint] = id;
    afterCharacter_.at(step.codePoint) = id + 1;
  }
  allBytes_ = symbols_ == BytePairSymbols::Bytes && std::ranges::find(ofByte_, -1) == ofByte_.end();
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(16, spec.merges.size() * 2));
  slots_.resize(slots);
  slotShift_ = 64 - std::countr_zero(slots);
  crossings_.resize((std::size_t{1} << kCrossingBits) / 64);
  merges_.reserve(spec.merges.size());
  for (std::uint32_t rank = 0; rank < spec.merges.size(); ++rank) {
    const BytePairSpec::Merge& merge = spec.merges[rank];
    merges_.push_back({pairKey(merge.left, merge.right), merge.merged});
    const std::uint64_t hash = hashOf(merge.left, merge.right);
    std::size_t at = hash >> slotShift_;
    while (slots_[at] != 0 && merges_[(slots_[at] & kRankMask) - 1].key != merges_.back().key)
      at = (at + 1) & (slots - 1);
    slots_[at] = tagOf(hash) | (rank + 1);  // of two equal merges the later one counts
    noteCrossing(texts[static_cast<std::size_t>(merge.left)], texts[static_cast<std::size_t>(merge.right)]);
    for (const std::int32_t id : {merge.left, merge.right})
      if (id == unknown_ || std::find(byteTokens_.begin(), byteTokens_.end(), id) != byteTokens_.end())
        mayCut_ = false;  // its text is not what it stands for
  }
}

void BytePairModel::noteCrossing(std::string_view left, std::string_view right) {
  std::uint32_t before = 0, behind = 0;
  if (left.empty() || right.empty()) {
    mayCut_ = false;
    return;
  }
  if (symbols_ == BytePairSymbols::Bytes) {
    before = static_cast<std::uint8_t>(left.back());
    behind = static_cast<std::uint8_t>(right.front());
  } else {
    before = unicode::stepBefore(left, left.size()).codePoint;
    behind = unicode::stepAt(right, 0).codePoint;
  }
  const std::size_t bit = crossingBit(before, behind);
  crossings_[bit / 64] |= std::uint64_t{1} << bit % 64;
}

bool BytePairModel::crosses(std::uint32_t left, std::uint32_t right) const {
  const std::size_t bit = crossingBit(left, right);
  return (crossings_[bit / 64] >> bit % 64 & 1) != 0;
}

/// Whether no merge joins two symbols, both of which are known.
bool BytePairModel::mayCutBetween(std::uint32_t left, std::uint32_t right) const {
  if (crosses(left, right)) return false;
  if (symbols_ == BytePairSymbols::Bytes) return allBytes_ || (ofByte_[left] >= 0 && ofByte_[right] >= 0);
  // Unknown characters stay with their neighbors, so that they can be fused.
  return allByteTokens_ || (idOfCharacter(left) >= 0 && idOfCharacter(right) >= 0);
}

void BytePairModel::cut(std::string_view word, std::vector<WordSpan>& parts) const {
  std::uint32_t begin = 0;
  const auto size = static_cast<std::uint32_t>(word.size());
  const bool bytes = symbols_ == BytePairSymbols::Bytes;
  std::uint32_t before = 0;
  for (std::uint32_t at = 0; mayCut_ && at < size;) {
    const auto byte = static_cast<std::uint8_t>(word[at]);
    const unicode::Step step = bytes || byte < 0x80 ? unicode::Step{byte, 1} : unicode::stepAt(word, at);
    if (at > 0 && mayCutBetween(before, step.codePoint)) {
      parts.push_back({begin, at});
      begin = at;
    }
    before = step.codePoint;
    at += step.bytes;
  }
  if (begin < size) parts.push_back({begin, size});
}

std::int32_t BytePairModel::wholeWord(std::string_view word) const {
  if (!ignoreMerges_) return -1;
  const auto found = wholeWords_.find(word);
  return found == wholeWords_.end() ? -1 : found->second;
}

std::uint64_t BytePairModel::hashOf(std::int32_t left, std::int32_t right) {
  const std::uint64_t hash =
      (static_cast<std::uint32_t>(left) * kFactor) ^ (static_cast<std::uint32_t>(right) * kOtherFactor);
  return hash ^ hash >> 29;
}

/// Returns kNoRank if the two are not merged.
std::uint32_t BytePairModel::rankOf(std::int32_t left, std::int32_t right) const {
  const std::uint64_t hash = hashOf(left, right);
  const std::uint32_t tag = tagOf(hash);
  for (std::size_t at = hash >> slotShift_; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
    if ((slots_[at] & ~kRankMask) != tag) continue;
    const std::uint32_t rank = (slots_[at] & kRankMask) - 1;
    if (merges_[rank].key == pairKey(left, right)) return rank;
  }
  return kNoRank;
}

std::int32_t BytePairModel::idOfCharacter(std::uint32_t codePoint) const {
  return codePoint < 128 ? ofByte_[codePoint] : afterCharacter_[codePoint] - 1;
}

void BytePairModel::startSymbols(std::string_view part, std::vector<std::int32_t>& ids) const {
  if (allBytes_) {
    for (const char c : part) ids.push_back(ofByte_[static_cast<std::uint8_t>(c)]);
    return;
  }
  const bool bytes = symbols_ == BytePairSymbols::Bytes;
  bool unknown = false;  // one is to be appended
  for (std::size_t at = 0; at < part.size();) {
    const unicode::Step step =
        bytes ? unicode::Step{static_cast<std::uint8_t>(part[at]), 1} : unicode::stepAt(part, at);
    const std::string_view text = part.substr(at, step.bytes);
    at += step.bytes;
    const std::int32_t id = bytes ? ofByte_[step.codePoint] : idOfCharacter(step.codePoint);
    if (id >= 0) {
      if (unknown) ids.push_back(unknown_);
      unknown = false;
      ids.push_back(id);
      continue;
    }
    const auto tokenOf = [&](char c) { return byteTokens_[static_cast<std::uint8_t>(c)]; };
    if (!byteTokens_.empty() && std::all_of(text.begin(), text.end(), [&](char c) { return tokenOf(c) >= 0; })) {
      for (const char c : text) ids.push_back(tokenOf(c));  // before an unknown one that came first, as the reference
      continue;
    }
    if (unknown_ < 0) continue;
    if (unknown && !fuseUnknown_) ids.push_back(unknown_);
    unknown = true;
  }
  if (unknown) ids.push_back(unknown_);
}

std::size_t BytePairModel::append(std::string_view part, std::vector<std::int32_t>& ids) const {
  const std::size_t begin = ids.size();
  startSymbols(part, ids);
  return ids.size() - begin <= kShortPiece ? mergeShort(ids, begin) : mergeLong(ids, begin);
}

std::size_t BytePairModel::mergeShort(std::vector<std::int32_t>& ids, std::size_t begin) const {
  std::array<std::uint32_t, kShortPiece> ranks;
  std::int32_t* const symbols = ids.data() + begin;
  std::size_t count = ids.size() - begin;
  std::size_t lookUps = 0;
  const auto look = [&](std::size_t at) {
    ranks[at] = rankOf(symbols[at], symbols[at + 1]);
    ++lookUps;
  };
  for (std::size_t at = 0; at + 1 < count; ++at) look(at);
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t at = 1; at + 1 < count; ++at)
      if (ranks[at] < ranks[best]) best = at;
    if (ranks[best] == kNoRank) break;
    symbols[best] = merges_[ranks[best]].merged;
    --count;
    for (std::size_t at = best + 1; at < count; ++at) {
      symbols[at] = symbols[at + 1];
      ranks[at - 1] = ranks[at];
    }
    if (best > 0) look(best - 1);
    if (best + 1 < count) look(best);
  }
  ids.resize(begin + count);
  return lookUps;
}

std::size_t BytePairModel::mergeLong(std::vector<std::int32_t>& ids, std::size_t begin) const {
  const std::size_t count = ids.size() - begin;
  std::int32_t* const symbols = ids.data() + begin;
  constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> before(count), behind(count);
  for (std::uint32_t at = 0; at < count; ++at) {
    before[at] = at == 0 ? kEnd : at - 1;
    behind[at] = at + 1 < count ? at + 1 : kEnd;
  }
  struct Candidate {
    std::uint32_t rank, at;
    bool operator>(const Candidate& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
  };
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  std::size_t lookUps = 0;
  const auto look = [&](std::uint32_t at) {
    if (at == kEnd || behind[at] == kEnd) return;
    ++lookUps;
    if (const std::uint32_t rank = rankOf(symbols[at], symbols[behind[at]]); rank != kNoRank) queue.push({rank, at});
  };
  for (std::uint32_t at = 0; at < count; ++at) look(at);
  while (!queue.empty()) {
    const Candidate top = queue.top();
    queue.pop();
    if (symbols[top.at] < 0 || behind[top.at] == kEnd) continue;
    const std::uint32_t right = behind[top.at];
    const std::int32_t merged = merges_[top.rank].merged;
    if (merges_[top.rank].key != pairKey(symbols[top.at], symbols[right])) {  // a neighbor has changed since
      const std::uint32_t now = rankOf(symbols[top.at], symbols[right]);
      ++lookUps;
      if (now == kNoRank || merges_[now].merged != merged) continue;
    }
    symbols[top.at] = merged;
    symbols[right] = -1;
    behind[top.at] = behind[right];
    if (behind[right] != kEnd) before[behind[right]] = top.at;
    look(before[top.at]);
    look(top.at);
  }
  ids.erase(std::remove(ids.begin() + static_cast<std::ptrdiff_t>(begin), ids.end(), -1), ids.end());
  return lookUps;
}

}  // namespace batchwise
