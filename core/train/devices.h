// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/Device.h>
#include <c10/util/Exception.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/events/run_event.h"
#include "core/config/train_config.h"
#include "core/model/kernels/cuda_kernels.h"

namespace batchwise {

/// Position of a process among the processes of a run; alone by default.
struct ProcessShare {
  std::int64_t rank = 0;
  std::int64_t processes = 1;     ///< one device each
  std::int64_t localRank = 0;     ///< on its host
  std::int64_t sharingCores = 1;  ///< number of processes that may use the same cores as this one
};

/// What the process holds when a run starts, of each entry of deviceMemory(): resident bytes on the host, bytes of
/// tensors on a GPU. It is not the run's.
struct MemoryAtStart {
  std::int64_t held = 0;
  std::int64_t peak = 0;  ///< reset, if the system allows that
};

/// The devices of a run after resolving the configuration.
struct DeviceChoice {
  std::vector<c10::Device> devices;  ///< of this process, one per rank; the CPU may occur several times
  ProcessShare share;
  std::int64_t threadsPerDevice = 1;
  std::int64_t memoryBytes = 0;  ///< of one device; cached, because querying a GPU is slow
  /// What on these devices is slower, or may not repeat itself.
  std::vector<std::string> notes;
  std::vector<MemoryAtStart> atStart;  ///< empty: nothing is subtracted

  bool onGpu() const { return devices.front().is_cuda(); }
  /// Returns the number of devices of all processes.
  std::int64_t count() const { return static_cast<std::int64_t>(devices.size()) * share.processes; }
};

/// Resolves `devices.use`: "auto" is the GPUs if there are any, else the CPU. `cores`: shared among the threads of all
/// devices unless `devices.threads` is set. Each of several processes gets one device: the one at its local rank among
/// the named GPUs, or all of them. Fails with Unsupported if a device does not exist, with Config if the text names no
/// device or a different number of devices than processes.
Result<DeviceChoice> chooseDevices(const DevicesConfig& config, std::int64_t gpus, std::int64_t cores,
                                   const ProcessShare& share = {});

/// Calls chooseDevices() for this machine and applies process-wide settings: threads, determinism, memory limit; what
/// kernels compute wrongly on a GPU is replaced, with a note (core/model/backend_check.h). Call before allocating on a
/// device, from the training thread. Fails with Device if a GPU has no code in this build, or has
/// failed in this process.
Result<DeviceChoice> useDevices(const DevicesConfig& config, const ProcessShare& share = {});

/// Returns how a GPU runs the kernels of this build; fails as cudaCode().
Result<CudaCode> deviceCode(const c10::Device& gpu);

/// Returns whether all devices have fast bf16 matrix products: GPUs since Ampere (compute capability 8.0).
bool hasFastBf16(const DeviceChoice& choice);

/// Enables or disables LibTorch's deterministic algorithms for the process. On a GPU, operations without one throw:
/// flash attention uses its deterministic variant only in this strict mode. cuBLAS and NCCL follow setGpuEnvironment()
/// (core/base/process_setup.h), which main() has called.
void setDeterministic(bool deterministic, bool onGpu);

/// Enables expandable segments (CUDA virtual memory), so that micro-batches of different sizes do not fragment GPU
/// memory, unless PYTORCH_CUDA_ALLOC_CONF or PYTORCH_ALLOC_CONF is set. Process-wide.
void useExpandableSegments();

/// Returns the number of GPUs that LibTorch can use; 0 without a driver.
std::int64_t gpuCount();
/// Returns the number of CPU cores that this process may use.
std::int64_t coreCount();
/// Returns a name such as "Intel(R) Xeon(R) …" or "NVIDIA H200".
std::string deviceDescription(const c10::Device& device);

/// Memory of the machine, and what this process may still allocate (core/base/machine.h), in bytes.
struct HostMemory {
  std::int64_t total = 0;
  std::int64_t available = 0;
};
HostMemory hostMemory();

/// Returns the memory that a run uses on each device of this process, without what the process held before. CPU devices
/// share the process's memory and are one entry, "cpu:0", with the growth of its resident size. One process of several
/// is named by its rank, as "cpu:3".
std::vector<DeviceMemory> deviceMemory(const DeviceChoice& choice);

/// Counts the calls within training steps that make the host wait for a GPU, through LibTorch's synchronization
/// warnings; those of autograd threads reach the thread that called backward. Waiting for an event does not count. For
/// benchmarks: does nothing, at no cost, unless the environment has BATCHWISE_COUNT_HOST_SYNCS. LibTorch's switch is
/// process-wide: use one device per process.
class HostSyncs {
 public:
  /// Number of first steps to skip, in which libraries initialize.
  static constexpr std::int64_t kWarmSteps = 5;

  /// Counts during its lifetime, on the thread that creates it.
  class Step final : c10::WarningHandler {
   public:
    explicit Step(HostSyncs& owner);
    ~Step() override;
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    void process(const c10::Warning& warning) override;

   private:
    HostSyncs& owner_;
    c10::WarningHandler* const outer_;
    std::int64_t count_ = 0;
  };

  explicit HostSyncs(bool enabled) : enabled_(enabled) {}
  static bool enabledByEnvironment();
  /// Returns nullopt unless counting is enabled.
  std::optional<Step> countStep();
  /// Returns for example "host syncs per step: 0.25 (5 in 20 steps)"; nullopt before the first counted step ends.
  std::optional<std::string> text() const;

 private:
  bool enabled_;
  std::int64_t steps_ = 0;
  std::int64_t count_ = 0;  // after the first kWarmSteps steps
};

}  // namespace batchwise
