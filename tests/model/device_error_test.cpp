// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/device_error.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace batchwise {
namespace {

c10::Error torchError(const char* text) {
  return c10::Error(text, /*backtrace=*/nullptr);
}

KernelError kernelError(ErrorCode code) {
  return KernelError(Error{code, "the LayerNorm kernel cannot start", {}});
}

TEST(DeviceErrorTest, KnowsALackOfMemoryWhoeverFindsIt) {
  EXPECT_TRUE(isOutOfMemory(c10::OutOfMemoryError({__func__, __FILE__, __LINE__}, "CUDA out of memory.")));
  EXPECT_TRUE(isOutOfMemory(std::bad_alloc()));
  EXPECT_TRUE(isOutOfMemory(kernelError(ErrorCode::OutOfMemory)));
  EXPECT_TRUE(isOutOfMemory(c10::AcceleratorError({__func__, __FILE__, __LINE__}, 2,
                                                  "CUDA error: out of memory\nCUDA kernel errors might be ...")));
  EXPECT_TRUE(isOutOfMemory(torchError("CUDA driver error: out of memory")));
  EXPECT_TRUE(isOutOfMemory(torchError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasGemmEx(...)`")));
  EXPECT_TRUE(
      isOutOfMemory(torchError("CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`")));
}

TEST(DeviceErrorTest, OtherErrorsAreNone) {
  EXPECT_FALSE(isOutOfMemory(kernelError(ErrorCode::Device)));
  EXPECT_FALSE(isOutOfMemory(c10::AcceleratorError({__func__, __FILE__, __LINE__}, 700,
                                                   "CUDA error: an illegal memory access was encountered")));
  EXPECT_FALSE(isOutOfMemory(torchError("CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx()`")));
  EXPECT_FALSE(isOutOfMemory(torchError("index 7 is out of bounds")));
  EXPECT_FALSE(isOutOfMemory(std::runtime_error("CUDA error: out of memory")));
}

TEST(DeviceErrorTest, AGpuThatIsNotUsedHasNotFailed) {
  EXPECT_FALSE(hasFailedGpu());
}

}  // namespace
}  // namespace batchwise
