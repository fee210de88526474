// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/train_config.h"
#include "core/events/run_event.h"

namespace batchwise {

/// Where a process stands among those of one run; alone by default.
struct ProcessShare {
  std::int64_t rank = 0;
  std::int64_t processes = 1;     ///< each has one device
  std::int64_t localRank = 0;     ///< on its host
  std::int64_t sharingCores = 1;  ///< processes that may use the same cores as this one
};

/// The devices of a run, resolved.
struct DeviceChoice {
  std::vector<c10::Device> devices;  ///< of this process, one per rank; the processor may stand there several times
  ProcessShare share;
  std::int64_t threadsPerDevice = 1;
  std::int64_t memoryBytes = 0;  ///< of one device; asking a GPU takes time, so it is asked once
  std::vector<std::string> notes;

  bool onGpu() const { return devices.front().is_cuda(); }
  /// Over all processes.
  std::int64_t count() const { return static_cast<std::int64_t>(devices.size()) * share.processes; }
};

/// Reads `devices.use` against what the machine has: auto is the GPU if there is one, else the processor. `cores` is
/// what the threads are divided from unless `devices.threads` names them. One process of several gets one device: of
/// the GPUs named, or all, that of its place on its host. Fails with Unsupported for a device that is not there, with
/// Config for text that names no device, or another number of them than there are processes.
Result<DeviceChoice> chooseDevices(const DevicesConfig& config, std::int64_t gpus, std::int64_t cores,
                                   const ProcessShare& share = {});

/// chooseDevices for this machine, and the settings of the process that follow: threads, determinism, memory limit. To
/// be called before anything is put on a device; from the thread that trains.
Result<DeviceChoice> useDevices(const DevicesConfig& config, const ProcessShare& share = {});

/// Whether all devices multiply bf16 as fast as they should: GPUs since Ampere (compute capability 8.0).
bool computesInBf16(const DeviceChoice& choice);

/// Asks LibTorch, for the process, for operations that repeat bit for bit, or no longer. On a GPU one that cannot
/// throws: flash attention takes its repeatable way only where nothing else is allowed.
void useDeterminism(bool wanted, bool onGpu);

/// GPU memory in segments that grow (CUDA's virtual memory), so that micro-batches of different sizes leave no holes,
/// unless PYTORCH_CUDA_ALLOC_CONF or PYTORCH_ALLOC_CONF says how it is to be taken. For the process.
void useGrowingSegments();

/// GPUs that LibTorch can use; 0 without a driver.
std::int64_t gpuCount();
/// Processors that this process may use.
std::int64_t coreCount();
/// "Intel(R) Xeon(R) …" or "NVIDIA H200".
std::string deviceDescription(const c10::Device& device);

/// Bytes of memory of the machine, and those that this process may still take (core/base/machine.h).
struct HostMemory {
  std::int64_t total = 0;
  std::int64_t available = 0;
};
HostMemory hostMemory();

/// Memory of each device of this process as it is now. All its "devices" on the processor share its memory: they are
/// told once, as "cpu:0", with the resident size of the process. One process of several counts through all devices of
/// the run, as "cpu:3".
std::vector<DeviceMemory> deviceMemory(const DeviceChoice& choice);

}  // namespace batchwise
