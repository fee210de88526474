// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <utility>

#include "core/base/result.h"

namespace batchwise {

/// Thrown if a CUDA kernel cannot be launched.
class KernelError final : public c10::Error {
 public:
  explicit KernelError(batchwise::Error error)
      : c10::Error(error.text(), /*backtrace=*/nullptr), error_(std::move(error)) {}
  const batchwise::Error& error() const { return error_; }

 private:
  batchwise::Error error_;
};

/// Returns whether an exception says that a device or the host has too little memory: that of LibTorch or the standard
/// library, or one of CUDA or cuBLAS, which allocate by themselves when they load code or start.
bool isOutOfMemory(const std::exception& error);

/// Returns whether a GPU that has memory of this process has failed, by an illegal access or an assertion of a kernel:
/// CUDA then refuses every call until the process ends. Thread-safe.
bool hasFailedGpu();

/// Converts the exception being handled to an Error without a backtrace: OutOfMemory (see isOutOfMemory()), Device if
/// LibTorch or a kernel threw it, else Internal. Call inside a handler of std::exception.
Error caughtError(const std::string& context);

}  // namespace batchwise
