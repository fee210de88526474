// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/config/device_names.h"

namespace batchwise {

/// Bytes of host tensors, in use now and at most since the last reset.
struct HostTensorBytes {
  std::int64_t inUse = 0;
  std::int64_t peak = 0;
};

/// Makes LibTorch take host tensors from an allocator that counts them for each CPU device and can be given a limit.
/// Does nothing after the first call. LibTorch has one host allocator per process, so this state is the process's too.
/// Any thread.
void useCountingHostAllocator();

/// In place of a device: what no device computes with, as the copies of a checkpoint. Has no limit.
constexpr std::int64_t kHostCopies = kMostCpuDevices;

/// Charges what this thread allocates while it lives to one CPU device, 0 <= device < kMostCpuDevices; without it, to
/// device 0. What another thread frees goes off the device that it was charged to. For one thread, innermost counts.
class HostDeviceScope {
 public:
  explicit HostDeviceScope(std::int64_t device);
  ~HostDeviceScope();
  HostDeviceScope(const HostDeviceScope&) = delete;
  HostDeviceScope& operator=(const HostDeviceScope&) = delete;

 private:
  const std::size_t before_;
};

/// Of the device that this thread allocates for.
HostTensorBytes hostTensorBytes();
void resetHostTensorPeak();

/// Allocations that would lead above `bytes` in use on their device throw c10::OutOfMemoryError from now on; 0: no
/// limit.
void setHostTensorLimit(std::int64_t bytes);

}  // namespace batchwise
