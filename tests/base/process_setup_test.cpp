// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/process_setup.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <string>

namespace batchwise {
namespace {

TEST(CLocaleTest, NumbersAndMessagesAreOfNoLanguageAndLettersStay) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  ASSERT_NE(std::setlocale(LC_ALL, "C.UTF-8"), nullptr);  // as Qt takes the desktop's
  useCLocale();
  EXPECT_STREQ(std::setlocale(LC_NUMERIC, nullptr), "C");
  EXPECT_STREQ(std::setlocale(LC_MESSAGES, nullptr), "C");
  EXPECT_STREQ(std::setlocale(LC_CTYPE, nullptr), "C.UTF-8");
  std::setlocale(LC_ALL, before.c_str());
}

TEST(GpuEnvironmentTest, CublasGetsASettingThatItRepeatsItselfWith) {
  for (const char* wrong : {":0:0", ""}) {
    ::setenv("CUBLAS_WORKSPACE_CONFIG", wrong, 1);
    setGpuEnvironment();
    EXPECT_STREQ(::getenv("CUBLAS_WORKSPACE_CONFIG"), ":4096:8") << wrong;
  }
  ::setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8", 1);
  setGpuEnvironment();
  EXPECT_STREQ(::getenv("CUBLAS_WORKSPACE_CONFIG"), ":16:8");
}

TEST(GpuEnvironmentTest, NcclDoesNotSumInTheSwitchesUnlessTheUserSaysOtherwise) {
  ::unsetenv("NCCL_NVLS_ENABLE");
  setGpuEnvironment();
  EXPECT_STREQ(::getenv("NCCL_NVLS_ENABLE"), "0");
  ::setenv("NCCL_NVLS_ENABLE", "1", 1);
  setGpuEnvironment();
  EXPECT_STREQ(::getenv("NCCL_NVLS_ENABLE"), "1");
}

TEST(GpuEnvironmentTest, TheProcessOutlivesAFailedOperationUnlessTheUserSaysOtherwise) {
  ::unsetenv("TORCH_NCCL_ASYNC_ERROR_HANDLING");
  ::setenv("TORCH_NCCL_ENABLE_MONITORING", "1", 1);
  setGpuEnvironment();
  EXPECT_STREQ(::getenv("TORCH_NCCL_ASYNC_ERROR_HANDLING"), "2");
  EXPECT_STREQ(::getenv("TORCH_NCCL_ENABLE_MONITORING"), "1");
}

}  // namespace
}  // namespace batchwise
