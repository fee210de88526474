// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime.h>

#include <string>

#include "core/base/format.h"
#include "core/model/kernels/cuda_kernels.h"

namespace batchwise {
namespace {

// In place of all kernels, which are compiled for the same devices.
__global__ void emptyKernel() {}

/// "9.0"; empty if the device does not say.
std::string capabilityOf(int device) {
  int major = 0, minor = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
    return "";
  return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace

Result<CudaCode> cudaCode() {
  int device = 0;
  cudaFuncAttributes attributes{};
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess) status = cudaFuncGetAttributes(&attributes, emptyKernel);
  if (status == cudaSuccess) return CudaCode{capabilityOf(device), attributes.ptxVersion != attributes.binaryVersion};
  cudaGetLastError();  // later calls do not report it again
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorUnsupportedPtxVersion)
    return Error{ErrorCode::Device,
                 formatText("this build has no code for a GPU of compute capability {}, only for {}; build it on this "
                            "machine, or with -DBATCHWISE_CUDA_ARCHITECTURES=all",
                            capabilityOf(device), BATCHWISE_CUDA_CODE),
                 {}};
  return Error{ErrorCode::Device, formatText("the GPU cannot be used: {}", cudaGetErrorString(status)), {}};
}

}  // namespace batchwise
