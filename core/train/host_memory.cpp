// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/host_memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <utility>

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

  HostTensorBytes bytes() const { return {accounts_[deviceOfThread].inUse, accounts_[deviceOfThread].peak}; }
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

}  // namespace

void useCountingHostAllocator() {
  static std::once_flag once;
  std::call_once(once, [] { c10::SetCPUAllocator(&allocator(), 1); });
}

HostDeviceScope::HostDeviceScope(std::int64_t device)
    : before_(std::exchange(deviceOfThread, static_cast<std::size_t>(device))) {}

HostDeviceScope::~HostDeviceScope() {
  deviceOfThread = before_;
}

HostTensorBytes hostTensorBytes() {
  return allocator().bytes();
}
void resetHostTensorPeak() {
  allocator().resetPeak();
}
void setHostTensorLimit(std::int64_t bytes) {
  allocator().setLimit(bytes);
}

}  // namespace batchwise
