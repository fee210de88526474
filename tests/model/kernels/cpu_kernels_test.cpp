// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/kernels/cpu_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/random.h"
#include "core/model/kernels/dropout.h"
#include "tests/model/kernels/norm_case.h"
#include "tests/model/kernels/reference.h"

namespace batchwise {
namespace {

// Every kernel at every instruction set of this machine against the reference in double.

const Size kSizes[] = {{0, 8}, {1, 1}, {3, 5}, {2, 16}, {7, 33}, {5, 256}, {2, 1025}, {1, 4100}};

template <typename Element>
void forLevelsAndSizes(const std::function<void(const CpuKernels<Element>&, Size)>& check) {
  CpuKernelLevel<Element> levels[3];
  const int count = cpuKernelLevels<Element>(levels);
  ASSERT_GE(count, 1);
  for (int i = 0; i < count; ++i)
    for (const Size& size : kSizes) {
      SCOPED_TRACE(std::string(levels[i].name) + " " + std::to_string(size.rows) + " x " + std::to_string(size.width));
      check(*levels[i].kernels, size);
    }
}

template <typename Element>
class CpuKernelsTest : public testing::Test {};
using Elements = testing::Types<float, Bf16, Fp16>;
TYPED_TEST_SUITE(CpuKernelsTest, Elements);

TYPED_TEST(CpuKernelsTest, AddNormEqualsTheReference) {
  forLevelsAndSizes<TypeParam>([](const CpuKernels<TypeParam>& kernels, Size size) {
    for (const double probability : {0.0, 0.3}) {
      NormCase<TypeParam> one(size, probability);
      kernels.addNorm(one.arguments(), 0, size.rows);
      const auto expected = one.expected();
      for (std::size_t i = 0; i < one.count; ++i) {
        ASSERT_NEAR(toFloat(one.sum[i]), expected.sum[i], normTolerance<TypeParam>()) << i;
        // A row of one number has no variance: its rounding decides.
        if (size.width > 1) {
          ASSERT_NEAR(toFloat(one.output[i]), expected.output[i], 4 * normTolerance<TypeParam>()) << i;
        }
      }
    }
  });
}

TEST(AddNormGradientTest, EqualsDifferencesOfTheReference) {
  constexpr double kStep = 1e-3;
  NormCase<float> one({3, 7}, 0.3);
  const auto weights = numbers(one.count, 9), sumWeights = numbers(one.count, 10), more = numbers(one.count, 11);
  cpuKernels<float>().addNorm(one.arguments(), 0, 3);
  const auto objective = [&](const NormCase<float>& c) {
    const auto expected = c.expected();
    double total = 0;
    for (std::size_t i = 0; i < c.count; ++i)
      total += expected.output[i] * (weights[i] + more[i]) + expected.sum[i] * sumWeights[i];
    return total;
  };
  const auto difference = [&](std::vector<float> NormCase<float>::*which, std::size_t i) {
    NormCase<float> above = one, below = one;
    (above.*which)[i] += static_cast<float>(kStep);
    (below.*which)[i] -= static_cast<float>(kStep);
    return (objective(above) - objective(below)) /
           (static_cast<double>((above.*which)[i]) - static_cast<double>((below.*which)[i]));
  };
  std::vector<float> input(one.count), residual(one.count), columns(3 * 7);
  AddNormGradient<float> a;
  a.outputGradient = weights.data();
  a.secondGradient = more.data();
  a.sumGradient = sumWeights.data();
  a.sum = one.sum.data();
  a.mean = one.mean.data();
  a.rstd = one.rstd.data();
  a.rowKeys = one.rowKeys.data();
  a.gamma = one.gamma.data();
  a.inputGradient = input.data();
  a.residualGradient = residual.data();
  a.columns = columns.data();
  a.dropout = one.dropout;
  a.width = 7;
  CpuKernelLevel<float> levels[3];
  for (int level = 0; level < cpuKernelLevels<float>(levels); ++level) {
    levels[level].kernels->addNormGradient(a, 0, 3);
    std::vector<float> ofNorm(2 * 7, 1.0F);
    AddNormGradient<float> columnsOnly = a;
    columnsOnly.columns = ofNorm.data();
    levels[level].kernels->normColumns(columnsOnly, 0, 3);
    for (std::size_t j = 0; j < ofNorm.size(); ++j) EXPECT_NEAR(ofNorm[j], columns[j], 1e-5) << j;
    for (std::size_t i = 0; i < one.count; ++i) {
      EXPECT_NEAR(input[i], difference(&NormCase<float>::input, i), 2e-3) << i;
      EXPECT_NEAR(residual[i], difference(&NormCase<float>::residual, i), 2e-3) << i;
    }
    for (std::size_t j = 0; j < 7; ++j) {
      EXPECT_NEAR(columns[j], difference(&NormCase<float>::gamma, j), 2e-3);
      EXPECT_NEAR(columns[7 + j], difference(&NormCase<float>::beta, j), 2e-3);
      EXPECT_NEAR(columns[14 + j], difference(&NormCase<float>::bias, j), 2e-3);
    }
  }
}

TYPED_TEST(CpuKernelsTest, ActivationsEqualTheReferenceWithTheirSlopes) {
  forLevelsAndSizes<TypeParam>([](const CpuKernels<TypeParam>& kernels, Size size) {
    const auto count = static_cast<std::size_t>(size.rows * size.width);
    const auto input = elements<TypeParam>(numbers(count, 1, 6.0F));
    const auto bias = numbers(static_cast<std::size_t>(size.width), 2);
    for (const auto kind :
         {ActivationKind::Gelu, ActivationKind::GeluTanh, ActivationKind::Relu, ActivationKind::Silu}) {
      std::vector<TypeParam> output(count), slope(count);
      kernels.biasActivation({input.data(), bias.data(), output.data(), slope.data(), kind, size.width}, 0, size.rows);
      for (std::size_t i = 0; i < count; ++i) {
        const double x = static_cast<double>(toFloat(input[i])) + bias[i % static_cast<std::size_t>(size.width)];
        const double expected = activationReference(x, kind);
        const double around = (activationReference(x + 1e-5, kind) - activationReference(x - 1e-5, kind)) / 2e-5;
        const double limit = std::is_same_v<TypeParam, float> ? 3e-6 : 2e-2;
        ASSERT_NEAR(toFloat(output[i]), expected, limit * (1 + std::abs(expected))) << x;
        if (std::abs(x) > 1e-4) {
          ASSERT_NEAR(toFloat(slope[i]), around, limit * 2) << x;
        }
      }
    }
  });
}

TYPED_TEST(CpuKernelsTest, AnActivationWithoutBiasIsThatOfABiasOfZero) {
  forLevelsAndSizes<TypeParam>([](const CpuKernels<TypeParam>& kernels, Size size) {
    const auto count = static_cast<std::size_t>(size.rows * size.width);
    const auto input = elements<TypeParam>(numbers(count, 1, 6.0F));
    const std::vector<float> zeros(static_cast<std::size_t>(size.width));
    std::vector<TypeParam> output(count), slope(count), expected(count), expectedSlope(count);
    kernels.biasActivation({input.data(), nullptr, output.data(), slope.data(), ActivationKind::Gelu, size.width}, 0,
                           size.rows);
    kernels.biasActivation(
        {input.data(), zeros.data(), expected.data(), expectedSlope.data(), ActivationKind::Gelu, size.width}, 0,
        size.rows);
    EXPECT_EQ(rounded(output), rounded(expected));
    EXPECT_EQ(rounded(slope), rounded(expectedSlope));
  });
}

/// Largest error of numbers about 1 in the kernel's type.
template <typename Element>
constexpr double kRounding = std::is_same_v<Element, float> ? 5e-6 : 2e-2;

TYPED_TEST(CpuKernelsTest, AGatedActivationAndItsGradientEqualTheReference) {
  forLevelsAndSizes<TypeParam>([](const CpuKernels<TypeParam>& kernels, Size size) {
    const auto count = static_cast<std::size_t>(size.rows * size.width);
    const auto width = static_cast<std::size_t>(size.width);
    const auto input = elements<TypeParam>(numbers(2 * count, 1, 3.0F));
    const auto outer = elements<TypeParam>(numbers(count, 2));
    for (const auto kind : {ActivationKind::Gelu, ActivationKind::Silu}) {
      std::vector<TypeParam> plain(count), output(count), factors = input;
      kernels.gatedActivation({input.data(), plain.data(), nullptr, kind, size.width}, 0, size.rows);
      kernels.gatedActivation({factors.data(), output.data(), factors.data(), kind, size.width}, 0, size.rows);
      EXPECT_EQ(rounded(plain), rounded(output));
      kernels.gatedActivationGradient({outer.data(), factors.data(), factors.data(), size.width}, 0, size.rows);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = i / width * 2 * width + i % width;
        const double gate = toFloat(input[at]), up = toFloat(input[at + width]), g = toFloat(outer[i]);
        const double slope = (activationReference(gate + 1e-5, kind) - activationReference(gate - 1e-5, kind)) / 2e-5;
        const double limit = kRounding<TypeParam> * 9;  // of values up to 9
        ASSERT_NEAR(toFloat(output[i]), activationReference(gate, kind) * up, limit);
        ASSERT_NEAR(toFloat(factors[at]), g * up * slope, limit);
        ASSERT_NEAR(toFloat(factors[at + width]), g * activationReference(gate, kind), limit);
      }
    }
  });
}

TYPED_TEST(CpuKernelsTest, RotationEqualsTheReferenceAndTurnsBack) {
  constexpr double kTheta = 10000;
  for (const bool interleaved : {false, true})
    for (const std::int64_t headSize : {2, 6, 64})
      forLevelsAndSizes<TypeParam>([&](const CpuKernels<TypeParam>& kernels, Size size) {
        const std::int64_t heads = 3, half = headSize / 2, stride = (heads + 1) * headSize;
        std::vector<float> cosines, sines;
        for (std::int64_t position = 0; position < 50; ++position)
          for (std::int64_t i = 0; i < half; ++i) {
            const double angle = static_cast<double>(position) *
                                 std::pow(kTheta, -2.0 * static_cast<double>(i) / static_cast<double>(headSize));
            cosines.push_back(static_cast<float>(std::cos(angle)));
            sines.push_back(static_cast<float>(std::sin(angle)));
          }
        std::vector<std::int64_t> positions;
        for (std::int64_t i = 0; i < size.rows; ++i) positions.push_back(i * 7 % 50);
        const auto given = elements<TypeParam>(numbers(static_cast<std::size_t>(size.rows * stride), 1));
        auto values = given;
        Rotary<TypeParam> a{values.data(), positions.data(), cosines.data(), sines.data(), heads,
                            headSize,      stride,           interleaved,    false};
        kernels.rotate(a, 0, size.rows);
        for (std::int64_t row = 0; row < size.rows; ++row) {
          const auto first = static_cast<std::size_t>(row * stride);
          const std::vector<float> all = rounded(given);
          const auto expected =
              rotaryReference({all.data() + first, static_cast<std::size_t>(heads * headSize)}, headSize,
                              positions[static_cast<std::size_t>(row)], kTheta, interleaved);
          for (std::size_t i = 0; i < expected.size(); ++i)
            ASSERT_NEAR(toFloat(values[first + i]), expected[i], kRounding<TypeParam>);
          for (std::int64_t i = heads * headSize; i < stride; ++i)
            ASSERT_EQ(toFloat(values[first + static_cast<std::size_t>(i)]),
                      toFloat(given[first + static_cast<std::size_t>(i)]));
        }
        a.inverse = true;
        kernels.rotate(a, 0, size.rows);
        for (std::size_t i = 0; i < given.size(); ++i)
          ASSERT_NEAR(toFloat(values[i]), toFloat(given[i]), 2 * kRounding<TypeParam>);
      });
}

TYPED_TEST(CpuKernelsTest, RmsNormEqualsTheReferenceAndItsGradientIsTrue) {
  forLevelsAndSizes<TypeParam>([](const CpuKernels<TypeParam>& kernels, Size size) {
    NormCase<TypeParam> c(size, 0.0);
    auto a = c.arguments();
    a.bias = a.beta = nullptr;
    a.residual = nullptr;
    a.centered = false;
    kernels.addNorm(a, 0, size.rows);
    const auto expected = rmsNormReference(rounded(c.input), c.gamma, 1e-5);
    for (std::size_t i = 0; i < c.count; ++i) ASSERT_NEAR(toFloat(c.output[i]), expected[i], 3 * kRounding<TypeParam>);
    if (!std::is_same_v<TypeParam, float> || size.rows * size.width > 200) return;
    const auto outer = elements<TypeParam>(numbers(c.count, 9));
    std::vector<TypeParam> inner(c.count);
    std::vector<float> columns(3 * static_cast<std::size_t>(size.width));
    AddNormGradient<TypeParam> g;
    g.outputGradient = outer.data();
    g.sum = c.sum.data();
    g.mean = c.mean.data();
    g.rstd = c.rstd.data();
    g.gamma = c.gamma.data();
    g.inputGradient = inner.data();
    g.columns = columns.data();
    g.width = size.width;
    g.centered = false;
    kernels.addNormGradient(g, 0, size.rows);
    const auto total = [&](const std::vector<float>& input) {
      const auto output = rmsNormReference(input, c.gamma, 1e-5);
      double sum = 0;
      for (std::size_t i = 0; i < output.size(); ++i) sum += output[i] * toFloat(outer[i]);
      return sum;
    };
    for (std::size_t i = 0; i < c.count; ++i) {
      auto more = rounded(c.input), less = more;
      more[i] += 1e-3F;
      less[i] -= 1e-3F;
      ASSERT_NEAR(toFloat(inner[i]), (total(more) - total(less)) / 2e-3, 5e-3);
    }
  });
}

TEST(GeluTest, KeepsTheTailAndTheExtremes) {
  const std::vector<float> input = {-100.0F, -12.0F, -5.0F, -0.0F, 0.0F, 100.0F, 3e38F, std::nanf("")};
  const std::vector<float> bias(input.size(), 0.0F);
  CpuKernelLevel<float> levels[3];
  for (int level = 0; level < cpuKernelLevels<float>(levels); ++level) {
    std::vector<float> output(input.size()), slope(input.size());
    levels[level].kernels->biasActivation({input.data(), bias.data(), output.data(), slope.data(), ActivationKind::Gelu,
                                           static_cast<std::int64_t>(input.size())},
                                          0, 1);
    EXPECT_NEAR(output[2] / activationReference(-5, ActivationKind::Gelu), 1.0, 1e-5);
    EXPECT_EQ(output[0], 0.0F);
    EXPECT_EQ(output[5], 100.0F);
    EXPECT_EQ(output[6], 3e38F);
    EXPECT_TRUE(std::isnan(output[7]));
    EXPECT_EQ(slope[4], 0.5F);
  }
}

TYPED_TEST(CpuKernelsTest, CrossEntropyAndItsGradientEqualTheReference) {
  forLevelsAndSizes<TypeParam>([](const CpuKernels<TypeParam>& kernels, Size size) {
    const auto count = static_cast<std::size_t>(size.rows * size.width);
    const auto given = elements<TypeParam>(numbers(count, 1, 8.0F));
    const auto bias = numbers(static_cast<std::size_t>(size.width), 2);
    auto logits = given;
    std::vector<std::int64_t> labels, correct(static_cast<std::size_t>(size.rows));
    for (std::int64_t i = 0; i < size.rows; ++i) labels.push_back((i * 37) % size.width);
    std::vector<float> loss(labels.size()), scratch(static_cast<std::size_t>(size.width));
    kernels.crossEntropy(
        {logits.data(), bias.data(), labels.data(), loss.data(), correct.data(), scratch.data(), true, size.width}, 0,
        size.rows);
    for (std::int64_t i = 0; i < size.rows; ++i) {
      std::vector<double> row;
      for (std::int64_t j = 0; j < size.width; ++j)
        row.push_back(static_cast<double>(toFloat(given[static_cast<std::size_t>(i * size.width + j)])) +
                      bias[static_cast<std::size_t>(j)]);
      const auto at = static_cast<std::size_t>(i);
      const double expected = crossEntropyReference(row, labels[at]);
      EXPECT_NEAR(loss[at], expected, 1e-5 * (1 + expected));
      const auto top = std::max_element(row.begin(), row.end()) - row.begin();
      EXPECT_EQ(correct[at], top == labels[at] ? 1 : 0);
      for (std::int64_t j = 0; j < size.width; ++j) {
        const double share = std::exp(-crossEntropyReference(row, j)) - (j == labels[at] ? 1.0 : 0.0);
        const double limit = sizeof(TypeParam) == sizeof(float) ? 1e-6 : 5e-3;
        ASSERT_NEAR(toFloat(logits[static_cast<std::size_t>(i * size.width + j)]), share, limit);
      }
    }
  });
}

TYPED_TEST(CpuKernelsTest, CrossEntropyLeavesWhatStandsBetweenRowsOutAndMakesItZero) {
  constexpr std::int64_t kRows = 3, kWidth = 5, kStride = 8;
  const auto padded = elements<TypeParam>(numbers(kRows * kStride, 1, 8.0F));
  std::vector<TypeParam> plain;
  for (std::int64_t i = 0; i < kRows; ++i)
    plain.insert(plain.end(), padded.begin() + i * kStride, padded.begin() + i * kStride + kWidth);
  const auto bias = numbers(kWidth, 2);
  const std::vector<std::int64_t> labels = {4, 0, 2};
  const auto run = [&](std::vector<TypeParam> logits, std::int64_t stride) {
    std::vector<float> loss(kRows), scratch(kWidth);
    std::vector<std::int64_t> correct(kRows);
    cpuKernels<TypeParam>().crossEntropy(
        {logits.data(), bias.data(), labels.data(), loss.data(), correct.data(), scratch.data(), true, kWidth, stride},
        0, kRows);
    return std::pair(std::move(logits), std::move(loss));
  };
  const auto [gradient, loss] = run(padded, kStride);
  const auto [expected, expectedLoss] = run(plain, 0);
  EXPECT_EQ(loss, expectedLoss);
  for (std::int64_t i = 0; i < kRows * kStride; ++i) {
    const bool between = i % kStride >= kWidth;
    const auto at = static_cast<std::size_t>(i / kStride * kWidth + i % kStride);
    EXPECT_EQ(toFloat(gradient[static_cast<std::size_t>(i)]), between ? 0.0F : toFloat(expected[at])) << i;
  }
}

TEST(CrossEntropyTest, TheFirstOfEqualLogitsCounts) {
  std::vector<float> logits = {1, 2, 2, 0}, scratch(4), loss(1);
  std::vector<std::int64_t> label = {1}, correct(1);
  CrossEntropy<float> a{logits.data(), nullptr, label.data(), loss.data(), correct.data(), scratch.data(), false, 4};
  cpuKernels<float>().crossEntropy(a, 0, 1);
  EXPECT_EQ(correct[0], 1);
  label[0] = 2;
  cpuKernels<float>().crossEntropy(a, 0, 1);
  EXPECT_EQ(correct[0], 0);
  EXPECT_EQ(logits[1], 2.0F);  // not overwritten
}

TEST(DropoutRowTest, EveryLevelDropsTheSameFeatures) {
  CpuKernelLevel<float> levels[3];
  for (int level = 0; level < cpuKernelLevels<float>(levels); ++level)
    for (const std::int64_t width : {1, 3, 4, 64, 1023, 1024, 1025, 5000}) {
      const Dropout dropout = makeDropout(1, 2, 0, DropoutSite::AttentionWeights, 0.2);
      const std::int64_t key = dropoutRowKey(123456, 77);
      std::vector<float> row(static_cast<std::size_t>(width), 1.0F);
      levels[level].kernels->dropoutRow(row.data(), 0, width, dropout, key);
      const auto expected = dropoutReference(dropout, std::span(&key, 1), width);
      for (std::size_t j = 0; j < row.size(); ++j)
        ASSERT_EQ(row[j], static_cast<float>(expected[j])) << width << " " << j;
    }
}

TEST(Fp16Test, RoundsToNearestEvenAndKeepsSpecialNumbers) {
  EXPECT_EQ(fromFloat<Fp16>(1.0F).bits, 0x3C00);
  EXPECT_EQ(fromFloat<Fp16>(-2.0F).bits, 0xC000);
  EXPECT_EQ(toFloat(fromFloat<Fp16>(1.00048828125F)), 1.0F);  // halfway, to even
  EXPECT_EQ(toFloat(fromFloat<Fp16>(1.00146484375F)), 1.001953125F);
  EXPECT_EQ(toFloat(fromFloat<Fp16>(65519.0F)), 65504.0F);
  EXPECT_EQ(toFloat(fromFloat<Fp16>(65520.0F)), std::numeric_limits<float>::infinity());
  EXPECT_EQ(toFloat(fromFloat<Fp16>(5.9604645e-8F)), 5.9604645e-8F);  // the smallest number
  EXPECT_EQ(toFloat(fromFloat<Fp16>(2.9802322e-8F)), 0.0F);           // half of it, to even
  EXPECT_TRUE(std::isnan(toFloat(fromFloat<Fp16>(std::nanf("")))));
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Fp16 number{static_cast<std::uint16_t>(bits)};
    if (std::isnan(toFloat(number))) continue;
    ASSERT_EQ(fromFloat<Fp16>(toFloat(number)).bits, number.bits) << bits;
  }
}

TEST(Bf16Test, RoundsToNearestEvenAndKeepsSpecialNumbers) {
  EXPECT_EQ(toFloat(fromFloat<Bf16>(1.00390625F)), 1.0F);       // halfway, to even
  EXPECT_EQ(toFloat(fromFloat<Bf16>(1.01171875F)), 1.015625F);  // halfway, to even
  EXPECT_EQ(toFloat(fromFloat<Bf16>(3.4e38F)), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(toFloat(fromFloat<Bf16>(std::nanf("")))));
}

double keptShare(const Dropout& dropout, std::int64_t rows, std::int64_t width) {
  std::int64_t kept = 0;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t j = 0; j < width; ++j) kept += dropoutFactor(dropout, row, j) > 0 ? 1 : 0;
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
  const auto kept = [&](std::int64_t row, std::int64_t j) { return dropoutFactor(dropout, row, j) > 0 ? 1.0 : -1.0; };
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
