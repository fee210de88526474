// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/config/device_names.h"

namespace batchwise {

/// Bytes of host tensors: current, and maximum since the last reset.
struct HostTensorBytes {
  std::int64_t inUse = 0;
  std::int64_t peak = 0;
};

/// Installs a CPU allocator in LibTorch that counts bytes per CPU device and can be limited. Later calls do nothing.
/// State of the process, because LibTorch has one CPU allocator. Thread-safe.
void useCountingHostAllocator();

/// Pseudo-device for memory that no device computes with, such as copies of a checkpoint. Has no limit.
constexpr std::int64_t kHostCopyDevice = kMaxCpuDevices;

/// Charges this thread's allocations to a CPU device, 0 <= device < kMaxCpuDevices, for as long as it lives; without a
/// scope, to device 0. Memory is credited to the device it was charged to, whichever thread frees it. Scopes nest.
class HostDeviceScope {
 public:
  explicit HostDeviceScope(std::int64_t device);
  ~HostDeviceScope();
  HostDeviceScope(const HostDeviceScope&) = delete;
  HostDeviceScope& operator=(const HostDeviceScope&) = delete;

 private:
  const std::size_t before_;
};

/// Of the current device of this thread.
HostTensorBytes hostTensorBytes();
void resetHostTensorPeak();

/// Makes allocations that would exceed `bytes` on their device throw c10::OutOfMemoryError; 0: no limit.
void setHostTensorLimit(std::int64_t bytes);

}  // namespace batchwise
