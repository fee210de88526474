// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/failure_help.h"

#include <gtest/gtest.h>

namespace batchwise {
namespace {

constexpr FailureCause kCauses[] = {
    FailureCause::OutOfMemory, FailureCause::NonFinite,   FailureCause::LossSpike,
    FailureCause::DiskFull,    FailureCause::LostRank,    FailureCause::MissingFile,
    FailureCause::Device,      FailureCause::DamagedFile, FailureCause::DamagedCheckpoint};

TEST(FailureHelpTest, WhatItSaysGoesTogether) {
  using Action = FailureHelp::Action;
  for (const FailureCause cause : kCauses) {
    SCOPED_TRACE(static_cast<int>(cause));
    const FailureHelp none = failureHelp(cause, RemainingCheckpoints::None);
    EXPECT_EQ(none.action, Action::Duplicate);
    EXPECT_TRUE(none.remedy.contains(QStringLiteral("no checkpoint to resume from")));
    EXPECT_FALSE(none.remedy.contains(QStringLiteral("resume it")));
    const FailureHelp some = failureHelp(cause, RemainingCheckpoints::Some);
    EXPECT_EQ(some.action, Action::Resume);
    EXPECT_TRUE(some.remedy.contains(QStringLiteral("resume it")));
    const bool astray = cause == FailureCause::NonFinite || cause == FailureCause::LossSpike ||
                        cause == FailureCause::DamagedCheckpoint;
    EXPECT_EQ(some.remedy.contains(QStringLiteral("is saved")), !astray);
    const FailureHelp unknown = failureHelp(cause, RemainingCheckpoints::Unknown);
    EXPECT_FALSE(unknown.remedy.isEmpty());
    EXPECT_FALSE(unknown.remedy.contains(QStringLiteral("no checkpoint to resume"))) << "that is not known";
  }
  EXPECT_EQ(failureHelp(FailureCause::Unknown, RemainingCheckpoints::Some).action, Action::ShowLog);
}

}  // namespace
}  // namespace batchwise
