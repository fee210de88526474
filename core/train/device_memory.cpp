// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/device_memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <dlfcn.h>
#include <torch/torch.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <type_traits>
#include <utility>

#include "core/model/device_error.h"
#include "core/plan/microbatch_search.h"
#include "core/train/train_loop.h"

namespace batchwise {
namespace {

constexpr std::size_t kHeader = 64;  // keeps the data aligned to a cache line

/// Stored before the data.
struct Header {
  std::size_t bytes = 0;
  std::size_t device = 0;
};
static_assert(sizeof(Header) <= kHeader);

/// Bytes of one CPU device.
struct Account {
  std::atomic<std::int64_t> inUse{0};
  std::atomic<std::int64_t> peak{0};
};

thread_local std::size_t deviceOfThread = 0;

class CountingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* data = bytes == 0 ? nullptr : take(bytes);
    return {data, data, &CountingAllocator::release, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &CountingAllocator::release; }
  void copy_data(void* target, const void* source, std::size_t bytes) const override {
    default_copy_data(target, source, bytes);
  }

  MemoryBytes bytes() const { return {accounts_[deviceOfThread].inUse, accounts_[deviceOfThread].peak}; }
  void resetPeak() { accounts_[deviceOfThread].peak = accounts_[deviceOfThread].inUse.load(); }
  void setLimit(std::int64_t bytes) { limit_ = bytes; }

 private:
  static void release(void* data);
  void* take(std::size_t bytes);
  void count(std::size_t device, std::int64_t bytes);

  std::array<Account, kHostCopyDevice + 1> accounts_;
  std::atomic<std::int64_t> limit_{0};
};

CountingAllocator& allocator() {
  static auto* const theOne = new CountingAllocator;  // never destroyed: tensors may outlive every static object
  return *theOne;
}

void* CountingAllocator::take(std::size_t bytes) {
  const std::size_t device = deviceOfThread;
  count(device, static_cast<std::int64_t>(bytes));
  void* block = std::aligned_alloc(kHeader, (bytes + 2 * kHeader - 1) / kHeader * kHeader);
  if (block == nullptr) {
    accounts_[device].inUse -= static_cast<std::int64_t>(bytes);
    TORCH_CHECK_WITH(OutOfMemoryError, false, "the system has no ", bytes, " bytes for a tensor");
  }
  *static_cast<Header*>(block) = {bytes, device};
  return static_cast<std::byte*>(block) + kHeader;
}

void CountingAllocator::count(std::size_t device, std::int64_t bytes) {
  Account& account = accounts_[device];
  const std::int64_t now = account.inUse += bytes;
  const std::int64_t limit = device == kHostCopyDevice ? 0 : limit_.load();
  if (limit > 0 && now > limit) {
    account.inUse -= bytes;
    TORCH_CHECK_WITH(OutOfMemoryError, false, "a tensor of ", bytes,
                     " bytes would take the host tensors of the device to ", now, " bytes; the limit is ", limit);
  }
  std::int64_t peak = account.peak.load();
  while (now > peak && !account.peak.compare_exchange_weak(peak, now)) {
  }
}

void CountingAllocator::release(void* data) {
  if (data == nullptr) return;
  void* block = static_cast<std::byte*>(data) - kHeader;
  const Header header = *static_cast<Header*>(block);
  allocator().accounts_[header.device].inUse -= static_cast<std::int64_t>(header.bytes);
  std::free(block);
}

// The used part of NVML is declared here, because the driver comes without the header. Unchanged since NVML 5.
constexpr int kNvmlSuccess = 0;

constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);

void resetPeak(c10::Device device) {
  if (device.is_cpu()) return resetHostTensorPeak();
  c10::getDeviceAllocator(device.type())->resetPeakStats(device.index());
}

void addSequence(MicroBatch& batch, std::int64_t tokens, double maskProbability) {
  const auto start = static_cast<std::int32_t>(batch.tokenIds.size());
  const auto sequence = static_cast<std::int32_t>(batch.sampleIds.size());
  batch.tokenIds.resize(batch.tokenIds.size() + static_cast<std::size_t>(tokens));
  batch.sequenceStarts.push_back(start + static_cast<std::int32_t>(tokens));
  batch.sampleIds.push_back(sequence);
  batch.indicesInStep.push_back(sequence);
  const auto predicted = static_cast<std::int32_t>(predictedTokens(tokens, maskProbability));
  for (std::int32_t place = 1; place <= predicted; ++place) batch.predictedPositions.push_back(start + place);
  batch.longest = std::max(batch.longest, static_cast<std::int32_t>(tokens));
}

// Each sequence has as many predicted tokens as masking would choose.
MicroBatch syntheticBatch(std::int64_t units, const std::vector<std::int64_t>& lengths, double maskProbability) {
  MicroBatch batch;
  batch.sequenceStarts.push_back(0);
  for (std::int64_t unit = 0; unit < units; ++unit)
    for (const std::int64_t tokens : lengths) addSequence(batch, tokens, maskProbability);
  batch.labels.assign(batch.predictedPositions.size(), 0);
  return batch;
}

void oneStep(Replica& replica, const MicroBatch& batch) {
  replica.optimizer.zeroGradients();
  {
    const LossSums sums = replica.model.forward(toDevice(batch, replica.model.device()), {0, 0, /*training=*/true});
    replica.model.backward(sums, 1.0 / static_cast<double>(sums.predicted), replica.optimizer.lossScale());
  }
  const torch::NoGradGuard noGrad;
  replica.model.parameters().front().tensor.grad().fill_(std::numeric_limits<float>::quiet_NaN());
  const at::Tensor scale = replica.optimizer.lossScale();
  const at::Tensor before = scale.defined() ? scale.clone() : at::Tensor();
  const StepOutcome done = replica.optimizer.step(0.0);
  if (scale.defined()) at::Tensor(scale).copy_(before);  // as if there had been no step
  TORCH_CHECK(done.foundInf.item<float>() != 0, "a probe changed the weights");
}

}  // namespace

void useCountingHostAllocator() {
  static std::once_flag once;
  std::call_once(once, [] { c10::SetCPUAllocator(&allocator(), 1); });
}

ChargeAllocationsTo::ChargeAllocationsTo(std::int64_t device)
    : before_(std::exchange(deviceOfThread, static_cast<std::size_t>(device))) {}

ChargeAllocationsTo::~ChargeAllocationsTo() {
  deviceOfThread = before_;
}

MemoryBytes hostTensorBytes() {
  return allocator().bytes();
}
void resetHostTensorPeak() {
  allocator().resetPeak();
}
void setHostTensorLimit(std::int64_t bytes) {
  allocator().setLimit(bytes);
}

struct NvmlLibrary::Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

NvmlLibrary::~NvmlLibrary() {
  if (shutdown_ != nullptr) shutdown_();
  if (library_ != nullptr) dlclose(library_);
}

std::unique_ptr<NvmlLibrary> NvmlLibrary::load(const std::string& file) {
  std::unique_ptr<NvmlLibrary> nvml(new NvmlLibrary);
  nvml->library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (nvml->library_ == nullptr) return nullptr;
  const auto find = [&nvml](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(nvml->library_, name));
    return function != nullptr;
  };
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  if (!find(init, "nvmlInit_v2") || !find(shutdown, "nvmlShutdown") ||
      !find(nvml->deviceByUuid_, "nvmlDeviceGetHandleByUUID") || !find(nvml->memoryInfo_, "nvmlDeviceGetMemoryInfo") ||
      init() != kNvmlSuccess)
    return nullptr;
  nvml->shutdown_ = shutdown;
  return nvml;
}

std::int64_t NvmlLibrary::usedBytes(const std::string& uuid) const {
  void* device = nullptr;
  Memory memory{};
  if (deviceByUuid_(uuid.c_str(), &device) != kNvmlSuccess) return 0;
  if (memoryInfo_(device, &memory) != kNvmlSuccess) return 0;
  return static_cast<std::int64_t>(memory.used);
}

std::string nvmlUuid(const char* bytes) {
  constexpr std::size_t kBytes = 16;
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text = "GPU-";
  for (std::size_t i = 0; i < kBytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xF];
  }
  return text;
}

std::int64_t driverUsedBytes(const char* uuidBytes) {
  // Never unloaded, because threads may outlive static objects.
  static const NvmlLibrary* const library = NvmlLibrary::load().release();
  return library == nullptr ? 0 : library->usedBytes(nvmlUuid(uuidBytes));
}

MemoryBytes deviceTensorBytes(c10::Device device) {
  if (device.is_cpu()) return hostTensorBytes();
  const auto stats = c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
  return {stats.allocated_bytes[kAll].current, stats.allocated_bytes[kAll].peak};
}

Result<ProbeOutcome> StepProbe::measure(std::int64_t units, const std::vector<std::int64_t>& lengths) {
  const c10::Device device = replica_.model.device();
  resetPeak(device);
  ProbeOutcome outcome;
  std::optional<Error> failed;
  try {
    oneStep(replica_, syntheticBatch(units, lengths, maskProbability_));
  } catch (const std::exception& e) {
    outcome.fits = !isOutOfMemory(e);
    if (outcome.fits) failed = caughtError("measuring the memory of a step");
  }
  const MemoryBytes after = deviceTensorBytes(device);
  if (failed) return *failed;  // the device may be unusable
  replica_.optimizer.zeroGradients();
  resetPeak(device);  // the probe must not count as a peak of training
  outcome.peakBytes = after.peak;
  outcome.residentBytes = after.inUse;
  return outcome;
}

std::int64_t deviceLimitBytes(c10::Device device, std::optional<std::int64_t> configured) {
  if (configured || device.is_cpu()) return memoryLimit(configured, {}).bytes;
  c10::DeviceAllocator* allocator = c10::getDeviceAllocator(device.type());
  const auto reserved = allocator->getDeviceStats(device.index()).reserved_bytes[kAll].current;
  return memoryLimit({}, static_cast<std::int64_t>(allocator->getMemoryInfo(device.index()).first) + reserved).bytes;
}

std::int64_t usableDeviceBytes(c10::Device device) {
  if (device.is_cpu()) return 0;
  constexpr double kUsable = 0.95;
  const auto total = static_cast<double>(c10::getDeviceAllocator(device.type())->getMemoryInfo(device.index()).second);
  const double allowed = total * c10::cuda::CUDACachingAllocator::getMemoryFraction(device.index());
  const double limit = std::min(allowed, static_cast<double>(deviceLimitBytes(device, std::nullopt)));
  return static_cast<std::int64_t>(kUsable * limit);
}

}  // namespace batchwise
