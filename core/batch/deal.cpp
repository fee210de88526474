// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/deal.h"

#include <algorithm>
#include <numeric>

namespace batchwise {
namespace {

constexpr double kTokensWhereAttentionIsHalf = 6.0 * 768.0;

}  // namespace

double sequenceCost(std::int64_t tokens) {
  const auto length = static_cast<double>(tokens);
  return length + length * length / kTokensWhereAttentionIsHalf;
}

std::vector<std::int64_t> dealEvenly(std::span<const double> costs, std::int64_t devices) {
  const std::int64_t count = std::ssize(costs);
  std::vector<std::int64_t> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  if (devices <= 1) return order;
  std::stable_sort(order.begin(), order.end(), [&costs](std::int64_t left, std::int64_t right) {
    return costs[static_cast<std::size_t>(left)] > costs[static_cast<std::size_t>(right)];
  });
  struct Hand {
    std::vector<std::int64_t> units;
    std::size_t room = 0;
    double cost = 0;
  };
  std::vector<Hand> hands(static_cast<std::size_t>(devices));
  for (std::size_t device = 0; device < hands.size(); ++device)
    hands[device].room =
        static_cast<std::size_t>(count / devices + (static_cast<std::int64_t>(device) < count % devices ? 1 : 0));
  for (const std::int64_t unit : order) {
    Hand* least = nullptr;
    for (Hand& hand : hands)
      if (hand.units.size() < hand.room && (least == nullptr || hand.cost < least->cost)) least = &hand;
    least->units.push_back(unit);
    least->cost += costs[static_cast<std::size_t>(unit)];
  }
  order.clear();
  for (Hand& hand : hands) {
    std::sort(hand.units.begin(), hand.units.end());
    order.insert(order.end(), hand.units.begin(), hand.units.end());
  }
  return order;
}

std::vector<std::int64_t> dealUnits(const std::vector<std::vector<std::int64_t>>& units, std::int64_t devices,
                                    const std::function<std::int64_t(std::int64_t sample)>& tokensOf) {
  std::vector<double> costs(units.size(), 0.0);
  if (devices > 1)
    for (std::size_t unit = 0; unit < units.size(); ++unit)
      for (const std::int64_t sample : units[unit]) costs[unit] += sequenceCost(tokensOf(sample));
  return dealEvenly(costs, devices);
}

}  // namespace batchwise
