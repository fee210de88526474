// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/balance.h"

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

std::vector<std::int64_t> balanceAcrossDevices(std::span<const double> costs, std::int64_t devices) {
  const std::int64_t count = std::ssize(costs);
  std::vector<std::int64_t> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  if (devices <= 1) return order;
  std::stable_sort(order.begin(), order.end(), [&costs](std::int64_t left, std::int64_t right) {
    return costs[static_cast<std::size_t>(left)] > costs[static_cast<std::size_t>(right)];
  });
  struct DeviceLoad {
    std::vector<std::int64_t> units;
    std::size_t room = 0;
    double cost = 0;
  };
  std::vector<DeviceLoad> loads(static_cast<std::size_t>(devices));
  for (std::size_t device = 0; device < loads.size(); ++device)
    loads[device].room =
        static_cast<std::size_t>(count / devices + (static_cast<std::int64_t>(device) < count % devices ? 1 : 0));
  for (const std::int64_t unit : order) {
    DeviceLoad* least = nullptr;
    for (DeviceLoad& load : loads)
      if (load.units.size() < load.room && (least == nullptr || load.cost < least->cost)) least = &load;
    least->units.push_back(unit);
    least->cost += costs[static_cast<std::size_t>(unit)];
  }
  order.clear();
  for (DeviceLoad& load : loads) {
    std::sort(load.units.begin(), load.units.end());
    order.insert(order.end(), load.units.begin(), load.units.end());
  }
  return order;
}

std::vector<std::int64_t> balanceUnits(const std::vector<std::vector<std::int64_t>>& units, std::int64_t devices,
                                       const std::function<std::int64_t(std::int64_t sample)>& tokensOf) {
  std::vector<double> costs(units.size(), 0.0);
  if (devices > 1)
    for (std::size_t unit = 0; unit < units.size(); ++unit)
      for (const std::int64_t sample : units[unit]) costs[unit] += sequenceCost(tokensOf(sample));
  return balanceAcrossDevices(costs, devices);
}

}  // namespace batchwise
