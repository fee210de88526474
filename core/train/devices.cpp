// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/devices.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/core/AllocatorConfig.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/base/folder.h"
#include "core/base/format.h"
#include "core/base/machine.h"
#include "core/config/default_values.h"
#include "core/model/backend_check.h"
#include "core/model/device_error.h"
#include "core/train/device_memory.h"

namespace batchwise {
namespace {

std::vector<c10::Device> cpuDevices(const std::string& use) {
  const auto count = static_cast<std::size_t>(namedDeviceCount(use).value_or(1));
  return std::vector<c10::Device>(count, c10::Device(c10::DeviceType::CPU));
}

c10::Device gpu(std::int64_t index) {
  return c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index));
}

// Returns all GPUs for "cuda", the named ones for "cuda:0,1".
Result<std::vector<c10::Device>> gpuDevices(const std::string& use, std::int64_t gpus) {
  if (gpus == 0)
    return Error::unsupported(formatText(
        "devices is '{}', but this machine has no usable CUDA device (see: batchwise doctor); use auto or cpu", use));
  std::vector<c10::Device> found;
  if (use == "cuda") {
    for (std::int64_t index = 0; index < gpus; ++index) found.push_back(gpu(index));
    return found;
  }
  for (const int number : namedGpus(use)) {
    if (number >= gpus)
      return Error::unsupported(
          formatText("devices is '{}', but this machine has {}, counted from 0", use, countText(gpus, "CUDA device")));
    found.push_back(gpu(number));
  }
  return found;
}

// Returns the device of one process of several.
Result<std::vector<c10::Device>> devicesOfProcess(const std::string& use, std::vector<c10::Device> all,
                                                  const ProcessShare& share) {
  if (all.front().is_cpu()) {
    if (use.starts_with("cpu:") && static_cast<std::int64_t>(all.size()) != share.processes)
      return Error::config(formatText(
          "devices is '{}', but {} processes were started for the run, one per device; start as many, or use cpu", use,
          share.processes));
    return std::vector{all.front()};
  }
  // A launcher may make only its own GPU visible to each process.
  if (all.size() == 1) return all;
  if (share.localRank >= static_cast<std::int64_t>(all.size()))
    return Error::config(
        formatText("devices is '{}', which gives {} of this machine, but more processes were started on it; start "
                   "one process per GPU",
                   use, countText(all.size(), "GPU")));
  return std::vector{all[static_cast<std::size_t>(share.localRank)]};
}

MemoryAtStart residentMemory() {
  MemoryAtStart memory;
  std::ifstream lines("/proc/self/status");
  for (std::string line; std::getline(lines, line);)
    for (const auto& [key, bytes] : {std::pair("VmRSS:", &memory.held), std::pair("VmHWM:", &memory.peak)})
      if (line.starts_with(key)) *bytes = 1024 * std::strtoll(line.c_str() + 6, nullptr, 10);
  return memory;
}

// Returns memory that earlier runs have freed to the system, so that this one is charged for it again.
MemoryAtStart resetProcessMemory() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // resets VmHWM, see proc(5)
  return residentMemory();
}

DeviceMemory processMemory(std::int64_t total, const MemoryAtStart& start) {
  const MemoryAtStart now = residentMemory();
  const bool peakIsOfRun = now.peak > start.peak;
  DeviceMemory memory;
  memory.name = "cpu:0";
  memory.allocated = std::max<std::int64_t>(0, now.held - start.held);
  memory.reserved = memory.allocated;
  memory.peak = std::max(memory.allocated, peakIsOfRun ? now.peak - start.held : 0);
  memory.total = total;
  return memory;
}

DeviceMemory gpuMemory(const c10::Device& device, std::int64_t total, const MemoryAtStart& start) {
  constexpr auto kAggregate = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  const auto stats = c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
  DeviceMemory memory;
  memory.name = "cuda:" + std::to_string(device.index());
  memory.allocated = std::max<std::int64_t>(0, stats.allocated_bytes[kAggregate].current - start.held);
  memory.reserved = stats.reserved_bytes[kAggregate].current;
  memory.peak = std::max<std::int64_t>(0, stats.allocated_bytes[kAggregate].peak - start.held);
  memory.total = total;
  memory.driverUsed = driverUsedBytes(at::cuda::getDeviceProperties(device.index())->uuid.bytes);
  return memory;
}

std::int64_t totalBytes(const c10::Device& device) {
  return static_cast<std::int64_t>(c10::getDeviceAllocator(device.type())->getMemoryInfo(device.index()).second);
}

// Allocations above the limit fail as if the GPU had no more. Without a limit, resets that of an earlier run.
void limitGpuMemory(const std::vector<c10::Device>& gpus, std::optional<std::int64_t> limitBytes) {
  for (const c10::Device& device : gpus) {
    const double share = limitBytes ? static_cast<double>(*limitBytes) / static_cast<double>(totalBytes(device)) : 1.0;
    c10::cuda::CUDACachingAllocator::setMemoryFraction(std::min(1.0, share), device.index());
  }
}

// Peaks of an earlier run in this process do not count.
std::vector<MemoryAtStart> resetPeaks(const std::vector<c10::Device>& gpus) {
  std::vector<MemoryAtStart> held;
  for (const c10::Device& device : gpus) {
    c10::getDeviceAllocator(device.type())->resetPeakStats(device.index());
    const DeviceMemory memory = gpuMemory(device, 0, {});
    held.push_back({memory.allocated, memory.peak});
  }
  return held;
}

CheckedGpu checkedGpu(const c10::Device& gpu, const std::string& driver) {
  const cudaDeviceProp& properties = *at::cuda::getDeviceProperties(gpu.index());
  std::ostringstream uuid;
  for (const char byte : properties.uuid.bytes)
    uuid << std::hex << std::setw(2) << std::setfill('0') << static_cast<int>(static_cast<unsigned char>(byte));
  return {properties.name, uuid.str(), driver, buildIdentity()};
}

// An operation that is wrong on one GPU is replaced on all, for replicas that compute alike. The first check of a GPU
// takes about a second, most of it for libraries that a run loads anyway.
std::vector<std::string> replaceWrongOperations(const std::vector<c10::Device>& gpus) {
  const std::filesystem::path folder = userCacheFolder(processEnvironment());
  const std::string driver = gpuDriverVersion(machineInfo().gpuDriver);
  std::vector<OperationCheck> wrong;
  std::vector<std::string> notes;
  for (const c10::Device& device : gpus) {
    const c10::cuda::CUDAGuard onDevice(device);
    const auto check = [&device] { return checkOperations(cudaBackend(), device); };
    for (const OperationCheck& one : rememberedChecks(folder, checkedGpu(device, driver), check)) {
      if (one.good()) continue;
      notes.push_back(
          formatText("{} in {} is wrong on {}: the kernel does not compute what LibTorch does, so LibTorch does it, "
                     "more slowly; please report this with the output of batchwise doctor --gpu",
                     operationName(one.group), one.type, deviceDescription(device)));
      wrong.push_back(one);
    }
  }
  replaceOperations(wrong);
  return notes;
}

}  // namespace

Result<DeviceChoice> chooseDevices(const DevicesConfig& config, std::int64_t gpus, std::int64_t cores,
                                   const ProcessShare& share) {
  const std::string use = config.use == "auto" ? (gpus > 0 ? "cuda" : "cpu") : config.use;
  const bool cpu = use == "cpu" || use.starts_with("cpu:");
  if (!checkDeviceNames(use).empty())
    return Error::config(formatText("devices is '{}'; it takes auto, cpu, cpu:N, cuda or cuda:N", use));
  Result<std::vector<c10::Device>> devices = cpu ? Result(cpuDevices(use)) : gpuDevices(use, gpus);
  if (devices.ok() && share.processes > 1) devices = devicesOfProcess(use, std::move(*devices), share);
  if (!devices.ok()) return devices.error();
  DeviceChoice choice;
  choice.devices = std::move(*devices);
  choice.share = share;
  const std::int64_t users = share.processes > 1 ? share.sharingCores : choice.count();
  choice.threadsPerDevice = config.threads.value_or(std::max<std::int64_t>(1, cores / users));
  return choice;
}

Result<DeviceChoice> useDevices(const DevicesConfig& config, const ProcessShare& share) {
  Result<DeviceChoice> choice = chooseDevices(config, gpuCount(), coreCount(), share);
  if (!choice.ok()) return choice;
  useCountingHostAllocator();
  setHostTensorLimit(choice->onGpu() ? 0 : config.memoryLimitBytes.value_or(0));
  at::set_num_threads(static_cast<int>(choice->threadsPerDevice));
  setDeterministic(config.deterministic, choice->onGpu());
  if (!choice->onGpu()) {
    choice->memoryBytes = hostMemory().total;
    choice->atStart = {resetProcessMemory()};
    return choice;
  }
  useExpandableSegments();
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
  if (hasFailedGpu())
    return Error{ErrorCode::Device,
                 "the GPU failed in an earlier run of this program, which cannot use it any more: close the program "
                 "and start it again",
                 {}};
  for (const c10::Device& device : choice->devices) RETURN_IF_ERROR(deviceCode(device));
  choice->notes = replaceWrongOperations(choice->devices);
  if (hasFailedGpu())
    return Error{ErrorCode::Device,
                 "the GPU failed while its operations were checked: start the program again; if it fails again, "
                 "batchwise doctor --gpu writes a report of what fails",
                 {}};
  const char* const nvls =
      getenv("NCCL_NVLS_ENABLE");  // setGpuEnvironment() has set it to 0, unless the user had set it
  if (config.deterministic && choice->count() > 1 && nvls != nullptr && std::string_view(nvls) != "0")
    choice->notes.push_back(
        formatText("NCCL_NVLS_ENABLE is {}: sums over GPUs may not repeat bit for bit, although devices.deterministic "
                   "is true; unset it, or set devices.deterministic: false",
                   nvls));
  limitGpuMemory(choice->devices, config.memoryLimitBytes);
  choice->atStart = resetPeaks(choice->devices);
  choice->memoryBytes = totalBytes(choice->devices.front());
  return choice;
}

void setDeterministic(bool deterministic, bool onGpu) {
  at::globalContext().setDeterministicAlgorithms(deterministic, /*warn_only=*/!onGpu);
  at::globalContext().setDeterministicFillUninitializedMemory(false);
}

void useExpandableSegments() {
  for (const char* const name : {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"})
    if (getenv(name) != nullptr) return;
  c10::CachingAllocator::setAllocatorSettings("expandable_segments:True");
}

Result<CudaCode> deviceCode(const c10::Device& gpu) {
  const c10::cuda::CUDAGuard onDevice(gpu);
  return cudaCode();
}

bool hasFastBf16(const DeviceChoice& choice) {
  constexpr int kAmpere = 8;
  return std::all_of(choice.devices.begin(), choice.devices.end(), [](const c10::Device& device) {
    return device.is_cuda() && at::cuda::getDeviceProperties(device.index())->major >= kAmpere;
  });
}

std::int64_t gpuCount() {
  try {
    return at::cuda::is_available() ? at::cuda::device_count() : 0;
  } catch (const c10::Error&) {
    return 0;
  }
}

std::int64_t coreCount() {
  return std::max<std::int64_t>(1, machineInfo().cores);
}

std::string deviceDescription(const c10::Device& device) {
  if (device.is_cuda()) return at::cuda::getDeviceProperties(device.index())->name;
  const std::string processor = machineInfo().processor;
  return processor.empty() ? "processor" : processor;
}

HostMemory hostMemory() {
  const MachineInfo machine = machineInfo();
  return {machine.memoryBytes, machine.availableMemoryBytes.value_or(machine.memoryBytes)};
}

std::vector<DeviceMemory> deviceMemory(const DeviceChoice& choice) {
  std::vector<DeviceMemory> memories;
  const auto start = [&](std::size_t i) { return i < choice.atStart.size() ? choice.atStart[i] : MemoryAtStart(); };
  if (!choice.onGpu()) memories.push_back(processMemory(choice.memoryBytes, start(0)));
  for (std::size_t i = 0; choice.onGpu() && i < choice.devices.size(); ++i)
    memories.push_back(gpuMemory(choice.devices[i], choice.memoryBytes, start(i)));
  if (choice.share.processes > 1)
    memories.front().name = (choice.onGpu() ? "cuda:" : "cpu:") + std::to_string(choice.share.rank);
  return memories;
}

HostSyncs::Step::Step(HostSyncs& owner) : owner_(owner), outer_(c10::WarningUtils::get_warning_handler()) {
  c10::WarningUtils::set_warning_handler(this);
  c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_WARN);
}

HostSyncs::Step::~Step() {
  c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_DISABLED);
  c10::WarningUtils::set_warning_handler(outer_);
  if (++owner_.steps_ > kWarmSteps) owner_.count_ += count_;
}

void HostSyncs::Step::process(const c10::Warning& warning) {
  if (warning.msg().find("synchronizing CUDA operation") == std::string::npos) return outer_->process(warning);
  ++count_;
}

bool HostSyncs::enabledByEnvironment() {
  return std::getenv("BATCHWISE_COUNT_HOST_SYNCS") != nullptr;
}

std::optional<HostSyncs::Step> HostSyncs::countStep() {
  if (!enabled_) return std::nullopt;
  return std::optional<Step>(std::in_place, *this);
}

std::optional<std::string> HostSyncs::text() const {
  const std::int64_t steps = steps_ - kWarmSteps;
  if (steps <= 0) return std::nullopt;
  std::ostringstream text;
  text << "host syncs per step: " << static_cast<double>(count_) / static_cast<double>(steps) << " (" << count_
       << " in " << steps << " steps)";
  return text.str();
}

}  // namespace batchwise
