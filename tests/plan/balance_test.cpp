// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "core/plan/plan.h"

namespace batchwise {
namespace {

std::vector<std::int64_t> ascending(std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Largest over smallest sum of costs of the devices, which get equally many units.
double spread(const std::vector<double>& costs, const std::vector<std::int64_t>& order, std::int64_t devices) {
  const std::size_t each = order.size() / static_cast<std::size_t>(devices);
  std::vector<double> sums;
  for (std::size_t first = 0; first < order.size(); first += each) {
    double sum = 0;
    for (std::size_t i = first; i < first + each; ++i) sum += costs[static_cast<std::size_t>(order[i])];
    sums.push_back(sum);
  }
  return *std::max_element(sums.begin(), sums.end()) / *std::min_element(sums.begin(), sums.end());
}

TEST(BalanceTest, OneDeviceGetsAllInOrder) {
  EXPECT_EQ(balanceAcrossDevices(std::vector<double>{3, 1, 2}, 1), ascending(3));
  EXPECT_EQ(balanceAcrossDevices(std::vector<double>{}, 4), ascending(0));
}

TEST(BalanceTest, EachUnitIsDealtOnceAndNumbersStayEven) {
  EXPECT_EQ(balanceAcrossDevices(std::vector<double>{9, 1, 1, 9, 1}, 2), (std::vector<std::int64_t>{0, 1, 4, 2, 3}));
  std::mt19937_64 random(7);
  for (const std::int64_t count : {1, 2, 7, 64, 129})
    for (const std::int64_t devices : {2, 3, 8}) {
      std::vector<double> costs;
      for (std::int64_t i = 0; i < count; ++i) costs.push_back(static_cast<double>(random() % 100));
      std::vector<std::int64_t> order = balanceAcrossDevices(costs, devices);
      std::int64_t first = 0;
      for (std::int64_t device = 0; device < devices; ++device) {
        const std::int64_t own = count / devices + (device < count % devices ? 1 : 0);
        EXPECT_TRUE(std::is_sorted(order.begin() + first, order.begin() + first + own));
        first += own;
      }
      std::sort(order.begin(), order.end());
      EXPECT_EQ(order, ascending(count));
    }
}

TEST(BalanceTest, RealLengthsDifferByLittleOverDevices) {
  std::mt19937_64 random(11);
  std::lognormal_distribution<double> length(5.2, 0.7);
  for (const std::int64_t devices : {2, 4, 8}) {
    std::vector<double> costs;
    for (std::int64_t i = 0; i < 32 * devices; ++i)
      costs.push_back(sequenceCost(static_cast<std::int64_t>(std::min(512.0, length(random)))));
    const std::vector<std::int64_t> dealt = balanceAcrossDevices(costs, devices);
    EXPECT_LT(spread(costs, dealt, devices), 1.02) << devices;
    EXPECT_LT(spread(costs, dealt, devices), spread(costs, ascending(32 * devices), devices));
  }
}

}  // namespace
}  // namespace batchwise
