// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/host_syncs.h"

#include <c10/cuda/CUDAFunctions.h>
#include <gtest/gtest.h>

namespace batchwise {
namespace {

// What LibTorch calls before it waits for a GPU; needs none.
void waitForDevice() {
  c10::cuda::warn_or_error_on_sync();
}

TEST(HostSyncsTest, CountsWithinStepsAfterTheFirst) {
  HostSyncs syncs(/*wanted=*/true);
  for (int step = 0; step < HostSyncs::kWarmSteps + 4; ++step) {
    const auto counted = syncs.countStep();
    EXPECT_FALSE(syncs.text().has_value() && step <= HostSyncs::kWarmSteps);
    waitForDevice();
    if (step == HostSyncs::kWarmSteps + 1) waitForDevice();
  }
  waitForDevice();
  EXPECT_EQ(syncs.text(), "host syncs per step: 1.25 (5 in 4 steps)");
}

TEST(HostSyncsTest, OtherWarningsReachTheirHandler) {
  class Heard final : public c10::WarningHandler {
   public:
    void process(const c10::Warning& warning) override { text += warning.msg(); }
    std::string text;
  } heard;
  const c10::WarningUtils::WarningHandlerGuard guard(&heard);
  HostSyncs syncs(/*wanted=*/true);
  {
    const auto counted = syncs.countStep();
    waitForDevice();
    TORCH_WARN("another matter");
  }
  EXPECT_EQ(heard.text, "another matter");
  EXPECT_EQ(c10::WarningUtils::get_warning_handler(), &heard);
}

TEST(HostSyncsTest, NothingIsSwitchedOnUnlessWanted) {
  HostSyncs syncs(/*wanted=*/false);
  EXPECT_FALSE(syncs.countStep().has_value());
  EXPECT_FALSE(syncs.text().has_value());
}

}  // namespace
}  // namespace batchwise
