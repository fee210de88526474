// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/noise_scale.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

namespace batchwise::test {
namespace {

constexpr std::int64_t kTokensPerSample = 100;

/// Steps of `batch` samples in micro-batches of `small`, whose gradients are a vector of length 1 in `dimensions` plus
/// noise of equal size in each of them. Norms depend on the noise by a normal and two chi-square numbers only.
struct SyntheticSteps {
  double dimensions = 4000, noiseScale = 64;
  std::int64_t small = 8, batch = 64;
  std::mt19937_64 random{1};

  StepNoise next() {
    const auto b = static_cast<double>(small), whole = static_cast<double>(batch);
    const double variance = noiseScale / dimensions, parts = whole / b;
    std::normal_distribution<double> along;
    std::gamma_distribution<double> across((dimensions - 1) / 2, 2), between(dimensions * (parts - 1) / 2, 2);
    const double projected = 1 + along(random) * std::sqrt(variance / whole);
    const double norm = projected * projected + variance / whole * across(random);
    return {norm + variance / b * between(random) / parts, 1 / b, norm, 1 / whole, batch, batch * kTokensPerSample};
  }
};

NoiseEstimator estimated(std::uint64_t seed, SyntheticSteps steps, int count, double halfLifeSteps) {
  steps.random.seed(seed);
  NoiseEstimator found;
  found.setHalfLife(halfLifeSteps * static_cast<double>(steps.batch * kTokensPerSample));
  for (int i = 0; i < count; ++i) found.add(steps.next());
  return found;
}

TEST(NoiseScaleTest, IsWithinFivePercentAndItsIntervalCoversTheTruth) {
  constexpr int kSeeds = 1000;
  int near = 0, covered = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const auto scale = estimated(static_cast<std::uint64_t>(seed), {}, 400, 50).scale();
    ASSERT_TRUE(scale) << seed;
    near += std::abs(scale->samples / 64 - 1) <= 0.05 ? 1 : 0;
    covered += scale->low <= 64 && 64 <= scale->high ? 1 : 0;
    EXPECT_NEAR(scale->tokens, scale->samples * kTokensPerSample, 1e-6 * scale->tokens);
  }
  EXPECT_GE(near, kSeeds * 99 / 100);
  EXPECT_GE(covered, kSeeds * 93 / 100);
  EXPECT_LE(covered, kSeeds * 97 / 100);
}

TEST(NoiseScaleTest, FewDimensionsAndMuchNoiseAreNotMeasurableOrCovered) {
  constexpr int kSeeds = 400;
  int measured = 0, missed = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const NoiseEstimator found = estimated(static_cast<std::uint64_t>(seed), {50, 64.0 * 50}, 400, 50);
    const auto scale = found.scale();
    EXPECT_EQ(scale.has_value(), found.trace() && found.gradientSquared()) << seed;
    if (!scale) continue;
    ++measured;
    missed += scale->low <= 64 * 50 && 64 * 50 <= scale->high ? 0 : 1;
    EXPECT_LT(scale->low, scale->samples);
    EXPECT_GT(scale->high, scale->samples);
  }
  EXPECT_LT(measured, kSeeds / 2) << "most of it is not measurable";
  EXPECT_LE(missed, kSeeds * 5 / 100);
}

TEST(NoiseScaleTest, PartsAreThoseOfTheGradients) {
  const NoiseEstimator found = estimated(3, {}, 400, 100);
  EXPECT_NEAR(*found.trace(), 64, 0.5);
  EXPECT_NEAR(*found.gradientSquared(), 1, 0.03);
  EXPECT_DOUBLE_EQ(found.scale()->samples, *found.trace() / *found.gradientSquared());
}

TEST(NoiseScaleTest, FollowsAChangeWithinHalfLives) {
  SyntheticSteps steps;
  NoiseEstimator found;
  found.setHalfLife(50 * 64 * kTokensPerSample);
  for (int i = 0; i < 500; ++i) found.add(steps.next());
  steps.noiseScale = 256;
  for (int i = 0; i < 50; ++i) found.add(steps.next());
  EXPECT_NEAR(found.scale()->samples, 160, 20) << "half of the weight is older";
  for (int i = 0; i < 400; ++i) found.add(steps.next());
  EXPECT_NEAR(found.scale()->samples, 256, 20);
  EXPECT_LE(std::ssize(found.blocks), 60) << "what is long past is forgotten";
}

// Unequal sequences: the covariance of a mean by weights is that of sum w^2 / (sum w)^2 samples.
TEST(NoiseScaleTest, UnequalPartsWeighByTheirTokens) {
  NoiseEstimator found;
  found.setHalfLife(16);
  // Two sequences of weights 3 and 1 with gradients 1 + 1 and 1 - 1: their mean is 1.5, that of the squares 3.
  for (int i = 0; i < 100; ++i) found.add({3.0, 1.0, 2.25, 10.0 / 16, 2, 4});
  const double noise = (3 - 2.25) * 0.625 / 0.375;
  EXPECT_NEAR(*found.trace(), noise * 2, 1e-9);
  EXPECT_NEAR(*found.gradientSquared(), 2.25 - noise, 1e-9);
}

TEST(NoiseScaleTest, NothingComesOfFewOrUselessSteps) {
  SyntheticSteps steps;
  NoiseEstimator found;
  EXPECT_FALSE(found.scale());
  found.setHalfLife(64.0 * kTokensPerSample);
  const StepNoise one = steps.next();
  for (int i = 0; i < 2; ++i) found.add(one);
  EXPECT_FALSE(found.scale());
  EXPECT_FALSE(found.trace());
  EXPECT_FALSE(found.gradientSquared());
  const NoiseEstimator before = found;
  StepNoise useless = one;
  useless.partInverse = useless.inverse;  // a single part
  found.add(useless);
  useless = one;
  useless.normSquared = std::numeric_limits<double>::quiet_NaN();
  found.add(useless);
  useless = one;
  useless.partNormSquared = std::numeric_limits<double>::infinity();
  found.add(useless);
  EXPECT_EQ(found, before);
}

TEST(NoiseScaleTest, GoesOnAsSavedAndForgetsWithAnotherHalfLife) {
  SyntheticSteps steps;
  NoiseEstimator whole;
  whole.setHalfLife(50 * 64 * kTokensPerSample);
  for (int i = 0; i < 103; ++i) whole.add(steps.next());
  NoiseEstimator resumed{whole.halfLife, whole.blocks};
  for (int i = 0; i < 100; ++i) {
    const StepNoise step = steps.next();
    whole.add(step);
    resumed.add(step);
  }
  EXPECT_EQ(resumed, whole);
  EXPECT_EQ(resumed.scale()->samples, whole.scale()->samples);
  resumed.setHalfLife(whole.halfLife);
  EXPECT_EQ(resumed, whole);
  resumed.setHalfLife(1);
  EXPECT_TRUE(resumed.blocks.empty());
}

}  // namespace
}  // namespace batchwise::test
