// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/statistics.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/analysis/setting_effects.h"
#include "tests/analysis/special_numbers.h"

namespace batchwise::test {
namespace {

TEST(DirectionTest, KnowsWhichWayIsGood) {
  using enum Direction;
  const std::vector<std::pair<const char*, Direction>> cases = {{"loss", LowerIsBetter},
                                                                {"eval.loss", LowerIsBetter},
                                                                {"step.loss", LowerIsBetter},
                                                                {"eval.perplexity", LowerIsBetter},
                                                                {"memory.cuda:0.peak", LowerIsBetter},
                                                                {"step_sec", LowerIsBetter},
                                                                {"eval.accuracy", HigherIsBetter},
                                                                {"samples_per_sec", HigherIsBetter},
                                                                {"tokens_per_sec", HigherIsBetter},
                                                                {"fill", HigherIsBetter},
                                                                {"lr", Neither},
                                                                {"grad_norm", Neither},
                                                                {"memory.cuda:0.total", Neither}};
  for (const auto& [series, expected] : cases) EXPECT_EQ(directionOf(series), expected) << series;
}

TEST(DeltaTest, IsAwareOfTheDirection) {
  using enum Assessment;
  struct Case {
    std::optional<double> value, baseline;
    Direction direction;
    std::optional<double> band;
    double absolute;
    std::optional<double> relative;
    Assessment verdict;
  };
  const auto lower = Direction::LowerIsBetter, higher = Direction::HigherIsBetter, neither = Direction::Neither;
  const std::vector<Case> cases = {{2.0, 2.5, lower, 0.1, -0.5, -0.2, Better},
                                   {3.0, 2.5, lower, 0.1, 0.5, 0.2, Worse},
                                   {120.0, 100.0, higher, 1, 20, 0.2, Better},
                                   {80.0, 100.0, higher, 1, -20, -0.2, Worse},
                                   {80.0, 100.0, neither, 1, -20, -0.2, NoDirection},
                                   {80.0, 80.0, lower, 1, 0, 0, Same},
                                   {2.4, 2.5, lower, 0.2, 2.4 - 2.5, (2.4 - 2.5) / 2.5, WithinNoise},
                                   {2.2, 2.5, lower, 0.2, 2.2 - 2.5, (2.2 - 2.5) / 2.5, Better},
                                   {2.4, 2.5, lower, 0, 2.4 - 2.5, (2.4 - 2.5) / 2.5, Better},
                                   {1.0, -2.0, lower, 0.1, 3, 1.5, Worse},
                                   {1.0, 0.0, lower, 0.1, 1, std::nullopt, Worse},
                                   {2.0, 2.5, lower, std::nullopt, -0.5, -0.2, NoiseUnknown},
                                   {3.0, 2.5, lower, std::nullopt, 0.5, 0.2, NoiseUnknown},
                                   {80.0, 100.0, neither, std::nullopt, -20, -0.2, NoDirection},
                                   {80.0, 80.0, lower, std::nullopt, 0, 0, Same},
                                   {std::nullopt, 1.0, lower, 0.1, kNan, std::nullopt, Unknown},
                                   {1.0, std::nullopt, lower, 0.1, kNan, std::nullopt, Unknown},
                                   {std::nullopt, kNan, lower, 0.1, kNan, std::nullopt, Unknown},
                                   {kNan, 1.0, lower, std::nullopt, kNan, std::nullopt, Worse},
                                   {-kInf, 1.0, lower, std::nullopt, kNan, std::nullopt, Worse},
                                   {kNan, 1.0, higher, 0.1, kNan, std::nullopt, Worse},
                                   {kNan, 1.0, neither, 0.1, kNan, std::nullopt, Unknown},
                                   {kNan, kInf, lower, 0.1, kNan, std::nullopt, Unknown},
                                   {1.0, kInf, lower, std::nullopt, kNan, std::nullopt, Better}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& one = cases[i];
    const Delta delta = deltaOf(one.value, one.baseline, one.direction, one.band);
    if (std::isnan(one.absolute)) {
      EXPECT_TRUE(std::isnan(delta.absolute)) << i;
    } else {
      EXPECT_DOUBLE_EQ(delta.absolute, one.absolute) << i;
    }
    EXPECT_EQ(delta.relative.has_value(), one.relative.has_value()) << i;
    if (delta.relative) {
      EXPECT_DOUBLE_EQ(*delta.relative, *one.relative) << i;
    }
    EXPECT_EQ(delta.verdict, one.verdict) << i;
  }
}

TEST(SeedNoiseTest, PoolsTheGroups) {
  const std::vector<std::vector<double>> groups{{1, 3}, {10, 12, 14}, {99}, {}};
  const auto noise = seedNoise(groups);
  ASSERT_TRUE(noise.has_value());
  EXPECT_EQ(noise->degrees, 3);
  EXPECT_DOUBLE_EQ(noise->deviation, std::sqrt((2.0 + 8.0) / 3));
  EXPECT_NEAR(noise->band(), 4.540702858568133 * noise->deviation * std::sqrt(2.0), 1e-8);
  EXPECT_NEAR(noise->band(2, 3), 4.540702858568133 * noise->deviation * std::sqrt(1.0 / 2 + 1.0 / 3), 1e-8);
}

TEST(SeedNoiseTest, SingleRunsSayNothing) {
  EXPECT_FALSE(seedNoise(std::vector<std::vector<double>>{{1}, {2}}).has_value());
  EXPECT_FALSE(seedNoise({}).has_value());
}

TEST(StatisticsTest, MeanMedianAndDeviation) {
  EXPECT_DOUBLE_EQ(meanOf(std::vector{1.0, 2.0, 6.0}), 3);
  EXPECT_DOUBLE_EQ(medianOf({6, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(medianOf({6, 1, 2, 4}), 3);
  EXPECT_DOUBLE_EQ(medianOf({6}), 6);
  EXPECT_DOUBLE_EQ(deviationOf(std::vector{2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}), std::sqrt(32.0 / 7));
  EXPECT_TRUE(std::isnan(deviationOf(std::vector{2.0})));
}

TEST(StatisticsTest, ADeviationFarFromZeroLosesNothing) {
  EXPECT_NEAR(deviationOf(std::vector{1e9 + 1, 1e9 + 2, 1e9 + 3}), 1, 1e-9);
}

TEST(StatisticsTest, WhatDiffersByRoundingOnlyDoesNotVary) {
  EXPECT_EQ(deviationOf(std::vector{0.1, 0.1, 0.1}), 0) << "their mean is not 0.1";
  EXPECT_TRUE(std::isnan(deviationOf(std::vector{1.0, std::numeric_limits<double>::infinity()})));
  const SeededValues values{{"1", 14.0 / 20}, {"2", 15.0 / 20}, {"3", 13.0 / 20}};
  const SeededValues better{{"1", 15.0 / 20}, {"2", 16.0 / 20}, {"3", 14.0 / 20}};
  EXPECT_EQ(differenceNoise(better, values, Center::Mean).source, NoiseSource::Seeds);
  for (const char* series : {"loss", "eval.accuracy", "eval.loss", "eval.task.films.accuracy"})
    EXPECT_EQ(knownBand(0, series), std::nullopt) << series;
  EXPECT_EQ(knownBand(0, "memory.peak"), 0);
}

TEST(StudentTest, AgreesWithTheTable) {
  // scipy.stats.t.ppf(0.975, df)
  const std::vector<std::pair<int, double>> table = {
      {1, 12.706204736174698}, {2, 4.302652729749462},   {3, 3.182446305283708},
      {4, 2.776445105197793},  {5, 2.570581835636197},   {10, 2.228138851986273},
      {30, 2.042272456301238}, {100, 1.983971518523552}, {1000, 1.962339080825307}};
  for (const auto& [degrees, expected] : table) EXPECT_NEAR(studentT(0.95, degrees), expected, 1e-9) << degrees;
  // scipy.stats.t.ppf(0.99, df)
  const std::vector<std::pair<double, double>> fractions = {
      {1, 31.820515953774},  {1.3, 15.269323764121}, {2, 6.964556734283},
      {2.7, 4.969832049221}, {3, 4.540702858568},    {5.5, 3.240725680694},
      {8, 2.896459447710},   {47.2, 2.407986119993}, {10000, 2.326720838669}};
  for (const auto& [degrees, expected] : fractions) EXPECT_NEAR(studentT(0.98, degrees), expected, 1e-8) << degrees;
}

TEST(SeedNoiseTest, MediansVaryMoreThanMeans) {
  // The median of three has the variance 1 - sqrt(3) / pi.
  EXPECT_NEAR(medianEfficiency(3), 1 / (3 * (1 - std::sqrt(3.0) / std::numbers::pi)), 5e-5);
  for (const std::size_t few : {1U, 2U}) EXPECT_EQ(medianEfficiency(few), 1.0);
  for (std::size_t count = 3; count < 40; ++count) {
    EXPECT_GE(medianEfficiency(count), 2 / std::numbers::pi) << count;
    EXPECT_LE(medianEfficiency(count), 0.8384) << count;
  }
  const SeedNoise noise{0.5, 4};
  EXPECT_EQ(noise.band(1, 2, Center::Median), noise.band(1, 2));
  EXPECT_NEAR(noise.band(3, 3, Center::Median) / noise.band(3, 3), 1.1602, 1e-4);
  EXPECT_NEAR(noise.band(5, 5, Center::Median) / noise.band(5, 5), 1.1976, 1e-4);
}

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
}  // namespace batchwise::test
