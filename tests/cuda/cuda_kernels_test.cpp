// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA kernels against their references, without LibTorch. Built twice: for a GPU, skipped without one, and for the
// emulator of tests/model/kernels/emulator on any processor.
#include "core/model/kernels/cuda_kernels.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/model/kernels/cpu_kernels.h"
#include "core/model/kernels/cuda/launch.cuh"
#include "tests/model/kernels/norm_case.h"
#include "tests/model/kernels/reference.h"

namespace batchwise {
namespace {

#if defined(BATCHWISE_EMULATED)
constexpr std::int64_t kManyRows = 300;
constexpr std::int64_t kRowsOfSeveralTurns = 150;  // more than the grid of a gradient has at once
#else
// The grid of a gradient has 1056 at once on 132 multiprocessors.
constexpr std::int64_t kRowsOfSeveralTurns = 2500;
constexpr std::int64_t kManyRows = 70000;  // more than the other dimensions of a grid have blocks
#endif

constexpr ActivationKind kKinds[] = {ActivationKind::Gelu, ActivationKind::GeluTanh, ActivationKind::Relu,
                                     ActivationKind::Silu};

/// Numbers in the memory of the device, given back at the end.
template <typename Number>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<Number>& numbers) : count_(numbers.size()) {
    EXPECT_EQ(cudaMalloc(&data_, std::max<std::size_t>(1, count_ * sizeof(Number))), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data_, numbers.data(), count_ * sizeof(Number), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~OnDevice() { EXPECT_EQ(cudaFree(data_), cudaSuccess); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  Number* get() const { return static_cast<Number*>(data_); }
  std::vector<Number> back() const {
    std::vector<Number> numbers(count_);
    EXPECT_EQ(cudaMemcpy(numbers.data(), data_, count_ * sizeof(Number), cudaMemcpyDeviceToHost), cudaSuccess);
    return numbers;
  }

 private:
  void* data_ = nullptr;
  std::size_t count_;
};

template <typename Element>
class CudaKernelsTest : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no CUDA device here";
  }
  static std::vector<Element> numbers(std::uint64_t key, std::int64_t count, double scale) {
    std::vector<Element> all;
    for (std::int64_t i = 0; i < count; ++i)
      all.push_back(fromFloat<Element>(
          static_cast<float>(scale * (2.0 * unitRandom(randomBits(key, static_cast<std::uint64_t>(i))) - 1.0))));
    return all;
  }
  // Half a unit in the last place of a number near 1.
  static double rounding() {
    return std::is_same_v<Element, float> ? 1e-6 : std::is_same_v<Element, Fp16> ? 5e-4 : 4e-3;
  }
};

void launched(const Result<void>& outcome) {
  ASSERT_TRUE(outcome.ok()) << outcome.error().text();
}

using Elements = testing::Types<float, Bf16, Fp16>;
TYPED_TEST_SUITE(CudaKernelsTest, Elements);

TYPED_TEST(CudaKernelsTest, CrossEntropyAndItsGradientAreThoseOfTheReference) {
  for (const Size& size :
       {Size{1, 1}, Size{3, 2}, Size{5, 31}, Size{7, 257}, Size{2, 30522}, Size{kManyRows, 5}, Size{0, 9}}) {
    const auto logits = this->numbers(1, size.rows * size.width, 6.0);
    std::vector<float> bias;
    for (std::int64_t i = 0; i < size.width; ++i) bias.push_back(static_cast<float>(i % 5) * 0.25F);
    std::vector<std::int64_t> labels;
    for (std::int64_t row = 0; row < size.rows; ++row) labels.push_back((row * 7 + 3) % size.width);
    const OnDevice<TypeParam> logitsThere(logits);
    const OnDevice<float> biasThere(bias), lossThere(std::vector<float>(static_cast<std::size_t>(size.rows)));
    const OnDevice<std::int64_t> labelsThere(labels), correctThere(labels);
    CrossEntropy<TypeParam> a;
    a.logits = logitsThere.get();
    a.bias = biasThere.get();
    a.labels = labelsThere.get();
    a.loss = lossThere.get();
    a.correct = correctThere.get();
    a.width = size.width;  // rows without anything between them: stride 0
    a.overwrite = true;
    launched(cudaCrossEntropy(a, size.rows, nullptr));
    const auto loss = lossThere.back();
    const auto correct = correctThere.back();
    const auto gradient = logitsThere.back();
    for (std::int64_t row = 0; row < size.rows; row += std::max<std::int64_t>(1, size.rows / 50)) {
      std::vector<double> full;
      double sum = 0;
      for (std::int64_t i = 0; i < size.width; ++i) {
        full.push_back(static_cast<double>(toFloat(logits[static_cast<std::size_t>(row * size.width + i)])) +
                       static_cast<double>(bias[static_cast<std::size_t>(i)]));
        sum += std::exp(full.back());
      }
      const auto at = static_cast<std::size_t>(row);
      const double expected = crossEntropyReference(full, labels[at]);
      EXPECT_NEAR(loss[at], expected, 1e-5 * (1 + expected)) << size.rows << " x " << size.width;
      EXPECT_EQ(correct[at], std::max_element(full.begin(), full.end()) - full.begin() == labels[at] ? 1 : 0);
      for (std::int64_t i = 0; i < size.width; ++i)
        EXPECT_NEAR(toFloat(gradient[static_cast<std::size_t>(row * size.width + i)]),
                    std::exp(full[static_cast<std::size_t>(i)]) / sum - (i == labels[at] ? 1.0 : 0.0),
                    this->rounding());
    }
  }
}

TYPED_TEST(CudaKernelsTest, CrossEntropyOfRowsWithPaddingIsThatOfRowsWithout) {
  for (const std::int64_t stride : {5, 6, 64, 300}) {
    const std::int64_t rows = 9, width = 5;
    const auto padded = this->numbers(1, rows * stride, 6.0);
    std::vector<TypeParam> plain;
    for (std::int64_t row = 0; row < rows; ++row)
      plain.insert(plain.end(), padded.begin() + row * stride, padded.begin() + row * stride + width);
    const std::vector<std::int64_t> labels = {0, 1, 2, 3, 4, 3, 2, 1, 0};
    const OnDevice<float> bias(std::vector<float>(width, 0.5F));
    const OnDevice<std::int64_t> labelsThere(labels), correct(labels);
    const auto run = [&](const std::vector<TypeParam>& logits, std::int64_t distance) {
      const OnDevice<TypeParam> there(logits);
      const OnDevice<float> loss(std::vector<float>(static_cast<std::size_t>(rows)));
      CrossEntropy<TypeParam> a;
      a.logits = there.get();
      a.bias = bias.get();
      a.labels = labelsThere.get();
      a.loss = loss.get();
      a.correct = correct.get();
      a.width = width;
      a.stride = distance;
      a.overwrite = true;
      launched(cudaCrossEntropy(a, rows, nullptr));
      return std::pair(there.back(), loss.back());
    };
    const auto [gradient, loss] = run(padded, stride);
    const auto [expected, expectedLoss] = run(plain, width);
    for (std::size_t row = 0; row < loss.size(); ++row)
      EXPECT_NEAR(loss[row], expectedLoss[row], 1e-5 * (1 + expectedLoss[row])) << stride;
    for (std::int64_t i = 0; i < rows * stride; ++i) {
      const auto at = static_cast<std::size_t>(i / stride * width + i % stride);
      if (i % stride < width) {
        EXPECT_NEAR(toFloat(gradient[static_cast<std::size_t>(i)]), toFloat(expected[at]), this->rounding()) << stride;
      } else {
        EXPECT_EQ(toFloat(gradient[static_cast<std::size_t>(i)]), 0.0F) << stride << ": " << i;
      }
    }
  }
}

TYPED_TEST(CudaKernelsTest, ActivationAndItsGradientAreThoseOfTheCpuKernel) {
  for (const Size& size :
       {Size{0, 8}, Size{1, 1}, Size{3, 31}, Size{5, 8}, Size{700, 3072}, Size{5000, 64}, Size{9, 1032}}) {
    const auto count = static_cast<std::size_t>(size.rows * size.width);
    const auto input = this->numbers(1, size.rows * size.width, 4.0);
    const auto outer = this->numbers(2, size.rows * size.width, 1.0);
    const auto bias = batchwise::numbers(static_cast<std::size_t>(size.width), 3);
    const OnDevice<TypeParam> inputThere(input), outerThere(outer), output(input), gradient(input);
    const OnDevice<float> biasThere(bias);
    for (const auto kind : kKinds) {
      launched(cudaBiasActivation<TypeParam>(
          {inputThere.get(), biasThere.get(), output.get(), nullptr, kind, size.width}, size.rows, nullptr));
      const std::int64_t blocks = cudaBiasActivationColumnBlocks(size.rows, size.width);
      const OnDevice<float> columns(std::vector<float>(static_cast<std::size_t>(blocks * size.width)));
      launched(cudaBiasActivationGradient<TypeParam>(
          {outerThere.get(), inputThere.get(), gradient.get(), columns.get(), size.width, biasThere.get(), kind},
          size.rows, nullptr));
      std::vector<TypeParam> expected(count), slope(count), expectedGradient(count);
      std::vector<float> expectedColumns(static_cast<std::size_t>(size.width));
      const auto& cpu = cpuKernels<TypeParam>();
      cpu.biasActivation({input.data(), bias.data(), expected.data(), slope.data(), kind, size.width}, 0, size.rows);
      cpu.biasActivationGradient(
          {outer.data(), slope.data(), expectedGradient.data(), expectedColumns.data(), size.width}, 0, size.rows);
      const auto outputs = output.back(), gradients = gradient.back();
      for (std::size_t i = 0; i < count; ++i) {
        const double width = 1 + std::abs(toFloat(input[i]));
        ASSERT_NEAR(toFloat(outputs[i]), toFloat(expected[i]), 4 * this->rounding() * width) << toFloat(input[i]);
        ASSERT_NEAR(toFloat(gradients[i]), toFloat(expectedGradient[i]), 8 * this->rounding()) << toFloat(input[i]);
      }
      const auto parts = columns.back();
      for (std::size_t i = 0; i < expectedColumns.size(); ++i) {
        double total = 0;
        for (std::int64_t block = 0; block < blocks; ++block)
          total += parts[static_cast<std::size_t>(block * size.width) + i];
        ASSERT_NEAR(total, expectedColumns[i], 8 * this->rounding() * (1 + static_cast<double>(size.rows) / 10)) << i;
      }
    }
  }
}

TYPED_TEST(CudaKernelsTest, GatedActivationAndItsGradientAreThoseOfTheReference) {
  for (const Size& size : {Size{0, 8}, Size{1, 1}, Size{3, 31}, Size{5, 8}, Size{300, 1152}, Size{kManyRows, 8}}) {
    const auto input = this->numbers(1, 2 * size.rows * size.width, 4.0);
    const auto outer = this->numbers(2, size.rows * size.width, 1.0);
    for (const auto kind : kKinds) {
      const OnDevice<TypeParam> inputThere(input), outerThere(outer), output(outer);
      launched(cudaGatedActivation<TypeParam>({inputThere.get(), output.get(), nullptr, kind, size.width}, size.rows,
                                              nullptr));
      // In place of the input, as models do it.
      launched(cudaGatedActivationGradient<TypeParam>(
          {outerThere.get(), inputThere.get(), inputThere.get(), size.width, kind}, size.rows, nullptr));
      const auto outputs = output.back(), gradients = inputThere.back();
      for (std::int64_t i = 0; i < size.rows * size.width; i += 1 + size.rows * size.width / 20000) {
        const auto at = static_cast<std::size_t>(i / size.width * 2 * size.width + i % size.width),
                   other = at + static_cast<std::size_t>(size.width);
        const double gate = toFloat(input[at]), up = toFloat(input[other]),
                     g = toFloat(outer[static_cast<std::size_t>(i)]);
        constexpr double kStep = 1e-5;
        const double slope =
            kind == ActivationKind::Relu
                ? (gate > 0 ? 1.0 : 0.0)
                : (activationReference(gate + kStep, kind) - activationReference(gate - kStep, kind)) / (2 * kStep);
        const double value = activationReference(gate, kind), limit = 20 * this->rounding();
        ASSERT_NEAR(toFloat(outputs[static_cast<std::size_t>(i)]), value * up, limit) << gate << " " << up;
        ASSERT_NEAR(toFloat(gradients[at]), g * up * slope, limit) << gate << " " << up;
        ASSERT_NEAR(toFloat(gradients[other]), g * value, limit) << gate;
      }
    }
  }
}

TYPED_TEST(CudaKernelsTest, WithoutABiasItIsZero) {
  const std::int64_t rows = 3, width = 40;
  const auto input = this->numbers(1, rows * width, 4.0), outer = this->numbers(2, rows * width, 1.0);
  const std::vector<float> none(static_cast<std::size_t>(width));
  const std::vector<std::int64_t> labels = {5, 39, 0};
  const OnDevice<float> zero(none);
  const OnDevice<std::int64_t> labelsThere(labels);
  const auto run = [&](const float* bias) {
    const OnDevice<TypeParam> in(input), out(outer), logits(input);
    const OnDevice<float> columns(std::vector<float>(static_cast<std::size_t>(rows * width))),
        loss(std::vector<float>(3));
    const OnDevice<std::int64_t> correct(labels);
    launched(cudaBiasActivation<TypeParam>({in.get(), bias, out.get(), nullptr, ActivationKind::Gelu, width}, rows,
                                           nullptr));
    launched(cudaBiasActivationGradient<TypeParam>(
        {out.get(), in.get(), in.get(), columns.get(), width, bias, ActivationKind::Gelu}, rows, nullptr));
    CrossEntropy<TypeParam> a;
    a.logits = logits.get();
    a.bias = bias;
    a.labels = labelsThere.get();
    a.loss = loss.get();
    a.correct = correct.get();
    a.width = width;
    a.overwrite = true;
    launched(cudaCrossEntropy(a, rows, nullptr));
    std::vector<float> all = loss.back();
    for (const auto& numbers : {out.back(), in.back(), logits.back()})
      for (const TypeParam number : numbers) all.push_back(toFloat(number));
    return all;
  };
  EXPECT_EQ(run(nullptr), run(zero.get()));
}

TYPED_TEST(CudaKernelsTest, ANumberThatIsNoneStaysNoneAndFarFromZeroActivationsAreExact) {
  const std::int64_t width = 16;
  auto input = std::vector<TypeParam>(static_cast<std::size_t>(width), fromFloat<TypeParam>(100.0F));
  input[3] = fromFloat<TypeParam>(std::nanf(""));
  input[5] = fromFloat<TypeParam>(-100.0F);
  const OnDevice<TypeParam> inputThere(input), output(input);
  const OnDevice<float> bias(std::vector<float>(static_cast<std::size_t>(width)));
  for (const auto kind : kKinds) {
    launched(
        cudaBiasActivation<TypeParam>({inputThere.get(), bias.get(), output.get(), nullptr, kind, width}, 1, nullptr));
    EXPECT_TRUE(std::isnan(toFloat(output.back()[3])));
    EXPECT_EQ(toFloat(output.back()[4]), 100.0F);
    EXPECT_EQ(toFloat(output.back()[5]), 0.0F);
    const OnDevice<TypeParam> outer(
        std::vector<TypeParam>(static_cast<std::size_t>(width), fromFloat<TypeParam>(2.0F)));
    const OnDevice<float> columns(std::vector<float>(static_cast<std::size_t>(width)));
    launched(cudaBiasActivationGradient<TypeParam>(
        {outer.get(), inputThere.get(), output.get(), columns.get(), width, bias.get(), kind}, 1, nullptr));
    EXPECT_EQ(toFloat(output.back()[4]), 2.0F);
    EXPECT_EQ(toFloat(output.back()[5]), 0.0F);
  }
  const OnDevice<float> loss(std::vector<float>(1));
  const OnDevice<std::int64_t> label(std::vector<std::int64_t>(1)), correct(std::vector<std::int64_t>(1));
  CrossEntropy<TypeParam> a;
  a.logits = inputThere.get();
  a.bias = bias.get();
  a.labels = label.get();
  a.loss = loss.get();
  a.correct = correct.get();
  a.width = width;
  launched(cudaCrossEntropy(a, 1, nullptr));
  EXPECT_TRUE(std::isnan(loss.back()[0]));
}

// Each number of features per thread and of warps per row, with its largest and smallest width; rows that do not fill
// the last block.
const std::vector<Size> kNormSizes = {
    {0, 8},   {1, 8},     {3, 24},   {2, 504},   {65, 512}, {3, 520},  {9, 760}, {kRowsOfSeveralTurns, 768},
    {5, 776}, {33, 1024}, {9, 1032}, {31, 1536}, {5, 1544}, {22, 2048}};

TYPED_TEST(CudaKernelsTest, AddNormIsTheReference) {
  for (const Size& size : kNormSizes) {
    for (const double probability : {0.0, 0.3}) {
      NormCase<TypeParam> one(size, probability);
      const OnDevice<TypeParam> input(one.input), residual(one.residual), sum(one.sum), output(one.output);
      const OnDevice<float> bias(one.bias), gamma(one.gamma), beta(one.beta), mean(one.mean), rstd(one.rstd);
      const OnDevice<std::int64_t> keys(one.rowKeys);
      AddNorm<TypeParam> a = one.arguments();
      a.input = input.get();
      a.bias = bias.get();
      a.residual = residual.get();
      a.rowKeys = keys.get();
      a.gamma = gamma.get();
      a.beta = beta.get();
      a.sum = sum.get();
      a.output = output.get();
      a.mean = mean.get();
      a.rstd = rstd.get();
      launched(cudaAddNorm(a, size.rows, nullptr));
      const auto expected = one.expected();
      const auto sums = sum.back(), outputs = output.back();
      for (std::size_t i = 0; i < one.count; ++i) {
        ASSERT_NEAR(toFloat(sums[i]), expected.sum[i], normTolerance<TypeParam>()) << size.rows << " x " << size.width;
        ASSERT_NEAR(toFloat(outputs[i]), expected.output[i], 4 * normTolerance<TypeParam>())
            << size.rows << " x " << size.width;
      }
      cpuKernels<TypeParam>().addNorm(one.arguments(), 0, size.rows);
      const auto means = mean.back(), rstds = rstd.back();
      for (std::size_t row = 0; row < means.size(); ++row) {
        ASSERT_NEAR(means[row], one.mean[row], 1e-4) << row;
        ASSERT_NEAR(rstds[row], one.rstd[row], 1e-3 * one.rstd[row]) << row;
      }
    }
  }
  EXPECT_FALSE(cudaAddNormSupports(12));
  EXPECT_FALSE(cudaAddNormSupports(kMaxCudaNormWidth + 8));
}

TYPED_TEST(CudaKernelsTest, WhatAddNormIsNotGivenIsZeroAndWhatItIsNotAskedForChangesNothing) {
  for (const Size& size : {Size{3, 16}, Size{5, 768}, Size{2, 2048}}) {
    for (const double probability : {0.0, 0.3}) {
      NormCase<TypeParam> one(size, probability);
      const std::vector<TypeParam> zeros(one.count, fromFloat<TypeParam>(0.0F));
      const OnDevice<TypeParam> input(one.input), noResidual(zeros), sum(zeros), output(zeros), lean(zeros);
      const std::vector<float> none(static_cast<std::size_t>(size.width));
      const OnDevice<float> gamma(one.gamma), noBias(none), mean(one.mean), rstd(one.rstd);
      const OnDevice<std::int64_t> keys(one.rowKeys);
      AddNorm<TypeParam> a = one.arguments();
      a.input = input.get();
      a.bias = noBias.get();
      a.beta = noBias.get();
      a.residual = noResidual.get();
      a.rowKeys = keys.get();
      a.gamma = gamma.get();
      a.sum = sum.get();
      a.output = output.get();
      a.mean = mean.get();
      a.rstd = rstd.get();
      launched(cudaAddNorm(a, size.rows, nullptr));
      a.bias = a.beta = nullptr;
      a.residual = nullptr;
      a.sum = nullptr;
      a.mean = a.rstd = nullptr;
      a.output = lean.get();
      launched(cudaAddNorm(a, size.rows, nullptr));
      EXPECT_EQ(rounded(lean.back()), rounded(output.back())) << size.width << ", dropout " << probability;
    }
  }
}

TYPED_TEST(CudaKernelsTest, RmsNormIsThatOfTheCpuKernel) {
  for (const Size& size : {Size{3, 16}, Size{5, 520}, Size{2, 2048}}) {
    NormCase<TypeParam> one(size, 0.0);
    AddNorm<TypeParam> a = one.arguments();
    a.bias = nullptr;
    a.residual = nullptr;
    a.beta = nullptr;
    a.centered = false;
    cpuKernels<TypeParam>().addNorm(a, 0, size.rows);
    const OnDevice<TypeParam> input(one.input), sum(one.sum), output(one.output);
    const OnDevice<float> gamma(one.gamma), mean(one.gamma), rstd(one.gamma);
    a.input = input.get();
    a.gamma = gamma.get();
    a.sum = sum.get();
    a.output = output.get();
    a.mean = mean.get();
    a.rstd = rstd.get();
    launched(cudaAddNorm(a, size.rows, nullptr));
    const auto outputs = output.back();
    for (std::size_t i = 0; i < one.count; ++i)
      ASSERT_NEAR(toFloat(outputs[i]), toFloat(one.output[i]), normTolerance<TypeParam>()) << size.width;
    EXPECT_NEAR(rstd.back()[1], one.rstd[1], 1e-4 * one.rstd[1]);
  }
}

struct NormVariant {
  double probability = 0;
  int given = 7;  // 1 the gradient of the output, 2 that of the sum, 4 the second one of the output
  bool centered = true;
};

template <typename Element>
void expectNormGradientOfTheCpu(const Size& size, const NormVariant& variant) {
  const int given = variant.given;
  NormCase<Element> one(size, variant.probability);
  AddNorm<Element> forward = one.arguments();
  forward.centered = variant.centered;
  cpuKernels<Element>().addNorm(forward, 0, size.rows);
  const auto outer = elements<Element>(numbers(one.count, 9)), other = elements<Element>(numbers(one.count, 10)),
             second = elements<Element>(numbers(one.count, 11));
  const auto columnCount = static_cast<std::size_t>(3 * size.width);
  std::vector<Element> inputGradient(one.count), residualGradient(one.count);
  std::vector<float> columns(columnCount);
  AddNormGradient<Element> g;
  g.outputGradient = (given & 1) != 0 ? outer.data() : nullptr;
  g.secondGradient = (given & 4) != 0 ? second.data() : nullptr;
  g.sumGradient = (given & 2) != 0 ? other.data() : nullptr;
  g.sum = one.sum.data();
  g.mean = one.mean.data();
  g.rstd = one.rstd.data();
  g.rowKeys = one.rowKeys.data();
  g.gamma = one.gamma.data();
  g.inputGradient = inputGradient.data();
  g.residualGradient = one.dropout.active() ? residualGradient.data() : inputGradient.data();
  g.columns = columns.data();
  g.dropout = one.dropout;
  g.width = size.width;
  g.centered = variant.centered;
  cpuKernels<Element>().addNormGradient(g, 0, size.rows);

  const std::int64_t blocks = cudaAddNormColumnBlocks(size.rows);
  const OnDevice<Element> outerThere(outer), otherThere(other), secondThere(second), sumThere(one.sum),
      inputThere(std::vector<Element>(one.count)), residualThere(residualGradient);
  const OnDevice<float> meanThere(one.mean), rstdThere(one.rstd), gamma(one.gamma),
      columnsThere(std::vector<float>(columnCount * static_cast<std::size_t>(blocks)));
  const OnDevice<std::int64_t> keys(one.rowKeys);
  g.outputGradient = (given & 1) != 0 ? outerThere.get() : nullptr;
  g.secondGradient = (given & 4) != 0 ? secondThere.get() : nullptr;
  g.sumGradient = (given & 2) != 0 ? otherThere.get() : nullptr;
  g.sum = sumThere.get();
  g.mean = meanThere.get();
  g.rstd = rstdThere.get();
  g.rowKeys = keys.get();
  g.gamma = gamma.get();
  g.inputGradient = inputThere.get();
  g.residualGradient = one.dropout.active() ? residualThere.get() : inputThere.get();
  g.columns = columnsThere.get();
  launched(cudaAddNormGradient(g, size.rows, nullptr));
  const auto inputs = inputThere.back(), residuals = residualThere.back();
  const auto parts = columnsThere.back();
  launched(cudaAddNormGradient(g, size.rows, nullptr));
  EXPECT_EQ(columnsThere.back(), parts) << "the order of sums is fixed";
  for (std::size_t i = 0; i < one.count; ++i) {
    ASSERT_NEAR(toFloat(inputs[i]), toFloat(inputGradient[i]), normTolerance<Element>());
    ASSERT_NEAR(toFloat(residuals[i]), toFloat(residualGradient[i]), normTolerance<Element>());
  }
  for (std::size_t i = 0; i < columnCount; ++i) {
    double total = 0;
    for (std::size_t block = 0; block < static_cast<std::size_t>(blocks); ++block)
      total += parts[block * columnCount + i];
    ASSERT_NEAR(total, columns[i], 1e-3 * (1 + static_cast<double>(size.rows) / 10));
  }
}

TYPED_TEST(CudaKernelsTest, TheGradientOfAddNormIsThatOfTheCpuKernel) {
  const NormVariant variants[] = {{0.0, 1}, {0.0, 2}, {0.0, 3}, {0.0, 5},       {0.3, 1},
                                  {0.3, 2}, {0.3, 5}, {0.3, 7}, {0.3, 7, false}};
  for (const Size& size : kNormSizes) {
    for (const NormVariant& variant : variants) {
      SCOPED_TRACE(testing::Message() << size.rows << " x " << size.width << ", dropout " << variant.probability
                                      << ", given " << variant.given << ", centered " << variant.centered);
      expectNormGradientOfTheCpu<TypeParam>(size, variant);
      if (testing::Test::HasFailure()) return;
    }
  }
}

// No rows, fewer and more than a block takes at once; a part of a tile and several.
TYPED_TEST(CudaKernelsTest, NormsOfTheGradientsOfSequencesAreThoseOfTheReference) {
  const std::vector<std::int64_t> lengths = {0, 1, 5, 8, 16, 17, 0, 0, 150, 33, 0};
  std::vector<std::int64_t> starts = {0};
  for (const std::int64_t length : lengths) starts.push_back(starts.back() + length);
  const std::int64_t rows = starts.back(), sequences = std::ssize(lengths);
  for (const std::int64_t width : {8, 64, 136, 768, 2048}) {
    const auto sum = this->numbers(1, rows * width, 2.0), outer = this->numbers(2, rows * width, 1.0),
               second = this->numbers(3, rows * width, 1.0);
    const auto mean = numbers(static_cast<std::size_t>(rows), 4),
               rstd = numbers(static_cast<std::size_t>(rows), 5, 0.5F, 1.0F);
    const OnDevice<TypeParam> sumThere(sum), outerThere(outer), secondThere(second);
    const OnDevice<float> meanThere(mean), rstdThere(rstd);
    const OnDevice<std::int64_t> startsThere(starts);
    const std::int64_t tiles = cudaSequenceNormTiles<TypeParam>(width);
    for (const bool hasBeta : {false, true}) {
      for (const bool hasSecond : {false, true}) {
        SCOPED_TRACE(testing::Message() << width << " wide, beta " << hasBeta << ", second gradient " << hasSecond);
        const OnDevice<float> squares(std::vector<float>(static_cast<std::size_t>(sequences * tiles), -1.0F));
        SequenceNorms<TypeParam> a;
        a.rows.outputGradient = outerThere.get();
        a.rows.secondGradient = hasSecond ? secondThere.get() : nullptr;
        a.rows.sum = sumThere.get();
        a.rows.mean = meanThere.get();
        a.rows.rstd = rstdThere.get();
        a.rows.width = width;
        a.starts = startsThere.get();
        a.squares = squares.get();
        a.hasBeta = hasBeta;
        launched(cudaSequenceNorms(a, sequences, nullptr));
        const auto parts = squares.back();
        launched(cudaSequenceNorms(a, sequences, nullptr));
        EXPECT_EQ(squares.back(), parts) << "the order of sums is fixed";
        const auto outers = rounded(outer), seconds = rounded(second);
        std::vector<double> both(outers.begin(), outers.end());
        for (std::size_t i = 0; hasSecond && i < both.size(); ++i) both[i] += seconds[i];
        const auto expected = sequenceNormsReference(both, rounded(sum), mean, rstd, starts, hasBeta);
        for (std::int64_t i = 0; i < sequences; ++i) {
          const double found = std::accumulate(parts.begin() + i * tiles, parts.begin() + (i + 1) * tiles, 0.0);
          const auto at = static_cast<std::size_t>(i);
          EXPECT_NEAR(found, expected[at], 1e-5 * expected[at]) << "sequence " << i;
        }
      }
    }
  }
}

TYPED_TEST(CudaKernelsTest, DropoutDropsWhatTheReferenceDrops) {
  for (const std::int64_t width : {1, 4, 31, 768, 1500}) {
    const std::int64_t rows = 9;
    const auto input = this->numbers(2, rows * width, 1.0);
    const auto residual = this->numbers(3, rows * width, 1.0);
    std::vector<float> bias(static_cast<std::size_t>(width), 0.5F);
    std::vector<std::int64_t> keys;
    for (std::int64_t row = 0; row < rows; ++row) keys.push_back(dropoutRowKey(row, row % 3));
    const OnDevice<TypeParam> inputThere(input), residualThere(residual);
    const OnDevice<float> biasThere(bias);
    const OnDevice<std::int64_t> keysThere(keys);
    DropoutAdd<TypeParam> a;
    a.input = a.output = inputThere.get();
    a.residual = residualThere.get();
    a.bias = biasThere.get();
    a.rowKeys = keysThere.get();
    a.dropout = makeDropout(7, 1, 2, DropoutSite::LayerOutput, 0.3);
    a.rows = rows;
    a.width = width;
    launched(cudaDropoutAdd(a, nullptr));
    const auto factors = dropoutReference(a.dropout, keys, width);
    const auto output = inputThere.back();
    for (std::size_t i = 0; i < output.size(); ++i) {
      const double expected =
          static_cast<double>(toFloat(residual[i])) + (static_cast<double>(toFloat(input[i])) + 0.5) * factors[i];
      EXPECT_NEAR(toFloat(output[i]), expected, this->rounding() * 3);
    }
  }
}

TEST(CudaLaunchTest, ALackOfMemoryIsToldFromAnErrorThatMayBeOfAnyOperation) {
  EXPECT_EQ(launchError("the LayerNorm kernel", cudaErrorMemoryAllocation).code, ErrorCode::OutOfMemory);
  const Error failed = launchError("the LayerNorm kernel", cudaErrorLaunchFailure);
  EXPECT_EQ(failed.code, ErrorCode::Device);
  EXPECT_NE(failed.text().find("LayerNorm kernel cannot start, or an earlier operation"), std::string::npos)
      << failed.text();
}

struct EmbedCase {
  Size size;
  double probability = 0;
  bool norm = true, position = true, type = true, beta = true, centered = true;
};
const std::vector<EmbedCase> kEmbedCases = {{{0, 8}},
                                            {{1, 4}, 0.3},
                                            {{9, 132}, 0.3},
                                            {{700, 768}, 0.3},
                                            {{3, 4096}},
                                            {{5, 1028}, 0.3, true, true, false, false},
                                            {{7, 64}, 0.0, true, false, false, false, false},
                                            {{7, 64}, 0.3, false, false, false},
                                            {{7, 64}, 0.3, false}};
constexpr std::int64_t kWords = 60, kIndices = 11;

/// Tables, ids and what the norm has, in the memory of the processor and of the device.
struct EmbedInputs {
  explicit EmbedInputs(const EmbedCase& given)
      : one(given),
        word(numbers(static_cast<std::size_t>(kWords * given.size.width), 1)),
        position(numbers(given.position ? static_cast<std::size_t>(kIndices * given.size.width) : 0, 2)),
        type(numbers(given.type ? static_cast<std::size_t>(given.size.width) : 0, 3)),
        gamma(numbers(given.norm ? static_cast<std::size_t>(given.size.width) : 0, 4, 0.5F, 1.0F)),
        beta(numbers(given.norm && given.beta ? static_cast<std::size_t>(given.size.width) : 0, 5)),
        dropout(makeDropout(7, 1, -1, DropoutSite::Embeddings, given.probability)) {
    for (std::int64_t row = 0; row < given.size.rows; ++row) {
      ids.push_back(row * row % kWords);
      indices.push_back(row % kIndices);
      keys.push_back(dropoutRowKey(row, row % 3));
    }
  }
  static const float* orNull(const float* data, const std::vector<float>& of) { return of.empty() ? nullptr : data; }

  EmbedCase one;
  std::vector<float> word, position, type, gamma, beta;
  Dropout dropout;
  std::vector<std::int64_t> ids, indices, keys;
};

/// Arguments of Embed for memory that `at` returns the address of.
template <typename Element, typename At>
Embed<Element> embedArguments(const EmbedInputs& in, const At& at) {
  const auto given = [&](const std::vector<float>& numbers) { return EmbedInputs::orNull(at(numbers), numbers); };
  Embed<Element> a;
  a.sum = {at(in.ids), at(in.indices), at(in.word), given(in.position), given(in.type)};
  a.rowKeys = at(in.keys);
  a.gamma = given(in.gamma);
  a.beta = given(in.beta);
  a.dropout = in.dropout;
  a.eps = 1e-5F;
  a.width = in.one.size.width;
  a.centered = in.one.centered;
  return a;
}

/// Copies vectors to the device once, and gives their addresses there.
class Copies {
 public:
  const float* operator()(const std::vector<float>& of) { return copy(floats_, of); }
  const std::int64_t* operator()(const std::vector<std::int64_t>& of) { return copy(integers_, of); }

 private:
  template <typename Number>
  using Kept = std::map<const void*, std::unique_ptr<OnDevice<Number>>>;
  template <typename Number>
  static const Number* copy(Kept<Number>& kept, const std::vector<Number>& of) {
    auto& there = kept[&of];
    if (!there) there = std::make_unique<OnDevice<Number>>(of);
    return there->get();
  }
  Kept<float> floats_;
  Kept<std::int64_t> integers_;
};

constexpr auto onHost = [](const auto& numbers) { return numbers.data(); };

TYPED_TEST(CudaKernelsTest, EmbeddingsAreThoseOfTheReference) {
  for (const EmbedCase& one : kEmbedCases) {
    SCOPED_TRACE(testing::Message() << one.size.rows << " x " << one.size.width);
    const EmbedInputs in(one);
    Copies copies;
    const auto rows = static_cast<std::size_t>(one.size.rows);
    const OnDevice<TypeParam> output(std::vector<TypeParam>(rows * static_cast<std::size_t>(one.size.width)));
    const OnDevice<float> mean((std::vector<float>(rows))), rstd((std::vector<float>(rows)));
    Embed<TypeParam> a = embedArguments<TypeParam>(in, [&](const auto& numbers) { return copies(numbers); });
    a.output = output.get();
    a.mean = mean.get();
    a.rstd = rstd.get();
    launched(cudaEmbed(a, one.size.rows, nullptr));
    const auto factors = dropoutReference(in.dropout, in.keys, one.size.width);
    std::vector<float> beta = in.beta;
    beta.resize(in.gamma.size());
    std::vector<double> expected;
    if (one.centered) {
      expected = embedReference(in.ids, in.indices, in.word, in.position, in.type, in.gamma, beta, a.eps, factors,
                                one.size.width);
    } else {
      const auto sums =
          embedReference(in.ids, in.indices, in.word, in.position, in.type, {}, {}, 0, {}, one.size.width);
      expected = rmsNormReference(std::vector<float>(sums.begin(), sums.end()), in.gamma, a.eps);
    }
    const auto outputs = output.back();
    ASSERT_EQ(outputs.size(), expected.size());
    for (std::size_t i = 0; i < outputs.size(); ++i)
      ASSERT_NEAR(toFloat(outputs[i]), expected[i], 4 * this->rounding() * (1 + std::abs(expected[i]))) << i;
  }
  EXPECT_FALSE(cudaEmbedSupports(31));
  Embed<TypeParam> tooWide;
  tooWide.width = 8192;
  EXPECT_FALSE(cudaEmbed(tooWide, 1, nullptr).ok());
}

TYPED_TEST(CudaKernelsTest, TheGradientOfEmbeddingsIsThatOfTheCpuKernel) {
  for (const EmbedCase& one : kEmbedCases) {
    SCOPED_TRACE(testing::Message() << one.size.rows << " x " << one.size.width);
    const EmbedInputs in(one);
    Copies copies;
    const auto rows = static_cast<std::size_t>(one.size.rows), width = static_cast<std::size_t>(one.size.width);
    std::vector<TypeParam> output(rows * width);
    std::vector<float> mean(rows), rstd(rows), inner(rows * width), columns(3 * width);
    const auto outer = this->numbers(9, one.size.rows * one.size.width, 1.0);
    const auto run = [&](const auto& at, const TypeParam* outerThere, float* innerThere, float* columnsThere,
                         const auto& gradient) {
      const Embed<TypeParam> forward = embedArguments<TypeParam>(in, at);
      EmbedGradient<TypeParam> a;
      a.sum = forward.sum;
      a.outputGradient = outerThere;
      a.mean = at(mean);
      a.rstd = at(rstd);
      a.rowKeys = forward.rowKeys;
      a.gamma = forward.gamma;
      a.sumGradient = innerThere;
      a.columns = columnsThere;
      a.dropout = in.dropout;
      a.width = one.size.width;
      a.centered = one.centered;
      gradient(a);
    };
    Embed<TypeParam> forward = embedArguments<TypeParam>(in, onHost);
    forward.output = output.data();
    forward.mean = mean.data();
    forward.rstd = rstd.data();
    cpuKernels<TypeParam>().embed(forward, 0, one.size.rows);
    run(onHost, outer.data(), inner.data(), columns.data(),
        [&](const EmbedGradient<TypeParam>& a) { cpuKernels<TypeParam>().embedGradient(a, 0, one.size.rows); });
    const std::int64_t blocks = cudaEmbedColumnBlocks(one.size.rows, one.size.width);
    const OnDevice<TypeParam> outerThere(outer);
    const OnDevice<float> innerThere((std::vector<float>(rows * width))),
        columnsThere((std::vector<float>(static_cast<std::size_t>(blocks) * 3 * width)));
    run([&](const auto& numbers) { return copies(numbers); }, outerThere.get(), innerThere.get(), columnsThere.get(),
        [&](const EmbedGradient<TypeParam>& a) { launched(cudaEmbedGradient(a, one.size.rows, nullptr)); });
    const auto inners = innerThere.back(), parts = columnsThere.back();
    for (std::size_t i = 0; i < inner.size(); ++i)
      ASSERT_NEAR(inners[i], inner[i], 1e-4 * (1 + std::abs(inner[i]))) << i;
    for (std::size_t i = one.norm ? 0 : 2 * width; i < columns.size(); ++i) {
      double total = 0;
      for (std::size_t block = 0; block < static_cast<std::size_t>(blocks); ++block)
        total += parts[block * columns.size() + i];
      ASSERT_NEAR(total, columns[i], 1e-4 * (1 + static_cast<double>(rows))) << i;
    }
  }
}

struct SumCase {
  Size size;
  std::int64_t words;  // ids are below
};

// No tile, a part of one, ids that end with a tile or go over several, one id for all, more rows than blocks at once.
TYPED_TEST(CudaKernelsTest, SumsOfRowsByIdAreThoseOfTheReferenceBitForBitAgain) {
  for (const SumCase& one :
       {SumCase{{0, 4}, 3}, SumCase{{5, 4}, 3}, SumCase{{64, 8}, 2}, SumCase{{700, 12}, 5}, SumCase{{1000, 132}, 1},
        SumCase{{500, 1028}, 100}, SumCase{{kManyRows, 4}, kManyRows / 50}}) {
    SCOPED_TRACE(testing::Message() << one.size.rows << " x " << one.size.width << ", " << one.words << " ids");
    const auto rows = numbers(static_cast<std::size_t>(one.size.rows * one.size.width), 6);
    std::vector<std::int64_t> ids, order(static_cast<std::size_t>(one.size.rows)), sorted;
    for (std::int64_t row = 0; row < one.size.rows; ++row) ids.push_back(row * row % one.words / 2 * 2);  // not all
    std::iota(order.begin(), order.end(), std::int64_t{0});
    const auto idOf = [&](std::int64_t row) { return ids[static_cast<std::size_t>(row)]; };
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return idOf(a) < idOf(b); });
    for (const std::int64_t row : order) sorted.push_back(idOf(row));
    const OnDevice<float> rowsThere(rows);
    const OnDevice<std::int64_t> sortedThere(sorted), orderThere(order);
    const auto run = [&] {
      const OnDevice<float> sums(std::vector<float>(static_cast<std::size_t>(one.words * one.size.width)));
      const OnDevice<float> parts(
          std::vector<float>(static_cast<std::size_t>(cudaSumRowsParts(one.size.rows) * one.size.width)));
      launched(
          cudaSumRows({rowsThere.get(), sortedThere.get(), orderThere.get(), sums.get(), parts.get(), one.size.width},
                      one.size.rows, nullptr));
      return sums.back();
    };
    const auto found = run();
    const auto expected = sumRowsReference(rows, ids, one.words, one.size.width);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], expected[i], 1e-5 * (1 + static_cast<double>(one.size.rows / one.words))) << i;
    EXPECT_EQ(run(), found);
  }
}

struct JoinSize {
  std::int64_t rows;
  std::vector<std::int64_t> widths;
  std::int64_t gap = 0;  // between the rows of each part
};

// Packs and none, one to three parts, rows that lie apart, more rows than the grid has, blocks of each size.
const std::vector<JoinSize> kJoinSizes = {
    {0, {8, 8, 8}},         {1, {1, 1, 1}},     {3, {5, 7, 2}},        {9, {64, 32, 32}},
    {5, {64, 64, 64}, 128}, {7, {64, 8, 8}, 5}, {1500, {96, 96, 96}},  {kManyRows, {16, 8}},
    {2, {768, 768, 768}},   {3, {24}},          {11, {512, 256, 256}}, {4, {2048, 1024, 1024}}};

TYPED_TEST(CudaKernelsTest, JoinedColumnsAndTheirSumsAreThoseOfTheReference) {
  for (const JoinSize& size : kJoinSizes) {
    std::vector<std::vector<float>> parts;
    std::vector<std::unique_ptr<OnDevice<TypeParam>>> there;
    JoinColumns<TypeParam> a;
    for (std::size_t part = 0; part < size.widths.size(); ++part) {
      const std::int64_t width = size.widths[part], stride = width + size.gap;
      const auto apart = this->numbers(part + 1, size.rows * stride, 2.0);
      std::vector<float> values;
      for (std::int64_t i = 0; i < size.rows * stride; ++i)
        if (i % stride < width) values.push_back(toFloat(apart[static_cast<std::size_t>(i)]));
      parts.push_back(values);
      there.push_back(std::make_unique<OnDevice<TypeParam>>(apart));
      a.parts[part] = {there.back()->get(), width, stride};
      a.width += width;
    }
    a.stride = a.width;
    const std::int64_t blocks = cudaJoinColumnBlocks(a, size.rows);
    const OnDevice<TypeParam> output(std::vector<TypeParam>(static_cast<std::size_t>(size.rows * a.width)));
    const OnDevice<float> columns(std::vector<float>(static_cast<std::size_t>(blocks * a.width)));
    a.output = output.get();
    a.columns = columns.get();
    launched(cudaJoinColumns(a, size.rows, nullptr));
    const JoinReference expected = joinReference(parts, size.rows);
    const auto outputs = output.back();
    ASSERT_EQ(outputs.size(), expected.output.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) ASSERT_EQ(toFloat(outputs[i]), expected.output[i]) << i;
    const auto partial = columns.back();
    for (std::size_t column = 0; column < expected.columns.size(); ++column) {
      double total = 0;
      for (std::int64_t block = 0; block < blocks; ++block)
        total += partial[static_cast<std::size_t>(block * a.width) + column];
      ASSERT_NEAR(total, expected.columns[column], 1e-5 * (1 + static_cast<double>(size.rows))) << column;
    }
    a.columns = nullptr;  // the parts alone
    launched(cudaJoinColumns(a, size.rows, nullptr));
    EXPECT_EQ(rounded(output.back()), rounded(outputs));
  }
}

struct RotaryCase {
  std::int64_t rows, heads, headSize, others;  // heads that are not turned
};
constexpr double kTheta = 10000;
constexpr std::int64_t kPositions = 40;

/// Cosines or sines of the angles of rotaryReference(), [positions, headSize / 2].
std::vector<float> rotaryFactors(std::int64_t headSize, double (*function)(double)) {
  std::vector<float> factors;
  for (std::int64_t position = 0; position < kPositions; ++position)
    for (std::int64_t i = 0; i < headSize / 2; ++i)
      factors.push_back(static_cast<float>(
          function(static_cast<double>(position) *
                   std::pow(kTheta, -2.0 * static_cast<double>(i) / static_cast<double>(headSize)))));
  return factors;
}

TYPED_TEST(CudaKernelsTest, RotaryPositionsAreThoseOfTheReferenceInPlaceAndWhileJoining) {
  const std::vector<RotaryCase> cases = {{0, 2, 8, 1},    {1, 1, 2, 0},  {5, 3, 6, 1},    {7, 2, 16, 1},
                                         {300, 4, 64, 2}, {9, 1, 80, 1}, {3, 16, 128, 8}, {kManyRows, 1, 4, 1}};
  for (const RotaryCase& one : cases) {
    for (const bool interleaved : {false, true}) {
      for (const bool inverse : {false, true}) {
        SCOPED_TRACE(testing::Message() << one.rows << " x " << one.heads << " heads of " << one.headSize);
        const std::int64_t turned = one.heads * one.headSize, all = turned + one.others * one.headSize;
        const auto values = this->numbers(4, one.rows * all, 2.0);
        std::vector<std::int64_t> positions;
        for (std::int64_t row = 0; row < one.rows; ++row) positions.push_back((row * 7 + 3) % kPositions);
        const OnDevice<TypeParam> inPlace(values), from(values), joined(values);
        const OnDevice<std::int64_t> positionsThere(positions);
        const OnDevice<float> cosines(rotaryFactors(one.headSize, std::cos)),
            sines(rotaryFactors(one.headSize, std::sin));
        const Rotary<TypeParam> a{inPlace.get(), positionsThere.get(), cosines.get(), sines.get(),
                                  one.heads,     one.headSize,         all,           interleaved,
                                  inverse};
        launched(cudaRotary(a, one.rows, nullptr));
        JoinColumns<TypeParam> join;  // the first head, and what is left
        join.parts[0] = {from.get(), one.headSize, all};
        join.parts[1] = {from.get() + one.headSize, all - one.headSize, all};
        join.output = joined.get();
        join.width = join.stride = all;
        join.rotary = a;
        launched(cudaJoinColumns(join, one.rows, nullptr));
        const auto result = inPlace.back();
        for (std::int64_t row = 0; row < one.rows; row += std::max<std::int64_t>(1, one.rows / 50)) {
          const auto first = values.begin() + row * all;
          const std::int64_t position = positions[static_cast<std::size_t>(row)];
          auto expected = rotaryReference(rounded(std::vector<TypeParam>(first, first + turned)), one.headSize,
                                          inverse ? -position : position, kTheta, interleaved);
          for (std::int64_t i = turned; i < all; ++i)
            expected.push_back(toFloat(values[static_cast<std::size_t>(row * all + i)]));
          for (std::int64_t i = 0; i < all; ++i)
            ASSERT_NEAR(toFloat(result[static_cast<std::size_t>(row * all + i)]), expected[static_cast<std::size_t>(i)],
                        3 * this->rounding())
                << i;
        }
        EXPECT_EQ(rounded(joined.back()), rounded(result));
      }
    }
  }
}

}  // namespace
}  // namespace batchwise
