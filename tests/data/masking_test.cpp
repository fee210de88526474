// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/masking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

namespace batchwise {
namespace {

constexpr std::int32_t kCls = 100, kSep = 102, kMask = 103;
const std::vector<std::int32_t> kSpecial{0, 5, kCls, kSep, kMask};

MaskSpec spec(double probability = 0.15) {
  return {.probability = probability, .maskId = kMask, .vocabularySize = 200, .specialIds = kSpecial};
}

/// [CLS], then `length` - 2 times the id 150, then [SEP].
std::vector<std::int32_t> sequenceOf(std::size_t length) {
  std::vector<std::int32_t> sequence(length, 150);
  sequence.front() = kCls;
  sequence.back() = kSep;
  return sequence;
}

struct Masked {
  std::vector<std::int32_t> shown, positions, labels;
  bool operator==(const Masked&) const = default;
};

Masked mask(std::size_t length, std::int64_t sample, MaskingKey key, const MaskSpec& how) {
  Masked masked{sequenceOf(length), {}, {}};
  maskSequence(masked.shown, sample, key, how, masked.positions, masked.labels);
  return masked;
}

TEST(PredictedTokensTest, RoundsAndKeepsAtLeastOne) {
  struct Case {
    std::int64_t length;
    double probability;
    std::int64_t predicted;
  };
  for (const Case& c :
       {Case{3, 0.15, 1}, Case{8, 0.15, 1}, Case{11, 0.15, 1}, Case{12, 0.15, 2}, Case{128, 0.15, 19},
        Case{512, 0.15, 77}, Case{22, 0.15, 3}, Case{12, 0.25, 3}, Case{128, 1.0, 126}, Case{3, 1e-9, 1}})
    EXPECT_EQ(predictedTokens(c.length, c.probability), c.predicted) << c.length << " x " << c.probability;
}

TEST(MaskingTest, MasksExactlyTheNumberThatTheLengthSays) {
  for (std::size_t length = 3; length < 300; ++length)
    for (const double p : {0.01, 0.15, 0.4, 1.0}) {
      const Masked masked = mask(length, static_cast<std::int64_t>(length) * 7, {17, 3}, spec(p));
      const auto expected = predictedTokens(static_cast<std::int64_t>(length), p);
      ASSERT_EQ(std::ssize(masked.positions), expected);
      ASSERT_EQ(std::ssize(masked.labels), expected);
      for (std::size_t i = 0; i < masked.positions.size(); ++i) {
        ASSERT_GE(masked.positions[i], 1);
        ASSERT_LE(masked.positions[i], static_cast<std::int32_t>(length) - 2);
        if (i > 0) {
          ASSERT_LT(masked.positions[i - 1], masked.positions[i]);
        }
        ASSERT_EQ(masked.labels[i], 150);
      }
      ASSERT_EQ(masked.shown.front(), kCls);
      ASSERT_EQ(masked.shown.back(), kSep);
    }
}

TEST(MaskingTest, DependsOnSeedEpochAndSampleOnly) {
  const Masked first = mask(128, 42, {17, 3}, spec());
  EXPECT_EQ(mask(128, 42, {17, 3}, spec()), first);
  EXPECT_NE(mask(128, 43, {17, 3}, spec()).positions, first.positions);
  EXPECT_NE(mask(128, 42, {18, 3}, spec()).positions, first.positions);
  EXPECT_NE(mask(128, 42, {17, 4}, spec()).positions, first.positions);
}

TEST(MaskingTest, StaysAsItIs) {  // a change here changes every run that is resumed
  EXPECT_THAT(mask(22, 7, {17, 0}, spec()).positions, testing::ElementsAre(5, 12, 20));
}

TEST(MaskingTest, ShowsMaskRandomAndUnchangedInTheirShares) {
  std::map<std::int32_t, std::int64_t> shown;
  std::vector<std::int64_t> picked(128);
  constexpr std::int64_t kSamples = 20'000;
  for (std::int64_t sample = 0; sample < kSamples; ++sample) {
    const Masked masked = mask(128, sample, {1, 0}, spec());
    for (const std::int32_t position : masked.positions) {
      ++shown[masked.shown[static_cast<std::size_t>(position)]];
      ++picked[static_cast<std::size_t>(position)];
    }
  }
  const double total = 19.0 * kSamples;
  const double sigma = std::sqrt(total * 0.1 * 0.9);
  const double perId = total * 0.1 / 195;  // 200 ids, 5 of them special
  EXPECT_NEAR(static_cast<double>(shown[kMask]), total * 0.8, 5 * sigma * 2);
  EXPECT_NEAR(static_cast<double>(shown[150]), total * 0.1 + perId, 5 * sigma);
  EXPECT_EQ(shown.size(), 195u + 1u);
  for (const auto& [id, count] : shown) {
    if (id == kMask || id == 150) continue;
    EXPECT_FALSE(std::binary_search(kSpecial.begin(), kSpecial.end(), id)) << id;
    EXPECT_NEAR(static_cast<double>(count), perId, 6 * std::sqrt(perId)) << id;
  }
  const double perPlace = total / 126;
  for (std::size_t place = 1; place < 127; ++place)
    EXPECT_NEAR(static_cast<double>(picked[place]), perPlace, 6 * std::sqrt(perPlace)) << place;
}

TEST(MaskingTest, TakesPairsOfPlacesIndependently) {
  constexpr int kSamples = 60'000;
  std::map<std::pair<int, int>, int> pairs;
  for (int sample = 0; sample < kSamples; ++sample) {
    const Masked masked = mask(8, sample, {9, 1}, spec(0.34));
    ASSERT_EQ(masked.positions.size(), 2u);
    ++pairs[{masked.positions[0], masked.positions[1]}];
  }
  EXPECT_EQ(pairs.size(), 15u);
  for (const auto& [pair, count] : pairs) EXPECT_NEAR(count, kSamples / 15, 6 * std::sqrt(kSamples / 15)) << pair.first;
}

}  // namespace
}  // namespace batchwise
