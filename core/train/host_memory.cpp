// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/host_memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <cstdlib>
#include <mutex>

namespace batchwise {
namespace {

constexpr std::size_t kHeader = 64;  // holds the size, before the data, which stay aligned to a cache line

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

  HostTensorBytes bytes() const { return {inUse_.load(), peak_.load()}; }
  void resetPeak() { peak_ = inUse_.load(); }
  void setLimit(std::int64_t bytes) { limit_ = bytes; }

 private:
  static void release(void* data);
  void* take(std::size_t bytes);
  void count(std::int64_t bytes);

  std::atomic<std::int64_t> inUse_{0};
  std::atomic<std::int64_t> peak_{0};
  std::atomic<std::int64_t> limit_{0};
};

CountingAllocator& allocator() {
  static auto* const theOne = new CountingAllocator;  // never destroyed: tensors may outlive every static object
  return *theOne;
}

void* CountingAllocator::take(std::size_t bytes) {
  count(static_cast<std::int64_t>(bytes));
  void* block = std::aligned_alloc(kHeader, (bytes + 2 * kHeader - 1) / kHeader * kHeader);
  if (block == nullptr) {
    inUse_ -= static_cast<std::int64_t>(bytes);
    TORCH_CHECK_WITH(OutOfMemoryError, false, "the system has no ", bytes, " bytes for a tensor");
  }
  *static_cast<std::size_t*>(block) = bytes;
  return static_cast<std::byte*>(block) + kHeader;
}

void CountingAllocator::count(std::int64_t bytes) {
  const std::int64_t now = inUse_ += bytes;
  const std::int64_t limit = limit_.load();
  if (limit > 0 && now > limit) {
    inUse_ -= bytes;
    TORCH_CHECK_WITH(OutOfMemoryError, false, "a tensor of ", bytes, " bytes would take host tensors to ", now,
                     " bytes; the limit is ", limit);
  }
  std::int64_t peak = peak_.load();
  while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
  }
}

void CountingAllocator::release(void* data) {
  if (data == nullptr) return;
  void* block = static_cast<std::byte*>(data) - kHeader;
  allocator().inUse_ -= static_cast<std::int64_t>(*static_cast<std::size_t*>(block));
  std::free(block);
}

}  // namespace

void useCountingHostAllocator() {
  static std::once_flag once;
  std::call_once(once, [] { c10::SetCPUAllocator(&allocator(), 1); });
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
