// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchwise {

/// Bytes of host tensors of this process, in use now and at most since the last reset.
struct HostTensorBytes {
  std::int64_t inUse = 0;
  std::int64_t peak = 0;
};

/// Makes LibTorch take host tensors from an allocator that counts them and can be given a limit. Does nothing after the
/// first call. LibTorch has one host allocator per process, so this state is the process's too. Any thread.
void useCountingHostAllocator();

HostTensorBytes hostTensorBytes();
void resetHostTensorPeak();

/// Allocations that would lead above `bytes` in use throw c10::OutOfMemoryError from now on; 0: no limit.
void setHostTensorLimit(std::int64_t bytes);

}  // namespace batchwise
