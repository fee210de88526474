// SPDX-License-Identifier: GPL-3.0-or-later
// What the threads of the CUDA kernels of AddNorm do, played on the CPU one thread after the other, against the
// reference and the CPU kernel. What only the device does, the sums over a block, is tested in tests/cuda.
#include "core/kernels/cuda/thread_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include "core/kernels/cpu_kernels.h"
#include "core/kernels/reference/reference.h"
#include "tests/kernels/norm_case.h"

namespace batchwise {
namespace {

template <typename Element, int kQuads>
void playAddNorm(const AddNorm<Element>& a, std::int64_t rows) {
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<ThreadNorm<Element, kQuads>> threads(kNormThreads);
    const auto place = [&](int thread) { return ThreadRow<kQuads>{row, a.width, thread}; };
    float total = 0, squares = 0;
    for (int t = 0; t < kNormThreads; ++t) total += threads[static_cast<std::size_t>(t)].add(a, place(t));
    const float mean = total / static_cast<float>(a.width);
    for (int t = 0; t < kNormThreads; ++t) squares += threads[static_cast<std::size_t>(t)].squares(place(t), mean);
    const float rstd = 1.0F / std::sqrt(squares / static_cast<float>(a.width) + a.eps);
    for (int t = 0; t < kNormThreads; ++t) threads[static_cast<std::size_t>(t)].finish(a, place(t), mean, rstd);
  }
}

template <typename Element, int kQuads>
void playGradient(const AddNormGradient<Element>& a, std::int64_t rows) {
  using Share = ThreadNormGradient<Element, kQuads>;
  std::vector<Share> threads(kNormThreads);
  const auto place = [&](std::int64_t row, int thread) { return ThreadRow<kQuads>{row, a.width, thread}; };
  for (std::int64_t row = 0; row < rows; ++row) {
    typename Share::Totals totals;
    for (int t = 0; t < kNormThreads; ++t) {
      const auto own = threads[static_cast<std::size_t>(t)].gather(a, place(row, t));
      totals.inner += own.inner;
      totals.weighted += own.weighted;
    }
    for (int t = 0; t < kNormThreads; ++t) threads[static_cast<std::size_t>(t)].finish(a, place(row, t), totals);
  }
  for (int t = 0; t < kNormThreads; ++t) threads[static_cast<std::size_t>(t)].writeColumns(place(0, t), a.columns);
}

template <typename Element>
class ThreadNormTest : public testing::Test {};
using Elements = testing::Types<float, Bf16, Fp16>;
TYPED_TEST_SUITE(ThreadNormTest, Elements);

// The width that each number of quads of a thread is for, and odd ones.
template <typename Element, typename Check>
void forWidths(const Check& check) {
  for (const std::int64_t width : {4, 12, 508, 512}) check(std::integral_constant<int, 1>(), width);
  for (const std::int64_t width : {516, 768, 1024}) check(std::integral_constant<int, 2>(), width);
  for (const std::int64_t width : {1028, 2048}) check(std::integral_constant<int, 4>(), width);
}

TYPED_TEST(ThreadNormTest, TheThreadsOfARowMakeTheReference) {
  forWidths<TypeParam>([](auto quads, std::int64_t width) {
    for (const double probability : {0.0, 0.3}) {
      NormCase<TypeParam> one({3, width}, probability);
      playAddNorm<TypeParam, decltype(quads)::value>(one.arguments(), 3);
      const auto expected = one.expected();
      for (std::size_t i = 0; i < one.count; ++i) {
        ASSERT_NEAR(toFloat(one.sum[i]), expected.sum[i], normTolerance<TypeParam>()) << width << ": " << i;
        ASSERT_NEAR(toFloat(one.output[i]), expected.output[i], 4 * normTolerance<TypeParam>()) << width << ": " << i;
      }
    }
  });
}

TYPED_TEST(ThreadNormTest, TheirGradientIsThatOfTheCpuKernel) {
  forWidths<TypeParam>([](auto quads, std::int64_t width) {
    for (const int given : {1, 2, 3}) {  // outputGradient, sumGradient, both
      NormCase<TypeParam> one({3, width}, 0.3);
      cpuKernels<TypeParam>().addNorm(one.arguments(), 0, 3);
      const auto outer = elements<TypeParam>(numbers(one.count, 9)),
                 other = elements<TypeParam>(numbers(one.count, 10));
      struct Outcome {
        std::vector<TypeParam> input, residual;
        std::vector<float> columns;
      };
      const auto arguments = [&](Outcome& outcome) {
        outcome.input.resize(one.count);
        outcome.residual.resize(one.count);
        outcome.columns.resize(static_cast<std::size_t>(3 * width));
        AddNormGradient<TypeParam> a;
        a.outputGradient = (given & 1) != 0 ? outer.data() : nullptr;
        a.sumGradient = (given & 2) != 0 ? other.data() : nullptr;
        a.sum = one.sum.data();
        a.mean = one.mean.data();
        a.rstd = one.rstd.data();
        a.rowKeys = one.rowKeys.data();
        a.gamma = one.gamma.data();
        a.inputGradient = outcome.input.data();
        a.residualGradient = outcome.residual.data();
        a.columns = outcome.columns.data();
        a.dropout = one.dropout;
        a.width = width;
        return a;
      };
      Outcome played, expected;
      playGradient<TypeParam, decltype(quads)::value>(arguments(played), 3);
      cpuKernels<TypeParam>().addNormGradient(arguments(expected), 0, 3);
      for (std::size_t i = 0; i < one.count; ++i) {
        ASSERT_NEAR(toFloat(played.input[i]), toFloat(expected.input[i]), normTolerance<TypeParam>()) << width;
        ASSERT_NEAR(toFloat(played.residual[i]), toFloat(expected.residual[i]), normTolerance<TypeParam>()) << width;
      }
      for (std::size_t i = 0; i < expected.columns.size(); ++i)
        ASSERT_NEAR(played.columns[i], expected.columns[i], 1e-4) << width;
    }
  });
}

}  // namespace
}  // namespace batchwise
