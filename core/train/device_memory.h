// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/Device.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/default_values.h"
#include "core/plan/microbatch_search.h"

namespace batchwise {

// How much memory tensors and steps take, on the host and on GPUs.

struct Replica;

/// Bytes of tensors: current, and maximum since the last reset.
struct MemoryBytes {
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
class ChargeAllocationsTo {
 public:
  explicit ChargeAllocationsTo(std::int64_t device);
  ~ChargeAllocationsTo();
  ChargeAllocationsTo(const ChargeAllocationsTo&) = delete;
  ChargeAllocationsTo& operator=(const ChargeAllocationsTo&) = delete;

 private:
  const std::size_t before_;
};

/// Of the current device of this thread.
MemoryBytes hostTensorBytes();
void resetHostTensorPeak();

/// Makes allocations that would exceed `bytes` on their device throw c10::OutOfMemoryError; 0: no limit.
void setHostTensorLimit(std::int64_t bytes);

/// NVIDIA's management library (NVML), loaded at run time. It reports the memory of all programs on a GPU; the
/// allocator knows only its own tensors.
class NvmlLibrary {
 public:
  /// Returns null if the library is missing, lacks a function or fails to initialize (no driver). `file`: as in
  /// dlopen().
  static std::unique_ptr<NvmlLibrary> load(const std::string& file = "libnvidia-ml.so.1");
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  /// Returns the bytes in use on the GPU with this UUID ("GPU-5c1d…"); 0 if NVML does not report them. Thread-safe.
  std::int64_t usedBytes(const std::string& uuid) const;

 private:
  struct Memory;
  NvmlLibrary() = default;

  void* library_ = nullptr;
  int (*shutdown_)() = nullptr;  // null unless initialized
  int (*deviceByUuid_)(const char*, void** device) = nullptr;
  int (*memoryInfo_)(void* device, Memory*) = nullptr;
};

/// Formats the 16 bytes of CUDA's UUID as NVML does.
std::string nvmlUuid(const char* bytes);

/// Returns usedBytes() of the system's library, loaded by the first call, for the GPU with these 16 UUID bytes; 0
/// without the library. Thread-safe.
std::int64_t driverUsedBytes(const char* uuidBytes);

/// Returns the bytes of tensors on a device since useDevices() or the last probe. On the CPU, of the device that this
/// thread allocates for.
MemoryBytes deviceTensorBytes(c10::Device device);

/// Returns the bytes that a device may use: `configured` if given; else on a GPU what is free or already ours; 0
/// (unlimited) on the CPU.
std::int64_t deviceLimitBytes(c10::Device device, std::optional<std::int64_t> configured);

/// Returns the bytes of tensors that a GPU can hold in total, minus a reserve for fragmentation; 0 on the CPU.
std::int64_t usableDeviceBytes(c10::Device device);

/// Measures the memory of a step by running one: forward, backward and optimizer on synthetic sequences, with a
/// non-finite gradient so that weights and moments stay unchanged. Uses no random numbers of a run. Not thread-safe;
/// nothing else may use the device meanwhile.
class StepProbe {
 public:
  /// On the CPU, `replica` must be on the device that this thread allocates for.
  StepProbe(Replica& replica, double maskProbability) : replica_(replica), maskProbability_(maskProbability) {}

  /// Runs a step with `units` times sequences of these lengths. Returns bytes of tensors, including weights, gradients
  /// and moments. Fails with Device.
  Result<ProbeOutcome> measure(std::int64_t units, const std::vector<std::int64_t>& lengths);

 private:
  Replica& replica_;
  const double maskProbability_;
};

/// The peak memory of training on a device, excluding copies of the weights that exist at the same time. Sampled from
/// the device's peak, which only grows: a step below the peak is not measured. So the result may be too small by the
/// size of such a copy, never by more. Not thread-safe.
class StepPeakMemory {
 public:
  /// Call after training. `peak`: the device's peak bytes so far; `beside`: bytes of copies now.
  void sample(std::int64_t peak, std::int64_t beside) {
    // A copy that is gone by now existed for part of the time.
    if (peak > seen_) bytes_ = std::max(bytes_, peak - std::max(beside, beside_));
    skip(peak, beside);
  }
  /// Ignores a rise of the peak since the last sample that was not caused by training.
  void skip(std::int64_t peak, std::int64_t beside) {
    seen_ = std::max(seen_, peak);
    beside_ = beside;
  }
  std::int64_t bytes() const { return bytes_; }
  /// Bytes of copies at the last sample.
  std::int64_t beside() const { return beside_; }

 private:
  std::int64_t bytes_ = 0;
  std::int64_t seen_ = 0;
  std::int64_t beside_ = 0;
};

}  // namespace batchwise
