// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/config/choices.h"

namespace batchwise {

/// Rules of packing. Sizes in sequences; 0 is no limit.
struct PackRules {
  std::int64_t maxTokens = 1;
  std::int64_t maxSequences = 0;
  std::int64_t minSequences = 1;
  SmallPacks small = SmallPacks::Keep;  ///< handling of packs below minSequences
  PackMethod method = PackMethod::InOrder;
  PackCount count = PackCount::Real;
  std::int64_t sameSizeGroup = 0;  ///< groups of so many consecutive packs have equal sequence counts; 0: off
};

/// Packs of one window. Places are indices into the packed lengths.
struct PackedWindow {
  std::vector<std::uint32_t> places;     ///< all packs concatenated
  std::vector<std::uint32_t> ends;       ///< per pack: its end in `places`
  std::vector<std::int64_t> tokenEnds;   ///< per pack: cumulative real tokens
  std::vector<std::uint32_t> tooLong;    ///< places of sequences above the budget
  std::vector<std::uint32_t> discarded;  ///< places of sequences in discarded packs

  std::int64_t packs() const { return static_cast<std::int64_t>(ends.size()); }
  std::int64_t samples() const { return static_cast<std::int64_t>(places.size()); }
  std::int64_t tokens() const { return tokenEnds.empty() ? 0 : tokenEnds.back(); }
  std::uint32_t beginOf(std::int64_t pack) const { return pack == 0 ? 0 : ends[static_cast<std::size_t>(pack) - 1]; }
  std::int64_t tokensBefore(std::int64_t pack) const {
    return pack == 0 ? 0 : tokenEnds[static_cast<std::size_t>(pack) - 1];
  }
};

/// Packs sequences; each ends up in exactly one of places, tooLong and discarded. Pure, O(n).
/// InOrder: a pack ends before the sequence that would exceed the budget. With sameSizeGroup m, the next m x k
/// sequences go round-robin to m packs, with the largest k within the budget; fewer than m at the end make packs of
/// one.
/// BestFit: best fit decreasing (Johnson 1974): longest first, each into the fullest pack that still holds it; above
/// 2^17 tokens with a resolution of a 2^17th of the budget. Packs are then ordered by their first place, and places
/// inside them, so that neighbors stay near each other. Ignores sameSizeGroup.
PackedWindow packSequences(std::span<const std::uint32_t> lengths, const PackRules& rules);

}  // namespace batchwise
