// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

namespace batchwise {

/// Returns a host tensor without content, to copy to or from `device`: for a GPU in page-locked memory, cached by
/// LibTorch, so that copies are asynchronous. LibTorch waits with the memory's next use for copies that were queued
/// before its release.
///
/// Its release never throws. LibTorch's does once the GPU has failed, in a destructor, which ends the process: so use
/// this for all page-locked memory.
at::Tensor stagingTensor(at::IntArrayRef sizes, at::ScalarType type, at::Device device);

}  // namespace batchwise
