// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_listener.h"

#include <gtest/gtest.h>

namespace batchwise {
namespace {

constexpr std::uint32_t kHere = 1;
constexpr std::uint32_t kThere = 2;
constexpr double kNow = 100.0;

// Of one address: silent or challenged connections, the first of which waits for `sec`, each next one for 1 ms less.
void add(std::vector<PendingConnection>& pending, std::size_t count, std::uint32_t address, double sec,
         bool challenged) {
  for (std::size_t i = 0; i < count; ++i)
    pending.push_back({address, kNow - sec + static_cast<double>(i) * 1e-3, challenged});
}

TEST(PendingConnectionsTest, TheLongestIdleOneOfTheAddressWithMostIsDropped) {
  std::vector<PendingConnection> pending;
  add(pending, 3, kHere, 9.0, false);
  add(pending, 5, kThere, 2.0, false);
  EXPECT_EQ(connectionToDrop(pending, kHere, 8, kNow), 3U);
  EXPECT_EQ(connectionToDrop(pending, kThere, 8, kNow), 3U);
}

TEST(PendingConnectionsTest, WhoMakesProgressStaysAndANewcomerIsRefused) {
  std::vector<PendingConnection> pending;
  add(pending, 40, kHere, 0.5, true);
  add(pending, 40, kHere, 0.1, false);
  EXPECT_FALSE(connectionToDrop(pending, kHere, 8, kNow).has_value());
  EXPECT_EQ(connectionToDrop(pending, kHere, 8, kNow + 0.2), 40U) << "no hello for a fifth of a second";
  EXPECT_EQ(connectionToDrop({pending.begin(), pending.begin() + 40}, kHere, 8, kNow + 0.6), 0U);
}

TEST(PendingConnectionsTest, OneAddressDoesNotKeepAnotherOut) {
  std::vector<PendingConnection> pending;
  add(pending, 2, kThere, 0.9, true);
  add(pending, 70, kHere, 0.5, true);
  EXPECT_EQ(connectionToDrop(pending, kThere, 8, kNow), 2U);
  EXPECT_FALSE(connectionToDrop(pending, kHere, 8, kNow).has_value());
  pending.resize(2 + 8);  // as many as there are ranks: all of them may be
  EXPECT_FALSE(connectionToDrop(pending, kThere, 8, kNow).has_value());
}

}  // namespace
}  // namespace batchwise
