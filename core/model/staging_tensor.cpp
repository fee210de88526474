// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/staging_tensor.h"

#include <ATen/core/CachingHostAllocator.h>
#include <torch/torch.h>

#include <atomic>
#include <utility>

namespace batchwise {
namespace {

// LibTorch's, the same for all of its page-locked memory.
std::atomic<c10::DeleterFnPtr> releaseThatThrows = nullptr;

// It records an event for each stream that has used the memory, which a GPU that has failed refuses. The memory is then
// lost, as everything on that GPU is.
void releaseWithoutThrowing(void* context) try { releaseThatThrows.load()(context); } catch (const c10::Error&) {
}

}  // namespace

at::Tensor stagingTensor(at::IntArrayRef sizes, at::ScalarType type, at::Device device) {
  if (device.is_cpu()) return at::empty(sizes, type);
  const auto bytes = static_cast<std::size_t>(c10::multiply_integers(sizes)) * c10::elementSize(type);
  c10::DataPtr memory = at::getHostAllocator(device.type())->allocate(bytes);
  // Its context stays LibTorch's, by which a copy finds the memory that it uses.
  if (memory.get_context() != nullptr) {
    releaseThatThrows = memory.get_deleter();
    TORCH_CHECK(memory.compare_exchange_deleter(memory.get_deleter(), &releaseWithoutThrowing),
                "page-locked memory has no deleter");
  }
  return at::empty({0}, type).set_(
      c10::Storage(c10::Storage::use_byte_size_t(), bytes, std::move(memory), /*allocator=*/nullptr,
                   /*resizable=*/false),
      0, sizes);
}

}  // namespace batchwise
