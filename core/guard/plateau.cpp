// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/plateau.h"

#include <cmath>
#include <numeric>

namespace batchwise {

std::optional<Plateau::Found> Plateau::add(PlateauState& state, double loss) const {
  if (!std::isfinite(loss)) return std::nullopt;
  state.recent.push_back(loss);
  while (static_cast<std::int64_t>(state.recent.size()) > window_) state.recent.pop_front();
  if (static_cast<std::int64_t>(state.recent.size()) < window_) return std::nullopt;
  const std::int64_t half = window_ / 2;  // an odd window ignores its middle value
  const auto mean = [half](auto from) { return std::accumulate(from, from + half, 0.0) / static_cast<double>(half); };
  const Found found{mean(state.recent.begin()), mean(state.recent.end() - half)};
  if (found.newer < found.older - minDelta_) return std::nullopt;
  state.recent.clear();
  return found;
}

}  // namespace batchwise
