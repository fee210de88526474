// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA kernels against their references, without LibTorch. Skipped without a GPU.
#include "core/kernels/cuda_kernels.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/kernels/cpu_kernels.h"
#include "core/kernels/reference/reference.h"
#include "tests/kernels/norm_case.h"

namespace batchwise {
namespace {

/// Numbers in the memory of the device, given back at the end.
template <typename Number>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<Number>& numbers) : count_(numbers.size()) {
    EXPECT_EQ(cudaMalloc(&data_, std::max<std::size_t>(1, count_ * sizeof(Number))), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data_, numbers.data(), count_ * sizeof(Number), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~OnDevice() { cudaFree(data_); }
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

using Elements = testing::Types<float, Bf16, Fp16>;
TYPED_TEST_SUITE(CudaKernelsTest, Elements);

TYPED_TEST(CudaKernelsTest, CrossEntropyAndItsGradientAreThoseOfTheReference) {
  for (const Size& size :
       {Size{1, 1}, Size{3, 2}, Size{5, 31}, Size{7, 257}, Size{2, 30522}, Size{70000, 5}, Size{0, 9}}) {
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
    ASSERT_TRUE(cudaCrossEntropy(a, size.rows, nullptr).ok());
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
      EXPECT_TRUE(cudaCrossEntropy(a, rows, nullptr).ok());
      return std::pair(there.back(), loss.back());
    };
    const auto [gradient, loss] = run(padded, stride);
    const auto [expected, expectedLoss] = run(plain, width);
    EXPECT_EQ(loss, expectedLoss) << stride;
    for (std::int64_t i = 0; i < rows * stride; ++i) {
      const auto at = static_cast<std::size_t>(i / stride * width + i % stride);
      EXPECT_EQ(toFloat(gradient[static_cast<std::size_t>(i)]), i % stride < width ? toFloat(expected[at]) : 0.0F)
          << stride << ": " << i;
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
    for (const auto kind : {ActivationKind::Gelu, ActivationKind::GeluTanh, ActivationKind::Relu}) {
      ASSERT_TRUE(cudaBiasActivation<TypeParam>(
                      {inputThere.get(), biasThere.get(), output.get(), nullptr, kind, size.width}, size.rows, nullptr)
                      .ok());
      const std::int64_t blocks = cudaBiasActivationColumnBlocks(size.rows);
      const OnDevice<float> columns(std::vector<float>(static_cast<std::size_t>(blocks * size.width)));
      ASSERT_TRUE(cudaBiasActivationGradient<TypeParam>({outerThere.get(), inputThere.get(), gradient.get(),
                                                         columns.get(), size.width, biasThere.get(), kind},
                                                        size.rows, nullptr)
                      .ok());
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

TYPED_TEST(CudaKernelsTest, AddNormIsTheReferenceAndItsGradientThatOfTheCpuKernel) {
  for (const Size& size :
       {Size{0, 4}, Size{1, 4}, Size{3, 12}, Size{5, 512}, Size{700, 768}, Size{9, 1028}, Size{6, 2048}}) {
    NormCase<TypeParam> one(size, 0.3);
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
    ASSERT_TRUE(cudaAddNorm(a, size.rows, nullptr).ok());
    const auto expected = one.expected();
    const auto sums = sum.back(), outputs = output.back();
    for (std::size_t i = 0; i < one.count; ++i) {
      ASSERT_NEAR(toFloat(sums[i]), expected.sum[i], normTolerance<TypeParam>()) << size.rows << " x " << size.width;
      ASSERT_NEAR(toFloat(outputs[i]), expected.output[i], 4 * normTolerance<TypeParam>())
          << size.rows << " x " << size.width;
    }

    cpuKernels<TypeParam>().addNorm(one.arguments(), 0, size.rows);
    const auto outer = elements<TypeParam>(batchwise::numbers(one.count, 9)),
               other = elements<TypeParam>(batchwise::numbers(one.count, 10));
    const auto columnCount = static_cast<std::size_t>(3 * size.width);
    std::vector<TypeParam> inputGradient(one.count), residualGradient(one.count);
    std::vector<float> columns(columnCount);
    AddNormGradient<TypeParam> g;
    g.outputGradient = outer.data();
    g.sumGradient = other.data();
    g.sum = one.sum.data();
    g.mean = one.mean.data();
    g.rstd = one.rstd.data();
    g.rowKeys = one.rowKeys.data();
    g.gamma = one.gamma.data();
    g.inputGradient = inputGradient.data();
    g.residualGradient = residualGradient.data();
    g.columns = columns.data();
    g.dropout = one.dropout;
    g.width = size.width;
    cpuKernels<TypeParam>().addNormGradient(g, 0, size.rows);
    const std::int64_t blocks = cudaAddNormColumnBlocks(size.rows);
    const OnDevice<TypeParam> outerThere(outer), otherThere(other), sumThere(one.sum), inputThere(inputGradient),
        residualThere(residualGradient);
    const OnDevice<float> meanThere(one.mean), rstdThere(one.rstd),
        columnsThere(std::vector<float>(columnCount * static_cast<std::size_t>(blocks)));
    g.outputGradient = outerThere.get();
    g.sumGradient = otherThere.get();
    g.sum = sumThere.get();
    g.mean = meanThere.get();
    g.rstd = rstdThere.get();
    g.rowKeys = keys.get();
    g.gamma = gamma.get();
    g.inputGradient = inputThere.get();
    g.residualGradient = residualThere.get();
    g.columns = columnsThere.get();
    ASSERT_TRUE(cudaAddNormGradient(g, size.rows, nullptr).ok());
    const auto inputs = inputThere.back(), residuals = residualThere.back();
    for (std::size_t i = 0; i < one.count; ++i) {
      ASSERT_NEAR(toFloat(inputs[i]), toFloat(inputGradient[i]), normTolerance<TypeParam>())
          << size.rows << " x " << size.width;
      ASSERT_NEAR(toFloat(residuals[i]), toFloat(residualGradient[i]), normTolerance<TypeParam>());
    }
    const auto parts = columnsThere.back();
    for (std::size_t i = 0; i < columnCount; ++i) {
      double total = 0;
      for (std::size_t block = 0; block < static_cast<std::size_t>(blocks); ++block)
        total += parts[block * columnCount + i];
      ASSERT_NEAR(total, columns[i], 1e-3 * (1 + static_cast<double>(size.rows) / 10))
          << size.rows << " x " << size.width;
    }
  }
  EXPECT_FALSE(cudaAddNormSupports(31));
  EXPECT_FALSE(cudaAddNormSupports(kMaxCudaNormWidth + 4));
}

TYPED_TEST(CudaKernelsTest, DropoutDropsWhatTheReferenceDrops) {
  for (const std::int64_t width : {1, 4, 31, 768}) {
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
    ASSERT_TRUE(cudaDropoutAdd(a, nullptr).ok());
    const auto factors = dropoutReference(a.dropout, keys, width);
    const auto output = inputThere.back();
    for (std::size_t i = 0; i < output.size(); ++i) {
      const double expected =
          static_cast<double>(toFloat(residual[i])) + (static_cast<double>(toFloat(input[i])) + 0.5) * factors[i];
      EXPECT_NEAR(toFloat(output[i]), expected, this->rounding() * 3);
    }
  }
}

}  // namespace
}  // namespace batchwise
