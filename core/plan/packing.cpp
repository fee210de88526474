// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/packing.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace batchwise {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Adds packs to a window; applies the rule for small packs.
class PackWriter {
 public:
  PackWriter(std::span<const std::uint32_t> lengths, const PackRules& rules, PackedWindow& out)
      : lengths_(lengths), rules_(rules), out_(out) {}

  void add(std::uint32_t place) {
    out_.places.push_back(place);
    tokens_ += lengths_[place];
  }
  void close() {
    const std::size_t begin = out_.ends.empty() ? 0 : out_.ends.back();
    const std::size_t size = out_.places.size() - begin;
    if (size == 0) return;
    if (rules_.small == SmallPacks::Discard && static_cast<std::int64_t>(size) < rules_.minSequences) {
      for (std::size_t index = begin; index < out_.places.size(); ++index) {
        out_.discarded.push_back(out_.places[index]);
        tokens_ -= lengths_[out_.places[index]];
      }
      out_.places.resize(begin);
      return;
    }
    out_.ends.push_back(static_cast<std::uint32_t>(out_.places.size()));
    out_.tokenEnds.push_back(tokens_);
  }

 private:
  std::span<const std::uint32_t> lengths_;
  const PackRules& rules_;
  PackedWindow& out_;
  std::int64_t tokens_ = 0;
};

/// A growing pack and its limits.
struct Budget {
  const PackRules* rules;
  std::int64_t sequences = 0;
  std::int64_t tokens = 0;
  std::int64_t longest = 0;

  bool takes(std::int64_t length) const {
    if (rules->maxSequences > 0 && sequences >= rules->maxSequences) return false;
    if (rules->count == PackCount::Real) return tokens + length <= rules->maxTokens;
    return std::max(longest, length) * (sequences + 1) <= rules->maxTokens;
  }
  void add(std::int64_t length) {
    ++sequences;
    tokens += length;
    longest = std::max(longest, length);
  }
};

void packInOrder(std::span<const std::uint32_t> lengths, const PackRules& rules, PackedWindow& out) {
  PackWriter writer(lengths, rules, out);
  Budget budget{&rules};
  for (std::uint32_t place = 0; place < lengths.size(); ++place) {
    const std::int64_t length = lengths[place];
    if (length > rules.maxTokens) {
      out.tooLong.push_back(place);
      continue;
    }
    if (!budget.takes(length)) {
      writer.close();
      budget = Budget{&rules};
    }
    budget.add(length);
    writer.add(place);
  }
  writer.close();
}

/// Returns the sequences within the budget, in order.
std::vector<std::uint32_t> fitting(std::span<const std::uint32_t> lengths, const PackRules& rules, PackedWindow& out) {
  std::vector<std::uint32_t> places(lengths.size());
  std::size_t count = 0;
  for (std::uint32_t place = 0; place < lengths.size(); ++place) {
    if (lengths[place] <= rules.maxTokens)
      places[count++] = place;
    else
      out.tooLong.push_back(place);
  }
  places.resize(count);
  return places;
}

void packInGroups(std::span<const std::uint32_t> lengths, const PackRules& rules, PackedWindow& out) {
  const std::vector<std::uint32_t> places = fitting(lengths, rules, out);
  const auto group = static_cast<std::size_t>(rules.sameSizeGroup);
  PackWriter writer(lengths, rules, out);
  for (std::size_t begin = 0; begin < places.size();) {
    const std::size_t packs = std::min(group, places.size() - begin);
    std::vector<Budget> budgets(packs, Budget{&rules});
    std::size_t rows = 0;
    const auto rowFits = [&] {
      if (begin + (rows + 1) * packs > places.size() || (packs < group && rows == 1)) return false;
      for (std::size_t pack = 0; pack < packs; ++pack)
        if (!budgets[pack].takes(lengths[places[begin + rows * packs + pack]])) return false;
      return true;
    };
    for (; rowFits(); ++rows)
      for (std::size_t pack = 0; pack < packs; ++pack) budgets[pack].add(lengths[places[begin + rows * packs + pack]]);
    for (std::size_t pack = 0; pack < packs; ++pack) {
      for (std::size_t row = 0; row < rows; ++row) writer.add(places[begin + row * packs + pack]);
      writer.close();
    }
    begin += rows * packs;
  }
}

/// Places by descending length, equal lengths in their order, and the range of each length: looking up lengths again
/// per place would miss the cache each time.
struct ByLength {
  struct Run {
    std::int64_t length;
    std::size_t begin;
    std::size_t end;
  };
  std::vector<std::uint32_t> places;
  std::vector<Run> runs;
};

ByLength longestFirst(std::span<const std::uint32_t> lengths, std::vector<std::uint32_t> places) {
  ByLength sorted;
  std::uint32_t longest = 0;
  for (const std::uint32_t place : places) longest = std::max(longest, lengths[place]);
  if (longest > (1U << 20)) {
    std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return lengths[a] > lengths[b]; });
    for (std::size_t index = 0; index < places.size(); ++index) {
      const std::int64_t length = lengths[places[index]];
      if (sorted.runs.empty() || sorted.runs.back().length != length) sorted.runs.push_back({length, index, index});
      sorted.runs.back().end = index + 1;
    }
    sorted.places = std::move(places);
    return sorted;
  }
  std::vector<std::uint32_t> begins(longest + 2, 0);
  for (const std::uint32_t place : places) ++begins[longest - lengths[place] + 1];
  for (std::size_t index = 1; index < begins.size(); ++index) {
    begins[index] += begins[index - 1];
    if (begins[index] > begins[index - 1])
      sorted.runs.push_back({static_cast<std::int64_t>(longest - (index - 1)), begins[index - 1], begins[index]});
  }
  sorted.places.resize(places.size());
  for (const std::uint32_t place : places) sorted.places[begins[longest - lengths[place]]++] = place;
  return sorted;
}

/// Open packs indexed by remaining room: finds the fullest pack that surely holds a length in a few steps.
class RoomIndex {
 public:
  explicit RoomIndex(std::int64_t maxTokens)
      : shift_(std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(maxTokens))) - 17)),
        heads_(static_cast<std::size_t>(maxTokens >> shift_) + 1, kNone),
        words_(heads_.size() / 64 + 1, 0),
        summary_(words_.size() / 64 + 1, 0) {}

  void insert(std::uint32_t pack, std::int64_t room) {
    const auto bucket = static_cast<std::size_t>(room >> shift_);
    if (next_.size() <= pack) next_.resize(pack + 1);
    next_[pack] = heads_[bucket];
    heads_[bucket] = pack;
    words_[bucket / 64] |= 1ULL << (bucket % 64);
    summary_[bucket / 4096] |= 1ULL << (bucket / 64 % 64);
  }

  /// Removes and returns the pack with the least room that is at least `length`; kNone if there is none.
  std::uint32_t take(std::int64_t length) {
    const std::int64_t rounded = (length + (std::int64_t{1} << shift_) - 1) >> shift_;
    const std::size_t bucket = firstFrom(static_cast<std::size_t>(rounded));
    if (bucket >= heads_.size()) return kNone;
    const std::uint32_t pack = heads_[bucket];
    heads_[bucket] = next_[pack];
    if (heads_[bucket] == kNone) {
      words_[bucket / 64] &= ~(1ULL << (bucket % 64));
      if (words_[bucket / 64] == 0) summary_[bucket / 4096] &= ~(1ULL << (bucket / 64 % 64));
    }
    return pack;
  }

 private:
  static std::uint64_t from(std::uint64_t word, std::size_t bit) { return word & (~0ULL << bit); }

  std::size_t firstFrom(std::size_t bucket) const {
    if (bucket >= heads_.size()) return heads_.size();
    if (const std::uint64_t word = from(words_[bucket / 64], bucket % 64); word != 0)
      return bucket / 64 * 64 + static_cast<std::size_t>(std::countr_zero(word));
    std::size_t wordIndex = bucket / 64 + 1;
    for (std::size_t block = wordIndex / 64; block < summary_.size(); ++block, wordIndex = block * 64) {
      const std::uint64_t word = from(summary_[block], wordIndex % 64);
      if (word == 0) continue;
      const std::size_t found = block * 64 + static_cast<std::size_t>(std::countr_zero(word));
      return found * 64 + static_cast<std::size_t>(std::countr_zero(words_[found]));
    }
    return heads_.size();
  }

  int shift_;
  std::vector<std::uint32_t> heads_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> summary_;
};

/// Returns the pack of each place; kNone for places that are not packed. A pack that took a sequence is then the
/// fullest one that may hold another of its length, so a run of equal lengths is distributed pack by pack.
std::vector<std::uint32_t> assignByRoom(std::size_t count, const ByLength& sorted, const PackRules& rules,
                                        std::uint32_t& packs) {
  std::vector<std::uint32_t> packOf(count, kNone);
  std::vector<std::int64_t> rooms;
  std::vector<std::int64_t> sizes;
  RoomIndex open(rules.maxTokens);
  const std::int64_t most = rules.maxSequences > 0 ? rules.maxSequences : std::numeric_limits<std::int64_t>::max();
  for (const ByLength::Run& run : sorted.runs) {
    for (std::size_t next = run.begin; next < run.end;) {
      std::uint32_t pack = open.take(run.length);
      if (pack == kNone) {
        pack = packs++;
        rooms.push_back(rules.maxTokens);
        sizes.push_back(0);
      }
      const std::int64_t held = run.length > 0 ? rooms[pack] / run.length : most;
      const std::int64_t taken = std::min({held, most - sizes[pack], static_cast<std::int64_t>(run.end - next)});
      for (std::int64_t index = 0; index < taken; ++index) packOf[sorted.places[next++]] = pack;
      rooms[pack] -= taken * run.length;
      sizes[pack] += taken;
      if (sizes[pack] < most) open.insert(pack, rooms[pack]);
    }
  }
  return packOf;
}

/// For budgets of rows x longest: neighbors in the order of length waste the least padding.
std::vector<std::uint32_t> assignByRows(std::size_t count, const ByLength& sorted, const PackRules& rules,
                                        std::uint32_t& packs) {
  std::vector<std::uint32_t> packOf(count, kNone);
  Budget budget{&rules};
  for (const ByLength::Run& run : sorted.runs) {
    for (std::size_t next = run.begin; next < run.end; ++next) {
      if (packs == 0 || !budget.takes(run.length)) {
        ++packs;
        budget = Budget{&rules};
      }
      budget.add(run.length);
      packOf[sorted.places[next]] = packs - 1;
    }
  }
  return packOf;
}

void packBestFit(std::span<const std::uint32_t> lengths, const PackRules& rules, PackedWindow& out) {
  const ByLength sorted = longestFirst(lengths, fitting(lengths, rules, out));
  std::uint32_t packs = 0;
  std::vector<std::uint32_t> packOf = rules.count == PackCount::Real
                                          ? assignByRoom(lengths.size(), sorted, rules, packs)
                                          : assignByRows(lengths.size(), sorted, rules, packs);
  // Number the packs by their first place, then distribute the places in order.
  std::vector<std::uint32_t> rank(packs, kNone);
  std::vector<std::uint32_t> begins(packs + 1, 0);
  std::uint32_t known = 0;
  for (std::uint32_t& pack : packOf) {
    if (pack == kNone) continue;
    if (rank[pack] == kNone) rank[pack] = known++;
    pack = rank[pack];
    ++begins[pack + 1];
  }
  for (std::size_t pack = 1; pack < begins.size(); ++pack) begins[pack] += begins[pack - 1];
  std::vector<std::uint32_t> places(sorted.places.size());
  std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
  for (std::uint32_t place = 0; place < packOf.size(); ++place)
    if (packOf[place] != kNone) places[next[packOf[place]]++] = place;
  PackWriter writer(lengths, rules, out);
  for (std::uint32_t pack = 0; pack < packs; ++pack) {
    for (std::uint32_t index = begins[pack]; index < begins[pack + 1]; ++index) writer.add(places[index]);
    writer.close();
  }
}

}  // namespace

PackedWindow packSequences(std::span<const std::uint32_t> lengths, const PackRules& rules) {
  PackedWindow out;
  out.places.reserve(lengths.size());
  if (rules.method == PackMethod::BestFit)
    packBestFit(lengths, rules, out);
  else if (rules.sameSizeGroup > 1)
    packInGroups(lengths, rules, out);
  else
    packInOrder(lengths, rules, out);
  return out;
}

}  // namespace batchwise
