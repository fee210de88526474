// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/loss_spike.h"

#include <algorithm>
#include <cmath>

namespace batchwise {
namespace {

constexpr double kMinDeviation = 1e-4;  // of the mean

}  // namespace

std::optional<LossSpike::Limit> LossSpike::limitFor(const LossSpikeState& state, std::int64_t step) const {
  auto end = state.recent.end();
  while (end != state.recent.begin() && std::prev(end)->step >= step - kLag) --end;
  const std::int64_t known = std::min<std::int64_t>(end - state.recent.begin(), window_);
  if (known < std::max<std::int64_t>(2, window_ / 2)) return std::nullopt;
  const auto begin = end - known;
  const auto count = static_cast<double>(known);
  Limit found;
  for (auto entry = begin; entry != end; ++entry) found.mean += entry->loss / count;
  double squares = 0;
  for (auto entry = begin; entry != end; ++entry) squares += std::pow(entry->loss - found.mean, 2);
  found.deviation = std::max(std::sqrt(squares / (count - 1)), kMinDeviation * std::abs(found.mean));
  found.limit = found.mean + sigma_ * found.deviation;
  return found;
}

void LossSpike::add(LossSpikeState& state, std::int64_t step, double loss) const {
  if (!std::isfinite(loss)) return;
  state.recent.push_back({step, loss});
  while (static_cast<std::int64_t>(state.recent.size()) > window_ + kLag) state.recent.pop_front();
}

}  // namespace batchwise
