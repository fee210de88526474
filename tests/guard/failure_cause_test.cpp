// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/failure_cause.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "core/base/error.h"

namespace batchwise {
namespace {

TEST(FailureCauseTest, IsReadFromWhatCoreTheSystemAndLibTorchSay) {
  const struct {
    std::string reason;
    FailureCause cause;
  } cases[] = {
      {Error::fromErrno(ENOSPC, "cannot write", "/w/x").text(), FailureCause::DiskFull},
      {Error::fromErrno(EDQUOT, "cannot write", "/w/x").text(), FailureCause::DiskFull},
      {Error::fromErrno(ENOMEM, "cannot map", "/w/x").text(), FailureCause::OutOfMemory},
      {Error::fromErrno(ENOENT, "cannot open", "/w/x").text(), FailureCause::MissingFile},
      {"no space left for '/w/workspace.sqlite': disk full; free some space", FailureCause::DiskFull},
      {"step 7: CUDA out of memory. Tried to allocate 2.00 GiB", FailureCause::OutOfMemory},
      {"a single sequence does not fit into the memory of the device; a smaller model or data.max_seq_len would",
       FailureCause::OutOfMemory},
      {"[enforce fail at alloc_cpu.cpp:114] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes",
       FailureCause::OutOfMemory},
      {"rank 1 on 'node2' was lost in step: its process ended without a word (killed, out of memory, or the machine is "
       "gone)",
       FailureCause::LostRank},
      {"rank 0 has been silent for 40 s", FailureCause::LostRank},
      {"the gradient of step 9 is not finite (loss nan); the weights are those before the step",
       FailureCause::NonFinite},
      {"guard.loss_spike: the loss of step 5 is 9.1, above the limit of 3.2", FailureCause::LossSpike},
      {"checkpoint ab12 holds numbers that are not finite; leave --checkpoint out for the newest good one",
       FailureCause::DamagedCheckpoint},
      {"checkpoint '/w/c' is damaged: hash of chunk 3", FailureCause::DamagedCheckpoint},
      {"damaged: '/w/workspace.sqlite' has a page that fails its checksum", FailureCause::DamagedFile},
      {"there is no file or folder '/corpus'", FailureCause::MissingFile},
      {"CUDA error: an illegal memory access was encountered", FailureCause::Device},
      {"the function is not there", FailureCause::Unknown},
      {"", FailureCause::Unknown},
  };
  for (const auto& each : cases) EXPECT_EQ(failureCause(each.reason), each.cause) << each.reason;
}

}  // namespace
}  // namespace batchwise
