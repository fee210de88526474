// SPDX-License-Identifier: GPL-3.0-or-later
// What the threads of the CUDA kernels of the activation do, played on the CPU, against the reference and the CPU
// kernel.
#include "core/kernels/cuda/thread_activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include "core/kernels/cpu_kernels.h"
#include "core/kernels/reference/reference.h"
#include "tests/kernels/norm_case.h"

namespace batchwise {
namespace {

template <typename Element>
class ThreadActivationTest : public testing::Test {};
using Elements = testing::Types<float, Bf16, Fp16>;
TYPED_TEST_SUITE(ThreadActivationTest, Elements);

template <ActivationKind kKind>
using KindConstant = std::integral_constant<ActivationKind, kKind>;

/// Rows of numbers that begin at a boundary of 16 bytes.
template <typename Element>
struct AlignedRows {
  explicit AlignedRows(const std::vector<float>& values) : packs((values.size() * sizeof(Element) + 15) / 16) {
    for (std::size_t i = 0; i < values.size(); ++i) data()[i] = fromFloat<Element>(values[i]);
  }
  Element* data() { return reinterpret_cast<Element*>(packs.data()); }
  struct alignas(16) Pack {
    unsigned char bytes[16];
  };
  std::vector<Pack> packs;
};

/// All threads of a kernel with packs of kLanes, and every kind of activation.
template <typename Element, int kLanes>
void playAndCompare(std::int64_t rows, std::int64_t width) {
  const auto count = static_cast<std::size_t>(rows * width);
  AlignedRows<Element> input(numbers(count, 1, 4.0F)), outer(numbers(count, 2)), output(numbers(count, 3)),
      gradient(numbers(count, 4));
  const auto bias = numbers(static_cast<std::size_t>(width), 5);
  const auto check = [&](auto kindConstant) {
    constexpr ActivationKind kKind = decltype(kindConstant)::value;
    std::vector<float> columns(static_cast<std::size_t>(width)), expectedColumns(columns);
    for (std::int64_t column = 0; column < width; column += kLanes) {
      ThreadActivation<Element, kKind, kLanes> share;
      share.begin(bias.data(), column);
      for (std::int64_t row = 0; row < rows; ++row) {
        share.forward(input.data(), output.data(), row, width);
        share.backward(outer.data(), input.data(), gradient.data(), row, width);
      }
      share.writeColumns(columns.data());
    }
    std::vector<Element> expected(count), slope(count), expectedGradient(count);
    const auto& cpu = cpuKernels<Element>();
    cpu.biasActivation({input.data(), bias.data(), expected.data(), slope.data(), kKind, width}, 0, rows);
    cpu.biasActivationGradient({outer.data(), slope.data(), expectedGradient.data(), expectedColumns.data(), width}, 0,
                               rows);
    const double limit = std::is_same_v<Element, float> ? 3e-6 : std::is_same_v<Element, Fp16> ? 4e-3 : 3e-2;
    for (std::size_t i = 0; i < count; ++i) {
      const double x = static_cast<double>(toFloat(input.data()[i])) + bias[i % static_cast<std::size_t>(width)];
      ASSERT_NEAR(toFloat(output.data()[i]), activationReference(x, kKind), limit * (1 + std::abs(x))) << x;
      ASSERT_NEAR(toFloat(gradient.data()[i]), toFloat(expectedGradient[i]), limit) << x;
    }
    for (std::size_t i = 0; i < columns.size(); ++i)
      ASSERT_NEAR(columns[i], expectedColumns[i], limit * static_cast<double>(rows)) << i;
  };
  check(KindConstant<ActivationKind::Gelu>());
  check(KindConstant<ActivationKind::GeluTanh>());
  check(KindConstant<ActivationKind::Relu>());
}

TYPED_TEST(ThreadActivationTest, TheThreadsMakeTheReferenceAndTheGradientOfTheCpuKernel) {
  constexpr int kLanes = kActivationLanes<TypeParam>;
  for (const std::int64_t rows : {1, 7}) {
    for (const std::int64_t width : {1, 3, 31}) playAndCompare<TypeParam, 1>(rows, width);
    for (const std::int64_t width : {8, 64, 3072}) playAndCompare<TypeParam, kLanes>(rows, width);
  }
}

TEST(ActivationOfTest, ANumberThatIsNoneStaysNone) {
  const float none = std::nanf("");
  EXPECT_TRUE(std::isnan(activationOf<ActivationKind::Gelu>(none)));
  EXPECT_TRUE(std::isnan(activationOf<ActivationKind::GeluTanh>(none)));
  EXPECT_TRUE(std::isnan(activationOf<ActivationKind::Relu>(none)));
  EXPECT_EQ(activationOf<ActivationKind::Gelu>(100.0F), 100.0F);
  EXPECT_EQ(activationSlopeOf<ActivationKind::Gelu>(-100.0F), 0.0F);
}

}  // namespace
}  // namespace batchwise
