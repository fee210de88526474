// SPDX-License-Identifier: GPL-3.0-or-later
// Launches and their sizes.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/base/format.h"
#include "core/base/integer_math.h"
#include "core/base/result.h"
#include "core/model/kernels/cuda_kernels.h"

namespace batchwise {

/// Returns a grid of one block per row; CUDA refuses 2^31 and more.
inline dim3 blockPerRow(std::int64_t rows) {
  return dim3(static_cast<unsigned>(std::min(rows, std::int64_t{1} << 31)));
}

/// Returns why a kernel does not start. Its code is loaded when it first starts, for which memory may be lacking;
/// errors of earlier operations, which run asynchronously, are reported by later ones.
inline Error launchError(const std::string& kernel, cudaError_t status) {
  return {status == cudaErrorMemoryAllocation ? ErrorCode::OutOfMemory : ErrorCode::Device,
          formatText("{} cannot start, or an earlier operation on the GPU has failed: {}", kernel,
                     cudaGetErrorString(status)),
          {}};
}

/// Starts `kernel` on blocks of `threads`. Fails as launchError(); `name`: of the kernel in the error.
template <typename... Parameters>
Result<void> launch(const char* name, void (*kernel)(Parameters...), dim3 blocks, int threads, CudaStream stream,
                    std::type_identity_t<Parameters>... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = stream;
  const cudaError_t status = cudaLaunchKernelEx(&config, kernel, arguments...);
  if (status == cudaSuccess) return {};
  cudaGetLastError();  // later calls do not report it again
  return launchError(name, status);
}

constexpr int kMostThreadsAbreast = 256;

/// Blocks of threads side by side in a row.
struct ThreadsAbreast {
  int threads = 0;  // of a block: whole warps
  std::int64_t blocks = 0;
};

/// Returns the blocks of 96 to kMostThreadsAbreast threads that leave the fewest idle with `count` at work.
inline ThreadsAbreast threadsAbreast(std::int64_t count) {
  constexpr std::int64_t kWarp = 32, kFewest = 3 * kWarp;
  ThreadsAbreast best;
  for (std::int64_t blocks = ceilDiv(count, kMostThreadsAbreast); blocks <= ceilDiv(count, kFewest); ++blocks) {
    const std::int64_t threads = ceilDiv(ceilDiv(count, blocks), kWarp) * kWarp;
    if (best.blocks == 0 || threads * blocks < best.threads * best.blocks) best = {static_cast<int>(threads), blocks};
  }
  return best;
}

/// Returns the multiprocessors of the current device; of an H100 if it does not say.
inline std::int64_t multiprocessors() {
  int device = 0, count = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
    count = 132;
  return std::max(1, count);
}

}  // namespace batchwise
