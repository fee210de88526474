// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace batchwise {

enum class PackMethod { InOrder, BestFit };
enum class PackCount { Real, Padded };  ///< what the budget counts: tokens, or rows x longest
enum class SmallPacks { Keep, Discard };

/// How sequences become packs. Sizes in sequences, 0 for no limit.
struct PackRules {
  std::int64_t maxTokens = 1;
  std::int64_t maxSequences = 0;
  std::int64_t minSequences = 1;
  SmallPacks small = SmallPacks::Keep;  ///< what happens to packs below minSequences
  PackMethod method = PackMethod::InOrder;
  PackCount count = PackCount::Real;
  std::int64_t sameSizeGroup = 0;  ///< that many packs in a row have equally many sequences; 0: no such rule
};

/// Packs of one window. Places are indices into the lengths that were packed.
struct PackedWindow {
  std::vector<std::uint32_t> places;     ///< pack after pack
  std::vector<std::uint32_t> ends;       ///< per pack: where it ends in `places`
  std::vector<std::int64_t> tokenEnds;   ///< per pack: real tokens up to its end
  std::vector<std::uint32_t> tooLong;    ///< places of sequences above the budget
  std::vector<std::uint32_t> discarded;  ///< places of sequences of packs below minSequences

  std::int64_t packs() const { return static_cast<std::int64_t>(ends.size()); }
  std::int64_t samples() const { return static_cast<std::int64_t>(places.size()); }
  std::int64_t tokens() const { return tokenEnds.empty() ? 0 : tokenEnds.back(); }
  std::uint32_t beginOf(std::int64_t pack) const { return pack == 0 ? 0 : ends[static_cast<std::size_t>(pack) - 1]; }
  std::int64_t tokensBefore(std::int64_t pack) const {
    return pack == 0 ? 0 : tokenEnds[static_cast<std::size_t>(pack) - 1];
  }
};

/// Packs sequences; each lands in exactly one of places, tooLong and discarded. A pure function, O(n).
/// InOrder: a pack ends before the sequence that would break the budget. With sameSizeGroup m, the next m x k sequences
/// are dealt out in turn to m packs, with the largest k that keeps each within the budget; fewer than m at the end make
/// packs of one. BestFit: longest first, each into the fullest pack that still holds it (best fit decreasing, Johnson
/// 1974; for budgets above 2^17 tokens to within a 2^17th of the budget); packs are then ordered by their first place,
/// and places inside them, so that neighbours stay near. BestFit ignores sameSizeGroup.
PackedWindow packSequences(std::span<const std::uint32_t> lengths, const PackRules& rules);

}  // namespace batchwise
