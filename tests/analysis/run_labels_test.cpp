// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/run_labels.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <set>
#include <string>

#include "core/config/config_file.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

ConfigValues valuesOf(const std::string& yaml) {
  const LoadedConfig loaded = test::checked(parseConfig(yaml, "test", {}));
  return *test::checked(configValuesOf(configToYaml(loaded.config, YamlScope::Everything), "test"));
}

LabeledGroup groupOf(std::vector<std::string> names, const ConfigValues& config) {
  LabeledGroup group{std::move(names), {}};
  group.configs.assign(group.names.size(), &config);
  return group;
}

TEST(CommonStemTest, LeavesOutSeedsAndNumbers) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"base-s1", "base-s2"}, "base"},
      {{"base seed 1", "base seed 2"}, "base"},
      {{"base-seed=1", "base-seed=2"}, "base"},
      {{"base", "base-2", "base-3"}, "base"},
      {{"base1", "base2"}, "base"},
      {{"ramp-64_1", "ramp-64_2"}, "ramp-64"},
      {{"x-lr=5e-4-seed=1", "x-lr=5e-4-seed=2"}, "x-lr=5e-4"},
      {{"s1-ramp", "s2-ramp"}, "ramp"},
      {{"a-s1-long", "a-s2-long"}, "a-long"},
      {{"Größe 1", "Größe 2"}, "Größe"},
      {{"base-s1"}, "base-s1"},
      {{"2026-11-23-1", "2026-11-23-2"}, ""},
      {{"one", "two"}, ""},
      {{}, ""},
  };
  for (const auto& [names, stem] : cases) EXPECT_EQ(commonStem(names), stem) << testing::PrintToString(names);
}

TEST(SeedGroupsTest, JoinsRunsThatDifferInTheSeedOnly) {
  const ConfigValues a1 = valuesOf("seed: 1\n"), a2 = valuesOf("seed: 2\nname: other\n");
  const ConfigValues b1 = valuesOf("seed: 1\noptimizer: {lr: 1e-3}\n");
  const ConfigValues unread;
  EXPECT_THAT(seedGroups({&a1, &b1, nullptr, &a2, &unread, nullptr}),
              ElementsAre(ElementsAre(0U, 3U), ElementsAre(1U), ElementsAre(2U), ElementsAre(4U), ElementsAre(5U)));
  EXPECT_THAT(seedGroups({}), SizeIs(0));
}

TEST(CountedRepetitionsTest, OfEqualSeedsTheNewestFinishedRunCounts) {
  using Counted = std::vector<bool>;
  EXPECT_EQ(countedRepetitions({{"1", true, 10}, {"1", true, 20}, {"1", false, 30}, {"2", false, 5}}),
            (Counted{false, true, false, true}));
  EXPECT_EQ(countedRepetitions({{"1", false, 20}, {"1", false, 10}}), (Counted{true, false})) << "the newest";
  EXPECT_EQ(countedRepetitions({{"", true, 10}, {"", true, 10}}), (Counted{true, true})) << "unknown";
}

TEST(DistinctLabelsTest, TakesTheCommonStemOfTheNames) {
  const ConfigValues base = valuesOf("seed: 17\n"), ramp = valuesOf("optimizer: {lr: 1e-3}\n");
  EXPECT_THAT(distinctLabels({groupOf({"base-s1", "base-s2"}, base), groupOf({"ramp-s1", "ramp-s2"}, ramp)}),
              ElementsAre("base", "ramp"));
}

TEST(DistinctLabelsTest, TakesTheVariantBeforeTheNames) {
  const ConfigValues base = valuesOf("experiment: one\nvariant: plain\n");
  const ConfigValues other = valuesOf("experiment: two\nvariant: plain\noptimizer: {lr: 1e-3}\n");
  const ConfigValues unnamed = valuesOf("optimizer: {lr: 1e-3}\n");
  EXPECT_THAT(distinctLabels({groupOf({"a", "b"}, base), groupOf({"c"}, unnamed)}), ElementsAre("plain", "c"));
  EXPECT_THAT(distinctLabels({groupOf({"a", "b"}, base), groupOf({"c", "d"}, other)}), ElementsAre("one", "two"));
}

TEST(DistinctLabelsTest, TellsEqualStemsApartBySettings) {
  const ConfigValues base = valuesOf("batch: {global_train_batch_size: 64}\n");
  const ConfigValues ramp =
      valuesOf("batch: {global_train_batch_size: 64, rampup: {duration: 20ba, initial_global_train_batch_size: 8}}\n");
  const ConfigValues budget = valuesOf("batch: {global_train_batch_size: 64, tokens: {max_tokens: 1600}}\n");
  EXPECT_THAT(distinctLabels({groupOf({"demo-1", "demo-2"}, base), groupOf({"demo-3", "demo-4"}, ramp),
                              groupOf({"demo-5", "demo-6"}, budget)}),
              ElementsAre("no ramp, no budget", "ramp 8 to 64", "budget 1,600"));
}

TEST(DistinctLabelsTest, SaysRatesAndOtherValuesInWords) {
  const ConfigValues low = valuesOf("optimizer: {lr: 5e-4}\n"), high = valuesOf("optimizer: {lr: 1.5e-3}\n");
  EXPECT_THAT(distinctLabels({groupOf({"x-1", "x-2"}, low), groupOf({"x-3", "x-4"}, high)}),
              ElementsAre("lr 5e-4", "lr 1.5e-3"));
  const ConfigValues heavy = valuesOf("optimizer: {weight_decay: 0.1}\n"), light = valuesOf("seed: 17\n");
  EXPECT_THAT(distinctLabels({groupOf({"x-1", "x-2"}, heavy), groupOf({"x-3", "x-4"}, light)}),
              ElementsAre("weight decay 0.1", "weight decay 0.01"));
}

TEST(CountedRepetitionsTest, RepetitionsDifferByAnySeed) {
  const ConfigValues one = {{"seed", "17"}, {"data.demo_seed", "1"}}, other = {{"seed", "17"}, {"data.demo_seed", "2"}};
  EXPECT_EQ(repetitionSeeds(one), repetitionSeeds(ConfigValues(one)));
  EXPECT_NE(repetitionSeeds(one), repetitionSeeds(other));
}

TEST(DistinctLabelsTest, ASettingWithoutEffectTellsNothing) {
  const ConfigValues fresh = valuesOf("model: {preset: tiny}\noptimizer: {weight_decay: 0.1}\n");
  const ConfigValues continued = valuesOf("model: {init_from: exported}\noptimizer: {weight_decay: 0.2}\n");
  EXPECT_THAT(distinctLabels({groupOf({"x-1", "x-2"}, fresh), groupOf({"x-3", "x-4"}, continued)}),
              testing::Not(testing::Contains("base")));
}

TEST(DistinctLabelsTest, AContinuedModelIsToldFromAFreshOneBeforeAllElse) {
  const ConfigValues fresh = valuesOf("batch: {global_train_batch_size: 64}\n");
  const ConfigValues continued =
      valuesOf("batch: {global_train_batch_size: 256}\nmodel: {init_from: /runs/exported/}\n");
  EXPECT_THAT(distinctLabels({groupOf({"x-1", "x-2"}, fresh), groupOf({"x-3", "x-4"}, continued)}),
              ElementsAre("from random weights", "continues exported"));
}

TEST(DistinctLabelsTest, NumbersWhatNothingTellsApart) {
  const ConfigValues same = valuesOf("seed: 17\n");
  EXPECT_THAT(distinctLabels({groupOf({"x-1", "x-2"}, same), groupOf({"x-3", "x-4"}, same)}),
              ElementsAre("x", "x (2)"));
  LabeledGroup unread{{"1", "2"}, {nullptr, nullptr}};
  EXPECT_THAT(distinctLabels({unread, unread}), ElementsAre("1", "1 (2)"));
}

TEST(ElidedTest, KeepsDifferentLabelsDifferentAtEveryWidth) {
  const std::string longText(80, 'x');
  const std::vector<std::vector<std::string>> cases = {
      {"short", "other"},
      {longText + "-base", longText + "-ramp"},
      {"base-" + longText, "ramp-" + longText},
      {longText + "-base-" + longText, longText + "-ramp-" + longText, "plain"},
      {"größere Läufe der ersten Woche", "größere Läufe der zweiten Woche"},
  };
  for (const auto& labels : cases) {
    for (std::size_t room = 1; room < 180; ++room) {
      const auto texts = elided(labels, [room](const std::string& text) { return text.size() <= room; });
      ASSERT_EQ(texts.size(), labels.size());
      EXPECT_EQ(std::set(texts.begin(), texts.end()).size(), labels.size()) << labels.front() << " in " << room;
      for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i].size() <= room) {
          EXPECT_EQ(texts[i], labels[i]);
        }
      }
    }
  }
}

TEST(ElidedTest, ElidesInTheMiddle) {
  const auto fits = [](const std::string& text) { return text.size() <= 9; };
  EXPECT_THAT(elided({"abcdefghijklm", "rest"}, fits), ElementsAre("abc…klm", "rest"));
}

TEST(ElidedTest, ShowsWhatDiffers) {
  const auto fits = [](const std::string& text) { return text.size() <= 29; };
  const auto middle = elided({"a-rather-long-beginning-ramp8-and-a-rather-long-end-of-it",
                              "a-rather-long-beginning-ramp64-and-a-rather-long-end-of-it"},
                             [](const std::string& text) { return text.size() <= 23; });
  EXPECT_TRUE(middle[0].starts_with("…ramp8")) << middle[0];
  EXPECT_TRUE(middle[1].starts_with("…ramp64")) << middle[1];
  std::vector<std::string> names;
  for (const char* ramp : {"8", "16"})
    for (const char* rate : {"1e-4", "5e-4"})
      for (const char* seed : {"1", "2"})
        names.push_back(std::string("modernbert-small-wiki-ramp-") + ramp + "-to-256-lr-" + rate +
                        "-warmup-0.06-seed-" + seed);
  const auto parts = elided(names, fits);
  EXPECT_EQ(parts.front(), "…ramp-8…lr-1e-4…seed-1");
  EXPECT_EQ(parts.back(), "…ramp-16…lr-5e-4…seed-2");
}

TEST(ElidedTest, EqualNamesAreNumbered) {
  const auto fits = [](const std::string& text) { return text.size() <= 20; };
  EXPECT_THAT(elided({"base", "base", "base"}, fits), ElementsAre("base", "base (2)", "base (3)"));
}

Triple product(const Matrix& matrix, const Triple& value) {
  Triple result{};
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column) result[row] += matrix[row][column] * value[column];
  return result;
}

/// Returns the linear channels of "#RRGGBB" (IEC 61966-2-1).
Triple linear(const std::string& color) {
  Triple channels{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = static_cast<double>(std::strtol(color.substr(1 + 2 * i, 2).c_str(), nullptr, 16)) / 255;
    channels[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return channels;
}

double luminance(const std::string& color) {
  const Triple channels = linear(color);
  return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2];
}

double contrast(const std::string& first, const std::string& second) {
  const auto [low, high] = std::minmax({luminance(first), luminance(second)});
  return (high + 0.05) / (low + 0.05);
}

/// Normal vision, protanopia, deuteranopia and tritanopia. Source: Machado, Oliveira and Fernandes 2009, severity 1,
/// for linear channels.
constexpr std::array<Matrix, 4> kVisions = {
    Matrix{Triple{1, 0, 0}, Triple{0, 1, 0}, Triple{0, 0, 1}},
    Matrix{Triple{0.152286, 1.052583, -0.204868}, Triple{0.114503, 0.786281, 0.099216},
           Triple{-0.003882, -0.048116, 1.051998}},
    Matrix{Triple{0.367322, 0.860646, -0.227968}, Triple{0.280085, 0.672501, 0.047413},
           Triple{-0.011820, 0.042940, 0.968881}},
    Matrix{Triple{1.255528, -0.076749, -0.178779}, Triple{-0.078411, 0.930809, 0.147602},
           Triple{0.004733, 0.691367, 0.303900}}};

/// CIELAB with the white point D65.
Triple lab(const Triple& linearChannels) {
  constexpr Matrix kToXyz = {Triple{0.4124564, 0.3575761, 0.1804375}, Triple{0.2126729, 0.7151522, 0.0721750},
                             Triple{0.0193339, 0.1191920, 0.9503041}};
  constexpr Triple kWhite = {0.95047, 1, 1.08883};
  Triple f = product(kToXyz, linearChannels);
  for (std::size_t i = 0; i < 3; ++i) {
    const double share = f[i] / kWhite[i];
    f[i] = share > 216.0 / 24389 ? std::cbrt(share) : (24389.0 / 27 * share + 16) / 116;
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

double degrees(double radians) {
  const double angle = radians * 180 / std::numbers::pi;
  return angle < 0 ? angle + 360 : angle;
}
double radians(double angle) {
  return angle * std::numbers::pi / 180;
}

/// Source: Sharma, Wu and Dalal 2005, equations 2 to 22.
double ciede2000(const Triple& first, const Triple& second) {
  constexpr double k25 = 6103515625.0;  // 25^7
  const double meanChroma = (std::hypot(first[1], first[2]) + std::hypot(second[1], second[2])) / 2;
  const double seventh = std::pow(meanChroma, 7);
  const double stretch = 1 + 0.5 * (1 - std::sqrt(seventh / (seventh + k25)));
  const double a1 = stretch * first[1], a2 = stretch * second[1];
  const double c1 = std::hypot(a1, first[2]), c2 = std::hypot(a2, second[2]);
  const double h1 = c1 == 0 ? 0 : degrees(std::atan2(first[2], a1));
  const double h2 = c2 == 0 ? 0 : degrees(std::atan2(second[2], a2));
  double turn = h2 - h1;
  if (turn > 180) turn -= 360;
  if (turn < -180) turn += 360;
  double hue = (h1 + h2) / 2;
  if (std::abs(h1 - h2) > 180) hue += h1 + h2 < 360 ? 180 : -180;
  if (c1 * c2 == 0) {
    turn = 0;
    hue = h1 + h2;
  }
  const double lightness = second[0] - first[0], chroma = c2 - c1;
  const double tint = 2 * std::sqrt(c1 * c2) * std::sin(radians(turn / 2));
  const double meanLightness = (first[0] + second[0]) / 2, meanC = (c1 + c2) / 2;
  const double t = 1 - 0.17 * std::cos(radians(hue - 30)) + 0.24 * std::cos(radians(2 * hue)) +
                   0.32 * std::cos(radians(3 * hue + 6)) - 0.20 * std::cos(radians(4 * hue - 63));
  const double off = (meanLightness - 50) * (meanLightness - 50);
  const double l = lightness / (1 + 0.015 * off / std::sqrt(20 + off));
  const double c = chroma / (1 + 0.045 * meanC);
  const double h = tint / (1 + 0.015 * meanC * t);
  const double power = std::pow(meanC, 7);
  const double rotation =
      -std::sin(radians(60 * std::exp(-std::pow((hue - 275) / 25, 2)))) * 2 * std::sqrt(power / (power + k25));
  return std::sqrt(l * l + c * c + h * h + rotation * c * h);
}

Triple seen(const Matrix& vision, const std::string& color) {
  Triple channels = product(vision, linear(color));
  for (double& channel : channels) channel = std::clamp(channel, 0.0, 1.0);
  return lab(channels);
}

TEST(Ciede2000Test, AgreesWithThePublishedPairs) {
  // Sharma et al. 2005, table 1, pairs 1, 4, 7, 13, 17 and 25.
  EXPECT_NEAR(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 1e-4);
  EXPECT_NEAR(ciede2000({50, -1.3802, -84.2814}, {50, 0, -82.7485}), 1.0000, 1e-4);
  EXPECT_NEAR(ciede2000({50, 0, 0}, {50, -1, 2}), 2.3669, 1e-4);
  EXPECT_NEAR(ciede2000({50, -0.0010, 2.4900}, {50, 0.0009, -2.4900}), 4.8045, 1e-4);
  EXPECT_NEAR(ciede2000({50, 2.5, 0}, {73, 25, -18}), 27.1492, 1e-4);
  EXPECT_NEAR(ciede2000({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}), 1.2644, 1e-4);
}

TEST(RunStylesTest, UpToEightGroupsCanBeToldApartWithEveryVision) {
  for (const auto& [ground, colorOf] :
       {std::pair<const char*, const char * SeriesStyle::*>("#FFFFFF", &SeriesStyle::color),
        {"#22252B", &SeriesStyle::onDark}}) {
    for (int i = 0; i < 8; ++i) {
      const std::string color = seriesStyle(i).*colorOf;
      EXPECT_GE(contrast(color, ground), 3) << color << " on " << ground;
      for (int j = 0; j < i; ++j)
        for (std::size_t vision = 0; vision < kVisions.size(); ++vision) {
          const std::string other = seriesStyle(j).*colorOf;
          EXPECT_GE(ciede2000(seen(kVisions[vision], color), seen(kVisions[vision], other)), 20)
              << color << " and " << other << ", vision " << vision;
        }
    }
  }
}

TEST(RunStylesTest, StylesLookDifferent) {
  std::set<std::pair<std::string, bool>> looks;
  for (int style = 0; style < 16; ++style) {
    looks.insert({seriesStyle(style).color, seriesStyle(style).dashed});
    EXPECT_EQ(seriesStyle(style).dashed, style >= 8);
  }
  EXPECT_EQ(looks.size(), 16U);
}

}  // namespace
}  // namespace batchwise
