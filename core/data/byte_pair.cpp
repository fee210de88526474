// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/byte_pair.h"

#include <algorithm>
#include <bit>
#include <queue>

#include "core/base/random.h"
#include "core/data/unicode.h"

namespace batchwise {
namespace {

/// Up to here a search through all pairs is faster than a queue of them.
constexpr std::size_t kShortWord = 40;
constexpr int kCrossingBits = 20;

std::uint64_t pairKey(std::int32_t left, std::int32_t right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
}

/// The bit of a pair of symbols: exact below 512, hashed beyond, so that two pairs may share one.
std::size_t crossingBit(std::uint32_t left, std::uint32_t right) {
  if (left < 512 && right < 512) return left << 9 | right;
  return static_cast<std::size_t>(mix64(std::uint64_t{left} << 32 | right) >> (64 - kCrossingBits)) | (1u << 18);
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
    if (ignoreMerges_) wholeWords_[text] = id;
    if (symbols_ == BytePairSymbols::Bytes) {
      if (text.size() == 1) ofByte_[static_cast<std::uint8_t>(text[0])] = id;
      continue;
    }
    const unicode::Step step = unicode::stepAt(text, 0);
    if (step.bytes != text.size()) continue;
    if (step.codePoint < 128) ofByte_[step.codePoint] = id;
    ofCharacter_[step.codePoint] = id;
  }
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(16, spec.merges.size() * 5 / 2));
  targets_.resize(slots);
  mask_ = slots - 1;
  crossings_.resize((std::size_t{1} << kCrossingBits) / 64);
  for (std::uint32_t rank = 0; rank < spec.merges.size(); ++rank) {
    const BytePairSpec::Merge& merge = spec.merges[rank];
    const std::uint64_t key = pairKey(merge.left, merge.right);
    std::size_t at = mix64(key) & mask_;
    while (targets_[at].key != kNoKey && targets_[at].key != key) at = (at + 1) & mask_;
    targets_[at] = {key, rank, merge.merged};  // of two equal merges the later one counts
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

std::size_t BytePairModel::partEnd(std::string_view word, std::size_t begin) const {
  if (!mayCut_) return word.size();
  if (symbols_ == BytePairSymbols::Bytes) {
    for (std::size_t at = begin + 1; at < word.size(); ++at) {
      const auto left = static_cast<std::uint8_t>(word[at - 1]), right = static_cast<std::uint8_t>(word[at]);
      if (!crosses(left, right) && ofByte_[left] >= 0 && ofByte_[right] >= 0) return at;
    }
    return word.size();
  }
  unicode::Step before = unicode::stepAt(word, begin);
  for (std::size_t at = begin + before.bytes; at < word.size();) {
    const unicode::Step step = unicode::stepAt(word, at);
    // Unknown characters stay with their neighbors, so that they can be fused.
    if (!crosses(before.codePoint, step.codePoint) &&
        (allByteTokens_ || (idOfCharacter(before.codePoint) >= 0 && idOfCharacter(step.codePoint) >= 0)))
      return at;
    before = step;
    at += step.bytes;
  }
  return word.size();
}

std::int32_t BytePairModel::wholeWord(std::string_view word) const {
  if (!ignoreMerges_) return -1;
  const auto found = wholeWords_.find(std::string(word));
  return found == wholeWords_.end() ? -1 : found->second;
}

const BytePairModel::Target& BytePairModel::target(std::int32_t left, std::int32_t right) const {
  static constexpr Target kNone;
  const std::uint64_t key = pairKey(left, right);
  for (std::size_t at = mix64(key) & mask_;; at = (at + 1) & mask_) {
    if (targets_[at].key == key) return targets_[at];
    if (targets_[at].key == kNoKey) return kNone;
  }
}

std::int32_t BytePairModel::idOfCharacter(std::uint32_t codePoint) const {
  if (codePoint < 128) return ofByte_[codePoint];
  const auto found = ofCharacter_.find(codePoint);
  return found == ofCharacter_.end() ? -1 : found->second;
}

void BytePairModel::startSymbols(std::string_view part, std::vector<std::int32_t>& ids) const {
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

void BytePairModel::append(std::string_view part, std::vector<std::int32_t>& ids) const {
  const std::size_t begin = ids.size();
  startSymbols(part, ids);
  if (ids.size() - begin <= kShortWord)
    mergeShort(ids, begin);
  else
    mergeLong(ids, begin);
}

void BytePairModel::mergeShort(std::vector<std::int32_t>& ids, std::size_t begin) const {
  std::array<std::uint32_t, kShortWord> ranks;
  std::array<std::int32_t, kShortWord> merged;
  std::int32_t* const symbols = ids.data() + begin;
  std::size_t count = ids.size() - begin;
  const auto look = [&](std::size_t at) {
    const Target& found = target(symbols[at], symbols[at + 1]);
    ranks[at] = found.rank;
    merged[at] = found.merged;
  };
  for (std::size_t at = 0; at + 1 < count; ++at) look(at);
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t at = 1; at + 1 < count; ++at)
      if (ranks[at] < ranks[best]) best = at;
    if (ranks[best] == kNoRank) break;
    symbols[best] = merged[best];
    --count;
    for (std::size_t at = best + 1; at < count; ++at) {
      symbols[at] = symbols[at + 1];
      ranks[at - 1] = ranks[at];
      merged[at - 1] = merged[at];
    }
    if (best > 0) look(best - 1);
    if (best + 1 < count) look(best);
  }
  ids.resize(begin + count);
}

void BytePairModel::mergeLong(std::vector<std::int32_t>& ids, std::size_t begin) const {
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
    std::int32_t merged;
    bool operator>(const Candidate& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
  };
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto look = [&](std::uint32_t at) {
    if (at == kEnd || behind[at] == kEnd) return;
    const Target& found = target(symbols[at], symbols[behind[at]]);
    if (found.rank != kNoRank) queue.push({found.rank, at, found.merged});
  };
  for (std::uint32_t at = 0; at < count; ++at) look(at);
  while (!queue.empty()) {
    const Candidate top = queue.top();
    queue.pop();
    if (symbols[top.at] < 0 || behind[top.at] == kEnd) continue;
    const std::uint32_t right = behind[top.at];
    const Target& now = target(symbols[top.at], symbols[right]);
    if (now.rank == kNoRank || now.merged != top.merged) continue;  // a neighbor has changed since
    symbols[top.at] = top.merged;
    symbols[right] = -1;
    behind[top.at] = behind[right];
    if (behind[right] != kEnd) before[behind[right]] = top.at;
    look(before[top.at]);
    look(top.at);
  }
  ids.erase(std::remove(ids.begin() + static_cast<std::ptrdiff_t>(begin), ids.end(), -1), ids.end());
}

}  // namespace batchwise
