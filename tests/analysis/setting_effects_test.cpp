// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/setting_effects.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace batchwise {
namespace {

RunComparison comparisonOf(std::vector<FieldRow> settings, const std::vector<double>& metric) {
  RunComparison comparison;
  comparison.differences.rows = std::move(settings);
  for (const double value : metric) comparison.runs.emplace_back().value = value;
  return comparison;
}

const SettingEffect& effectOf(const std::vector<SettingEffect>& effects, const std::string& field) {
  return *std::ranges::find(effects, field, &SettingEffect::field);
}

TEST(SettingEffectsTest, CorrelatesWithoutThePartOfTheOtherSettings) {
  const auto effects = settingEffects(
      comparisonOf({{"optimizer.lr", {"1e-4", "1e-3", "1e-2", "1e-4", "1e-3", "1e-2", "1e-4", "1e-3", "1e-2", "1e-3"}},
                    {"batch.global_train_batch_size", {"16", "16", "16", "32", "32", "32", "64", "64", "64", "128"}},
                    {"optimizer.name", {"a", "b", "a", "b", "a", "b", "a", "b", "b", "a"}}},
                   {3.0, 2.5, 2.9, 3.2, 2.6, 3.0, 3.3, 2.9, 3.1, 3.05}));
  ASSERT_EQ(effects.size(), 3u);
  EXPECT_EQ(effects.front().field, "batch.global_train_batch_size") << "the strongest first";
  // NumPy: residuals of least squares on the other columns, their correlation, and Fisher's interval.
  const SettingEffect& lr = effectOf(effects, "optimizer.lr");
  EXPECT_TRUE(lr.log);
  EXPECT_NEAR(*lr.correlation, -0.3042124299613727, 1e-9);
  EXPECT_NEAR(lr.low, -0.8307889186677042, 1e-9);
  EXPECT_NEAR(lr.high, 0.5097318495811216, 1e-9);
  EXPECT_NEAR(*effects.front().correlation, 0.4923457826298914, 1e-9);
  EXPECT_NEAR(*effectOf(effects, "optimizer.name").correlation, 0.00877150799779357, 1e-9);
}

TEST(SettingEffectsTest, WhatAdvancesTogetherCannotBeToldApart) {
  const auto effects = settingEffects(comparisonOf(
      {{"seed", {"1", "2", "3", "4", "5"}}, {"optimizer.eps", {"2", "4", "6", "8", "10"}}}, {1, 3, 2, 5, 4}));
  for (const SettingEffect& effect : effects) EXPECT_FALSE(effect.correlation) << effect.field;
}

TEST(SettingEffectsTest, RunsWithoutANumberAndTooFewRunsAreSaid) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto effects = settingEffects(comparisonOf({{"seed", {"1", "2", "5", "9"}}}, {1, 3, 2, nan}));
  EXPECT_EQ(effects.front().runs, 3u);
  EXPECT_TRUE(effects.front().correlation);
  EXPECT_EQ(effects.front().low, -1) << "no interval from three runs";
  EXPECT_FALSE(settingEffects(comparisonOf({{"seed", {"1", "2"}}}, {1, 3})).front().correlation);
}

TEST(NumberScaleTest, ASweepOverFactorsIsLogarithmic) {
  EXPECT_TRUE(NumberScale::fromNumbers({16, 32, 64}).log);
  EXPECT_TRUE(NumberScale::fromNumbers({1e-4, 3.16e-4, 1e-3}).log);
  EXPECT_FALSE(NumberScale::fromNumbers({16, 32, 48}).log);
  EXPECT_FALSE(NumberScale::fromNumbers({16, 32}).log) << "two numbers may be either";
  EXPECT_TRUE(NumberScale::fromNumbers({1, 60}).log);
  EXPECT_FALSE(NumberScale::fromNumbers({0, 60, 70}).log);
}

}  // namespace
}  // namespace batchwise
