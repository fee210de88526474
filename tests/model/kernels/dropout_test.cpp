// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/kernels/dropout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace batchwise {
namespace {

double keptShare(const Dropout& dropout, std::int64_t rows, std::int64_t width) {
  std::int64_t kept = 0;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t j = 0; j < width; ++j)
      kept += dropoutFactor(dropoutRowState(dropout.key, row), j, dropout.threshold, dropout.scale) > 0 ? 1 : 0;
  return static_cast<double>(kept) / static_cast<double>(rows * width);
}

TEST(DropoutTest, DropsTheShareAskedForAndKeepsTheMean) {
  for (const double probability : {0.0, 0.1, 0.25, 0.5, 0.9}) {
    const Dropout dropout = makeDropout(3, 7, 1, DropoutSite::LayerOutput, probability);
    const double kept = keptShare(dropout, 400, 250);
    const double deviation = std::sqrt(probability * (1 - probability) / 100'000);
    EXPECT_NEAR(kept, 1 - probability, 5 * deviation + 1e-5);
    EXPECT_NEAR(dropout.scale * (1 - dropout.threshold / 65536.0), 1.0, 1e-6);
    EXPECT_EQ(dropout.active(), probability > 0);
  }
}

TEST(DropoutTest, EveryPartOfTheKeyMatters) {
  std::set<std::uint64_t> keys;
  for (std::uint64_t seed : {1, 2})
    for (std::int64_t step : {0, 1, 1000})
      for (std::int64_t layer : {-1, 0, 1})
        for (const auto site : {DropoutSite::Embeddings, DropoutSite::AttentionOutput, DropoutSite::LayerOutput})
          keys.insert(makeDropout(seed, step, layer, site, 0.1).key);
  EXPECT_EQ(keys.size(), 2U * 3 * 3 * 3);
  EXPECT_NE(dropoutRowKey(0, 1), dropoutRowKey(1, 0));
}

TEST(DropoutTest, NeighborsAreIndependent) {
  const Dropout dropout = makeDropout(3, 7, 1, DropoutSite::LayerOutput, 0.5);
  const auto kept = [&](std::int64_t row, std::int64_t j) {
    return dropoutFactor(dropoutRowState(dropout.key, row), j, dropout.threshold, dropout.scale) > 0 ? 1.0 : -1.0;
  };
  double features = 0, rows = 0;
  constexpr int kRows = 300, kWidth = 300;
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kWidth; ++j) {
      features += kept(i, j) * kept(i, j + 1);
      rows += kept(i, j) * kept(i + 1, j);
    }
  EXPECT_LT(std::abs(features), 5 * std::sqrt(kRows * kWidth));
  EXPECT_LT(std::abs(rows), 5 * std::sqrt(kRows * kWidth));
}

}  // namespace
}  // namespace batchwise
