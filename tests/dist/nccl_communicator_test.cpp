// SPDX-License-Identifier: GPL-3.0-or-later
// With a GPU: tests/cuda/cuda_model_test.cpp.
#include "core/dist/nccl_communicator.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include "core/dist/thread_group.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

TEST(NcclCommunicatorTest, WithoutAGpuThereIsAnErrorThatSaysSo) {
  if (torch::cuda::is_available()) GTEST_SKIP() << "a CUDA device is here";
  ThreadGroup group(1);
  const Error made = test::refused(makeNcclCommunicator(at::Device(at::kCUDA, 0), group.line(0), group.store()));
  EXPECT_EQ(made.code, ErrorCode::Device);
  EXPECT_THAT(made.text(), testing::HasSubstr("no GPUs found"));
  EXPECT_FALSE(group.line(0)->error().has_value()) << "whether the others end is for the caller to say";
}

}  // namespace
}  // namespace batchwise
