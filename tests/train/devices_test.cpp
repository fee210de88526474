// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/devices.h"

#include <ATen/Context.h>
#include <c10/core/AllocatorConfig.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/model/encoder_model.h"

namespace batchwise {
namespace {

TEST(DeterminismTest, OnAGpuNothingElseIsAllowed) {
  const auto& context = at::globalContext();
  setDeterministic(true, /*onGpu=*/true);
  EXPECT_TRUE(context.deterministicAlgorithms());
  EXPECT_FALSE(context.deterministicAlgorithmsWarnOnly()) << "flash attention then warns and does not repeat itself";
  EXPECT_FALSE(context.deterministicFillUninitializedMemory()) << "would write each new tensor once for nothing";
  setDeterministic(false, /*onGpu=*/true);
  EXPECT_FALSE(context.deterministicAlgorithms());
  setDeterministic(true, /*onGpu=*/false);
  EXPECT_TRUE(context.deterministicAlgorithms());
}

TEST(GrowingSegmentsTest, AreTakenUnlessTheEnvironmentSaysHow) {
  using c10::CachingAllocator::AcceleratorAllocatorConfig;
  unsetenv("PYTORCH_CUDA_ALLOC_CONF");
  setenv("PYTORCH_ALLOC_CONF", "expandable_segments:False", 1);
  useExpandableSegments();
  EXPECT_FALSE(AcceleratorAllocatorConfig::use_expandable_segments());
  unsetenv("PYTORCH_ALLOC_CONF");
  useExpandableSegments();
  EXPECT_TRUE(AcceleratorAllocatorConfig::use_expandable_segments());
}

TEST(MatrixPrecisionTest, Tf32IsOfGpusAlone) {
  const auto of = [](at::Float32Backend backend) {
    return at::globalContext().float32Precision(backend, at::Float32Op::MATMUL);
  };
  const at::Float32Precision processor = of(at::Float32Backend::MKLDNN);
  setMatmulPrecision(Precision::Tf32);
  EXPECT_EQ(of(at::Float32Backend::CUDA), at::Float32Precision::TF32);
  EXPECT_TRUE(at::globalContext().allowTF32CuBLAS()) << "LibTorch asks by two ways, and throws if they differ";
  EXPECT_EQ(of(at::Float32Backend::MKLDNN), processor);
  setMatmulPrecision(Precision::Fp32);
  EXPECT_EQ(of(at::Float32Backend::CUDA), at::Float32Precision::IEEE);
  EXPECT_FALSE(at::globalContext().allowTF32CuBLAS());
  EXPECT_EQ(computeType(Precision::Tf32), at::kFloat);
}

}  // namespace
}  // namespace batchwise
