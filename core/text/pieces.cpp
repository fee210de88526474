// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/pieces.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <queue>

#include "core/base/text.h"
#include "core/text/unicode.h"

namespace batchwise {
namespace {

using Pieces = std::vector<std::pair<std::string_view, std::int32_t>>;

Pieces piecesOf(const WordPieceSpec& spec) {
  return {spec.tokens.begin(), spec.tokens.end()};
}

Pieces continuationsOf(const WordPieceSpec& spec) {
  Pieces pieces;
  for (const auto& [text, id] : spec.tokens)
    if (text.starts_with(spec.continuation))
      pieces.emplace_back(std::string_view(text).substr(spec.continuation.size()), id);
  return pieces;
}

constexpr double kUnknownPenalty = 10.0;  // of the reference, as of sentencepiece
constexpr std::size_t kShortWord = 64;
constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

std::vector<std::pair<std::string_view, std::int32_t>> numbered(
    const std::vector<std::pair<std::string, double>>& pieces) {
  std::vector<std::pair<std::string_view, std::int32_t>> texts;
  for (std::size_t id = 0; id < pieces.size(); ++id)
    texts.emplace_back(pieces[id].first, static_cast<std::int32_t>(id));
  return texts;
}

bool has(std::uint32_t codePoint, unicode::CharClass kind) {
  return (unicode::classTable()[codePoint] & kind) != 0;
}

bool isSingleWord(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin > 0 && has(unicode::stepBefore(text, begin).codePoint, unicode::kWord)) return false;
  return end == text.size() || !has(unicode::stepAt(text, end).codePoint, unicode::kWord);
}

/// Returns where the white space before `end` begins, at `limit` or behind.
std::size_t withoutSpaceBefore(std::string_view text, std::size_t end, std::size_t limit) {
  while (end > limit) {
    const unicode::Step last = unicode::stepBefore(text, end);
    if (!has(last.codePoint, unicode::kSpace)) break;
    end -= last.bytes;
  }
  return end;
}

std::size_t behindSpace(std::string_view text, std::size_t begin) {
  while (begin < text.size()) {
    const unicode::Step next = unicode::stepAt(text, begin);
    if (!has(next.codePoint, unicode::kSpace)) break;
    begin += next.bytes;
  }
  return begin;
}

std::vector<std::pair<std::string_view, std::int32_t>> contentsOf(const std::vector<AddedToken>& tokens) {
  std::vector<std::pair<std::string_view, std::int32_t>> contents;
  for (std::size_t i = tokens.size(); i-- > 0;)  // of two tokens of one text the first one counts
    contents.emplace_back(tokens[i].content, static_cast<std::int32_t>(i));
  return contents;
}

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

PieceTrie::PieceTrie(std::vector<std::pair<std::string_view, std::int32_t>> pieces) {
  std::stable_sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  struct Range {
    std::uint32_t node;
    std::size_t first, last, depth;
  };
  nodes_.emplace_back();
  labels_.push_back(0);
  std::queue<Range> open({{kRoot, 0, pieces.size(), 0}});
  for (; !open.empty(); open.pop()) {  // breadth first
    auto [node, first, last, depth] = open.front();
    for (; first < last && pieces[first].first.size() == depth; ++first)
      if (depth > 0) nodes_[node].value = pieces[first].second;
    nodes_[node].firstChild = static_cast<std::uint32_t>(nodes_.size());
    while (first < last) {
      const char label = pieces[first].first[depth];
      std::size_t end = first;
      while (end < last && pieces[end].first[depth] == label) ++end;
      open.push({static_cast<std::uint32_t>(nodes_.size()), first, end, depth + 1});
      nodes_.emplace_back();
      labels_.push_back(static_cast<std::uint8_t>(label));
      ++nodes_[node].children;
      first = end;
    }
    Node& parent = nodes_[node];
    if (parent.children <= kFew) continue;
    parent.table = static_cast<std::uint32_t>(tables_.size());
    auto& table = tables_.emplace_back();
    table.fill(kRoot);
    for (std::uint32_t i = parent.firstChild; i < parent.firstChild + parent.children; ++i) table[labels_[i]] = i;
  }
  labels_.resize(labels_.size() + sizeof kOnes);  // child() reads eight of them
}

WordPieces::WordPieces(const WordPieceSpec& spec)
    : first_(piecesOf(spec)),
      continuation_(continuationsOf(spec)),
      unknown_(spec.unknown),
      maxCodePoints_(spec.maxCodePoints) {}

std::size_t WordPieces::append(std::string_view word, std::vector<std::int32_t>& ids) const {
  const std::size_t before = ids.size();
  std::size_t steps = 0;
  if (tooLong(word)) return ids.push_back(unknown_), steps;
  for (std::size_t start = 0; start < word.size();) {
    const PieceTrie& pieces = start == 0 ? first_ : continuation_;
    std::uint32_t node = PieceTrie::kRoot;
    std::size_t longest = start;
    std::int32_t id = unknown_;
    for (std::size_t at = start; at < word.size();) {
      node = pieces.child(node, static_cast<std::uint8_t>(word[at++]));
      ++steps;
      if (node == PieceTrie::kRoot) break;
      if (pieces.value(node) < 0 || (at < word.size() && isUtf8Continuation(word[at]))) continue;
      longest = at;
      id = pieces.value(node);
    }
    if (longest == start) {
      ids.resize(before);
      ids.push_back(unknown_);
      return steps;
    }
    ids.push_back(id);
    start = longest;
  }
  return steps;
}

bool WordPieces::tooLong(std::string_view word) const {
  if (word.size() <= static_cast<std::size_t>(maxCodePoints_)) return false;
  return std::count_if(word.begin(), word.end(), [](char c) { return !isUtf8Continuation(c); }) > maxCodePoints_;
}

/// The best segmentation of the beginning of a word.
struct UnigramModel::Best {
  double score;
  std::uint32_t from;  // where its last piece begins; kNowhere: there is none yet
  std::int32_t id;     // of that piece
};

UnigramModel::UnigramModel(UnigramSpec spec)
    : pieces_(numbered(spec.pieces)), unknown_(spec.unknown), byteTokens_(std::move(spec.byteTokens)) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [text, score] : spec.pieces) {
    least = std::min(least, score);
    scores_.push_back(score);
  }
  unknownScore_ = least - kUnknownPenalty;
}

std::size_t UnigramModel::append(std::string_view word, std::vector<std::int32_t>& ids) const {
  std::array<Best, kShortWord + 1> few;
  std::vector<Best> many;
  if (word.size() > kShortWord) many.resize(word.size() + 1);
  Best* const best = many.empty() ? few.data() : many.data();
  const std::size_t steps = findBest(word, best);
  appendBest(word, best, ids);
  return steps;
}

std::size_t UnigramModel::findBest(std::string_view word, Best* best) const {
  std::fill_n(best, word.size() + 1, Best{0.0, kNowhere, 0});
  const auto offer = [&](std::size_t end, std::size_t from, std::int32_t id, double score) {
    if (best[end].from != kNowhere && !(score > best[end].score)) return;
    best[end] = {score, static_cast<std::uint32_t>(from), id};
  };
  std::size_t steps = 0;
  for (std::size_t from = 0; from < word.size();) {
    const double before = best[from].score;
    const std::size_t bytes = unicode::stepAt(word, from).bytes;
    bool single = false;
    std::uint32_t node = PieceTrie::kRoot;
    for (std::size_t at = from; at < word.size(); ++at) {
      node = pieces_.child(node, static_cast<std::uint8_t>(word[at]));
      ++steps;
      if (node == PieceTrie::kRoot) break;
      const std::int32_t id = pieces_.value(node);
      if (id < 0) continue;
      offer(at + 1, from, id, scores_[static_cast<std::size_t>(id)] + before);
      single = single || at + 1 - from == bytes;
    }
    if (!single) offer(from + bytes, from, unknown_, unknownScore_ + before);
    from += bytes;
  }
  return steps;
}

void UnigramModel::appendBest(std::string_view word, Best* best, std::vector<std::int32_t>& ids) const {
  // Turns the chain of pieces round: best[end].from becomes the end of the piece behind.
  std::uint32_t next = kNowhere;
  for (auto end = static_cast<std::uint32_t>(word.size()); end > 0;) {
    const std::uint32_t from = best[end].from;
    best[end].from = next;
    next = end;
    end = from;
  }
  std::size_t unknownFrom = std::string_view::npos;
  for (std::size_t from = 0; next != kNowhere;) {
    const Best& piece = best[next];
    if (piece.id == unknown_) {
      unknownFrom = std::min(unknownFrom, from);
    } else {
      if (unknownFrom != std::string_view::npos) appendUnknown(word.substr(unknownFrom, from - unknownFrom), ids);
      unknownFrom = std::string_view::npos;
      ids.push_back(piece.id);
    }
    from = next;
    next = piece.from;
  }
  if (unknownFrom != std::string_view::npos) appendUnknown(word.substr(unknownFrom), ids);
}

std::int32_t UnigramModel::idOf(std::string_view text) const {
  std::uint32_t node = PieceTrie::kRoot;
  for (const char c : text)
    if (node = pieces_.child(node, static_cast<std::uint8_t>(c)); node == PieceTrie::kRoot) return -1;
  return pieces_.value(node);
}

void UnigramModel::appendUnknown(std::string_view text, std::vector<std::int32_t>& ids) const {
  // The text of the unknown token itself is that token.
  if (const std::int32_t id = idOf(text); id >= 0) return ids.push_back(id);
  const auto tokenOf = [&](char c) { return byteTokens_[static_cast<std::uint8_t>(c)]; };
  if (byteTokens_.empty() || !std::all_of(text.begin(), text.end(), [&](char c) { return tokenOf(c) >= 0; }))
    return ids.push_back(unknown_);
  for (const char c : text) ids.push_back(tokenOf(c));
}

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::erase_if(tokens_, [](const AddedToken& token) { return token.content.empty(); });
  contents_ = PieceTrie(contentsOf(tokens_));
  unsigned used = 0;  // first bytes so far
  for (const AddedToken& token : tokens_) {
    std::uint8_t& bits = firstBits_[static_cast<std::uint8_t>(token.content[0])];
    if (bits == 0) bits = static_cast<std::uint8_t>(1u << (used++ % 8));
    if (token.content.size() > 1)
      secondBits_[static_cast<std::uint8_t>(token.content[1])] |= bits;
    else
      for (std::uint8_t& second : secondBits_) second |= bits;
  }
}

const AddedToken* AddedTokens::longestAt(std::string_view text, std::size_t& steps) const {
  std::int32_t longest = -1;
  std::uint32_t node = PieceTrie::kRoot;
  for (const char c : text) {
    node = contents_.child(node, static_cast<std::uint8_t>(c));
    ++steps;
    if (node == PieceTrie::kRoot) break;
    if (contents_.value(node) >= 0) longest = contents_.value(node);
  }
  return longest < 0 ? nullptr : &tokens_[static_cast<std::size_t>(longest)];
}

std::size_t AddedTokens::split(std::string_view text, bool ignoreSpecial, std::vector<TextPart>& parts) const {
  std::size_t done = 0, steps = 0;
  std::size_t whiteBegin = 0, whiteEnd = 0;  // white space that has been looked through behind a token
  for (std::size_t at = 0; !tokens_.empty() && at < text.size();) {
    const std::uint8_t bits = firstBits_[static_cast<std::uint8_t>(text[at])];
    if (bits == 0 || (at + 1 < text.size() && (bits & secondBits_[static_cast<std::uint8_t>(text[at + 1])]) == 0)) {
      ++at;
      continue;
    }
    const AddedToken* token = longestAt(text.substr(at), steps);
    if (token == nullptr) {
      ++at;
      continue;
    }
    std::size_t begin = at, end = at + token->content.size();
    at = end;  // what is not taken below hides shorter tokens all the same
    if (ignoreSpecial && token->special) continue;
    if (token->singleWord && !isSingleWord(text, begin, end)) continue;
    // White space that a token before it has taken along is no longer there for this one.
    if (token->leftStrip) begin = std::max(done, withoutSpaceBefore(text, begin, std::min(done, begin)));
    if (token->rightStrip) {
      if (end < whiteBegin || end > whiteEnd) {
        whiteBegin = end;
        whiteEnd = behindSpace(text, end);
        steps += whiteEnd - whiteBegin;
      }
      end = whiteEnd;
    }
    if (done < begin) parts.push_back({text.substr(done, begin - done), -1});
    if (begin < end) parts.push_back({text.substr(begin, end - begin), token->id});
    done = end;
  }
  if (done < text.size()) parts.push_back({text.substr(done), -1});
  return steps;
}

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
