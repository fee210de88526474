// SPDX-License-Identifier: GPL-3.0-or-later
// As much of CUDA as our kernels use, for the processor: with this folder first in the include path, g++ compiles the
// .cu files as C++, and cudaLaunchKernelEx() runs them, one fiber per CUDA thread. Blocks run one after the other; the
// threads of a block take turns in an order that differs from launch to launch: each runs as far as it can before the
// next begins, so a missing barrier shows. What CUDA leaves undefined fails the launch with a text: barriers that not
// all threads reach, shuffles with a wrong mask, and accesses that are not aligned (with -fsanitize=alignment). A write
// outside of memory fails cudaFree(); memory is NaN until written, and so is what lies around it. Under
// -fsanitize=thread, accesses of two threads without a barrier between them are data races.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>

// NOLINTBEGIN: the names are CUDA's
#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __shared__ static  // blocks do not run at the same time

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned first = 1, unsigned second = 1, unsigned third = 1) : x(first), y(second), z(third) {}
};
// Vectors, because clang checks no alignment when it copies a struct.
using uint2 [[gnu::vector_size(8), gnu::may_alias]] = unsigned;
using uint4 [[gnu::vector_size(16), gnu::may_alias]] = unsigned;

struct CUstream_st;
using cudaStream_t = CUstream_st*;
enum cudaError_t { cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorLaunchFailure };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount };
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
};

namespace batchwise::emulator {
/// What the running thread reads as a number.
struct Coordinate {
  unsigned (*read)();
  operator unsigned() const { return read(); }
};
unsigned threadX();
unsigned blockX();
unsigned blockY();
unsigned threadsX();
unsigned blocksX();
unsigned blocksY();

/// Where a call stands in the source.
struct Place {
  const char* file = "";
  int line = 0;
};

/// Runs `thread` once for each thread of each block. Returns cudaErrorLaunchFailure, with its text for
/// cudaGetErrorString(), if one of them does what CUDA does not define.
cudaError_t run(const dim3& grid, const dim3& block, const std::function<void()>& thread);

void barrier(const Place& place);
/// Returns the bits of `own` of the lane at a distance.
std::uint64_t shuffleXor(unsigned mask, std::uint64_t own, int distance, const Place& place);
}  // namespace batchwise::emulator

inline constexpr struct {
  batchwise::emulator::Coordinate x;
} threadIdx{{batchwise::emulator::threadX}}, blockDim{{batchwise::emulator::threadsX}};
inline constexpr struct {
  batchwise::emulator::Coordinate x, y;
} blockIdx{{batchwise::emulator::blockX}, {batchwise::emulator::blockY}},
    gridDim{{batchwise::emulator::blocksX}, {batchwise::emulator::blocksY}};

cudaError_t cudaMalloc(void** memory, std::size_t bytes);
/// Fails if something was written outside of the memory.
cudaError_t cudaFree(void* memory);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
/// Few multiprocessors: small matrices then have more rows than the grid.
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaGetLastError();
/// Why the last launch failed.
const char* cudaGetErrorString(cudaError_t error);

template <typename... Parameters>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               std::type_identity_t<Parameters>... arguments) {
  return batchwise::emulator::run(config->gridDim, config->blockDim, [&] { kernel(arguments...); });
}

inline void __syncthreads(batchwise::emulator::Place place = {__builtin_FILE(), __builtin_LINE()}) {
  batchwise::emulator::barrier(place);
}

template <typename Value>
Value __shfl_xor_sync(unsigned mask, Value value, int distance,
                      batchwise::emulator::Place place = {__builtin_FILE(), __builtin_LINE()}) {
  static_assert(sizeof value <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = batchwise::emulator::shuffleXor(mask, bits, distance, place);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename Word>
Word __ldg(const Word* from) {
  return *from;
}
inline float __uint_as_float(unsigned bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline unsigned __float_as_uint(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float rsqrtf(float value) {
  return 1.0F / std::sqrt(value);
}
// NOLINTEND
