// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/failure_cause.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "core/base/messages.h"
#include "core/dist/messages.h"
#include "core/run/messages.h"
#include "core/store/messages.h"
#include "core/train/messages.h"

namespace batchwise {
namespace {

TEST(FailureCauseTest, FollowsFromTheCodeOfAnError) {
  const struct {
    Error error;
    FailureCause cause;
  } cases[] = {
      {Error::fromErrno(ENOSPC, messages::cannotWrite, "/w/x"), FailureCause::DiskFull},
      {Error::fromErrno(EDQUOT, messages::cannotWrite, "/w/x"), FailureCause::DiskFull},
      {Error::fromErrno(ENOMEM, messages::cannotMap, "/w/x"), FailureCause::OutOfMemory},
      {Error::fromErrno(ENOENT, messages::cannotOpen, "/w/x"), FailureCause::MissingFile},
      {Error::fromErrno(EACCES, messages::cannotOpen, "/data/nccl/out of memory.txt"), FailureCause::Unknown},
      {{ErrorCode::OutOfMemory, "CUDA out of memory. Tried to allocate 2.00 GiB", "step 7"}, FailureCause::OutOfMemory},
      {{ErrorCode::Device, "CUDA error: an illegal memory access was encountered", {}}, FailureCause::Device},
      {Error::corrupt("a page"), FailureCause::DamagedFile},
      {Error::internal("the function is not there"), FailureCause::Unknown},
  };
  for (const auto& each : cases) EXPECT_EQ(failedRun(each.error).cause, each.cause) << each.error.text();
}

TEST(FailureCauseTest, TheMessageAndThoseWithinItNameItFirst) {
  const Message spike = messages::lossSpikeDetected(5, 9.1, 3.2, 4.1);
  const struct {
    Message reason;
    ErrorCode code;
    FailureCause cause;
  } cases[] = {
      {messages::rankLostInProcessEnded("rank 1 on 'node2'", "step"), ErrorCode::Device, FailureCause::LostRank},
      {messages::gradientNotFinite(9, 0.5), ErrorCode::Internal, FailureCause::NonFinite},
      {messages::stepSkipped(spike), ErrorCode::Internal, FailureCause::LossSpike},
      {messages::followedBy(messages::followedBy(spike, "more"), "and more"), ErrorCode::Internal,
       FailureCause::LossSpike},
      {messages::checkpointDamaged("/w/c", "hash of chunk 3"), ErrorCode::Corrupt, FailureCause::DamagedCheckpoint},
      {messages::runProcessKilledOutOfMemory("(SIGKILL)"), ErrorCode::Internal, FailureCause::OutOfMemory},
      {messages::runProcessKilled("(SIGKILL)"), ErrorCode::Internal, FailureCause::Unknown},
      {Message(), ErrorCode::Internal, FailureCause::Unknown},
  };
  for (const auto& each : cases) EXPECT_EQ(failureCause(each.reason, each.code), each.cause) << each.reason;
}

}  // namespace
}  // namespace batchwise
