// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/host_memory.h"

#include <sys/mman.h>

#include <atomic>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

namespace batchwise {
namespace {

constexpr std::size_t kHeader = 64;                  // before the data, so that these stay aligned to a cache line
constexpr std::size_t kPooledFrom = 64 * 1024;       // smaller blocks are left to malloc, which is good at them
constexpr std::size_t kHugePage = 2 * 1024 * 1024;

struct Header {
  std::size_t dataBytes;   // as asked for
  std::size_t blockBytes;  // header included
};

// Block sizes in steps of an eighth of a power of two: what varies a little from step to step fits the same block.
std::size_t roundedBlock(std::size_t bytes) {
  if (bytes < kPooledFrom) return bytes;
  const std::size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

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
  void releaseUnused();

 private:
  static void release(void* data);
  void* take(std::size_t bytes);
  void giveBack(Header* block);
  void count(std::size_t bytes);
  void* blockOf(std::size_t bytes);
  void* keptBlock(std::size_t bytes);

  std::atomic<std::int64_t> inUse_{0};
  std::atomic<std::int64_t> peak_{0};
  std::atomic<std::int64_t> limit_{0};
  std::mutex mutex_;  // guards kept_ and keptBytes_
  std::map<std::size_t, std::vector<void*>> kept_;  // by block size
  std::int64_t keptBytes_ = 0;
};

CountingAllocator& allocator() {
  static auto* const theOne = new CountingAllocator;  // never destroyed: tensors may outlive every static object
  return *theOne;
}

void* CountingAllocator::take(std::size_t bytes) {
  count(bytes);
  const std::size_t blockBytes = roundedBlock(bytes + kHeader);
  void* block = blockOf(blockBytes);
  if (block == nullptr) {
    releaseUnused();
    block = blockOf(blockBytes);
  }
  if (block == nullptr) {
    inUse_ -= static_cast<std::int64_t>(bytes);
    TORCH_CHECK_WITH(OutOfMemoryError, false, "the system has no ", bytes, " bytes for a tensor");
  }
  *static_cast<Header*>(block) = {bytes, blockBytes};
  return static_cast<std::byte*>(block) + kHeader;
}

void CountingAllocator::count(std::size_t bytes) {
  const std::int64_t now = inUse_ += static_cast<std::int64_t>(bytes);
  const std::int64_t limit = limit_.load();
  if (limit > 0 && now > limit) {
    inUse_ -= static_cast<std::int64_t>(bytes);
    TORCH_CHECK_WITH(OutOfMemoryError, false, "a tensor of ", bytes, " bytes would take host tensors to ", now,
                     " bytes; the limit is ", limit);
  }
  std::int64_t peak = peak_.load();
  while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
  }
}

void* CountingAllocator::blockOf(std::size_t bytes) {
  if (bytes < kPooledFrom) return std::aligned_alloc(kHeader, (bytes + kHeader - 1) / kHeader * kHeader);
  if (void* block = keptBlock(bytes)) return block;
  const bool huge = bytes >= kHugePage;
  const std::size_t alignment = huge ? kHugePage : 4096;
  void* block = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (block != nullptr && huge) madvise(block, bytes, MADV_HUGEPAGE);
  return block;
}

void* CountingAllocator::keptBlock(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto found = kept_.find(bytes);
  if (found == kept_.end() || found->second.empty()) return nullptr;
  void* block = found->second.back();
  found->second.pop_back();
  keptBytes_ -= static_cast<std::int64_t>(bytes);
  return block;
}

void CountingAllocator::release(void* data) {
  if (data == nullptr) return;
  allocator().giveBack(reinterpret_cast<Header*>(static_cast<std::byte*>(data) - kHeader));
}

void CountingAllocator::giveBack(Header* block) {
  inUse_ -= static_cast<std::int64_t>(block->dataBytes);
  const std::size_t bytes = block->blockBytes;
  if (bytes < kPooledFrom) return std::free(block);
  const std::scoped_lock lock(mutex_);
  // What is kept is never more than what was in use at most: shapes that do not come again cannot pile up.
  if (keptBytes_ + static_cast<std::int64_t>(bytes) > peak_.load()) return std::free(block);
  kept_[bytes].push_back(block);
  keptBytes_ += static_cast<std::int64_t>(bytes);
}

void CountingAllocator::releaseUnused() {
  const std::scoped_lock lock(mutex_);
  for (auto& [bytes, blocks] : kept_)
    for (void* block : blocks) std::free(block);
  kept_.clear();
  keptBytes_ = 0;
}

}  // namespace

void useCountingHostAllocator() {
  static std::once_flag once;
  std::call_once(once, [] { c10::SetCPUAllocator(&allocator(), 1); });
}

HostTensorBytes hostTensorBytes() { return allocator().bytes(); }
void resetHostTensorPeak() { allocator().resetPeak(); }
void setHostTensorLimit(std::int64_t bytes) { allocator().setLimit(bytes); }
void releaseUnusedHostMemory() { allocator().releaseUnused(); }

}  // namespace batchwise
