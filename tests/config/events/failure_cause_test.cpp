// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cerrno>

#include "core/config/events/run_event.h"

namespace batchwise {
namespace {

TEST(FailureCauseTest, FollowsFromTheCodeOfAnError) {
  const struct {
    Error error;
    FailureCause cause;
  } cases[] = {
      {Error::fromErrno(ENOSPC, "cannot write '{}'", "/w/x"), FailureCause::DiskFull},
      {Error::fromErrno(EDQUOT, "cannot write '{}'", "/w/x"), FailureCause::DiskFull},
      {Error::fromErrno(ENOMEM, "cannot memory-map '{}'", "/w/x"), FailureCause::OutOfMemory},
      {Error::fromErrno(ENOENT, "cannot open '{}'", "/w/x"), FailureCause::MissingFile},
      {Error::fromErrno(EACCES, "cannot open '{}'", "/data/nccl/out of memory.txt"), FailureCause::Unknown},
      {{ErrorCode::OutOfMemory, "CUDA out of memory. Tried to allocate 2.00 GiB", "step 7"}, FailureCause::OutOfMemory},
      {{ErrorCode::Device, "CUDA error: an illegal memory access was encountered", {}}, FailureCause::Device},
      {Error::corrupt("a page"), FailureCause::DamagedFile},
      {{ErrorCode::DamagedCheckpoint, "hash of chunk 3", {}}, FailureCause::DamagedCheckpoint},
      {{ErrorCode::LostRank, "rank 1 on 'node2' is gone", {}}, FailureCause::LostRank},
      {Error::internal("the function is not there"), FailureCause::Unknown},
  };
  for (const auto& each : cases) EXPECT_EQ(failedRun(each.error).cause, each.cause) << each.error.text();
}

}  // namespace
}  // namespace batchwise
