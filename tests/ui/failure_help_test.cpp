// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/failure_help.h"

#include <gtest/gtest.h>

namespace batchwise {
namespace {

constexpr const char* kReasons[] = {"CUDA out of memory",
                                    "the loss is not finite at step 7",
                                    "guard.loss_spike: the loss went from 2 to 900",
                                    "write: No space left on device",
                                    "rank 3 was lost",
                                    "no file fits the pattern '/corpus/*.txt'",
                                    "the run has no good checkpoint",
                                    "cache.bin is damaged",
                                    "CUDA error: an illegal memory access was encountered"};

TEST(FailureHelpTest, WhatItSaysGoesTogether) {
  using Way = FailureHelp::Way;
  for (const char* reason : kReasons) {
    SCOPED_TRACE(reason);
    const FailureHelp none = failureHelp(reason, CheckpointsLeft::None);
    EXPECT_EQ(none.way, Way::Duplicate);
    EXPECT_TRUE(none.remedy.contains(QStringLiteral("no checkpoint to go on from")));
    EXPECT_FALSE(none.remedy.contains(QStringLiteral("resume it")));
    const FailureHelp some = failureHelp(reason, CheckpointsLeft::Some);
    EXPECT_EQ(some.way, Way::Resume);
    EXPECT_TRUE(some.remedy.contains(QStringLiteral("resume it")));
    const bool astray = std::string(reason).find("loss") != std::string::npos ||
                        std::string(reason).find("good checkpoint") != std::string::npos;
    EXPECT_EQ(some.remedy.contains(QStringLiteral("is safe")), !astray);
    const FailureHelp unknown = failureHelp(reason, CheckpointsLeft::NotKnown);
    EXPECT_FALSE(unknown.remedy.isEmpty());
    EXPECT_FALSE(unknown.remedy.contains(QStringLiteral("no checkpoint to go on"))) << "that is not known";
  }
  EXPECT_EQ(failureHelp("something else", CheckpointsLeft::Some).way, Way::ShowLog);
}

TEST(FailureHelpTest, NamesOfFilesTellNoCause) {
  EXPECT_EQ(failureHelp("cannot open '/data/nccl/out of memory.txt': Permission denied", CheckpointsLeft::None).way,
            FailureHelp::Way::ShowLog);
}

}  // namespace
}  // namespace batchwise
