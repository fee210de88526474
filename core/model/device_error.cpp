// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/device_error.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <string_view>

#include "core/base/format.h"

namespace batchwise {

bool isOutOfMemory(const std::exception& error) {
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) return true;
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  if (const auto* kernel = dynamic_cast<const KernelError*>(&error))
    return kernel->error().code == ErrorCode::OutOfMemory;
  const auto* other = dynamic_cast<const c10::Error*>(&error);
  if (other == nullptr) return false;
  // LibTorch has no types for these. cublasCreate() does not tell a lack of memory from other reasons, and others are
  // rare once the GPU computes.
  constexpr std::array<std::string_view, 4> kTexts = {"CUDA error: out of memory", "CUDA driver error: out of memory",
                                                      "CUBLAS_STATUS_ALLOC_FAILED",
                                                      "CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate"};
  const std::string_view text = other->what_without_backtrace();
  return std::ranges::any_of(kTexts, [&](std::string_view one) { return text.find(one) != std::string_view::npos; });
}

bool hasFailedGpu() {
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  c10::cuda::CUDACachingAllocator::CUDAAllocator* const allocator = c10::cuda::CUDACachingAllocator::get();
  if (!allocator->initialized()) return false;
  const c10::DeviceIndex gpus = c10::cuda::device_count();
  for (c10::DeviceIndex gpu = 0; gpu < gpus; ++gpu) {
    // To ask one that is not used would begin to use it.
    if (allocator->getDeviceStats(gpu).reserved_bytes[kAll].current == 0) continue;
    try {
      c10::cuda::getDefaultCUDAStream(gpu).query();
    } catch (const c10::Error&) {
      return true;
    }
  }
  return false;
}

namespace {

Error withAdvice(Error error) {
  if (error.code == ErrorCode::Device && hasFailedGpu())
    error.message = followedByText(error.message,
                                   "a program cannot use a GPU after such an error: where this one goes on, close it "
                                   "and start it again before the next run");
  return error;
}

}  // namespace

Error caughtError(const std::string& context) try { throw; } catch (const KernelError& e) {
  return withAdvice(e.error().within(context));
} catch (const c10::Error& e) {
  return withAdvice(
      {isOutOfMemory(e) ? ErrorCode::OutOfMemory : ErrorCode::Device, e.what_without_backtrace(), context});
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::OutOfMemory, "the system has no memory left", context};
} catch (const std::exception& e) {
  return Error::internal(e.what()).within(context);
}

}  // namespace batchwise
