// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/model/backend.h"

namespace batchwise {

/// Operations of a backend that share what is saved between forward and backward, so that they are replaced together.
enum class OperationGroup : std::uint32_t { Norm, Embedding, Activation, GatedActivation, Attention, CrossEntropy };
inline constexpr std::array kOperationGroups = {OperationGroup::Norm,       OperationGroup::Embedding,
                                                OperationGroup::Activation, OperationGroup::GatedActivation,
                                                OperationGroup::Attention,  OperationGroup::CrossEntropy};

/// Returns "norm", "embedding", "activation", "gated activation", "attention" or "cross-entropy".
std::string operationName(OperationGroup group);

/// All operations as LibTorch's, on any device: what kernels are checked against on a device, and what takes the place
/// of one that is wrong there. Slower, and with more memory. Dropout drops the same
/// features as the kernels, but other attention weights.
const Backend& atenBackend();

/// A group of operations of a backend against atenBackend() in fp32.
struct OperationCheck {
  OperationGroup group = OperationGroup::Norm;
  std::string type;     ///< "fp32", "bf16", "fp16"
  double error = 0;     ///< largest difference, as a share of what rounding explains; NaN: a result is none
  std::string problem;  ///< what was thrown; empty if nothing

  bool good() const { return problem.empty() && error <= 1.0; }
};

/// Returns the types in which operations are checked: "fp32", "bf16", "fp16".
std::vector<std::string> checkedTypes();

/// Runs all groups forward and backward, on small made-up inputs in each type, in well under three seconds once the
/// device's libraries are loaded. A launch that fails is an outcome, not an error.
std::vector<OperationCheck> checkOperations(const Backend& backend, at::Device device);

/// From now on, what is not good() on GPUs is done by atenBackend(), in this process: the group, in that type. An empty
/// list undoes it. Call while nothing computes.
void replaceOperations(const std::vector<OperationCheck>& checks);

/// Returns the backend for operations of a group on tensors of `type` on `device`: cpuBackend(), or cudaBackend() but
/// for what is replaced. Thread-safe.
const Backend& backendFor(OperationGroup group, at::Device device, at::ScalarType type);

/// What the outcome of checkOperations() depends on.
struct CheckedGpu {
  std::string name;    ///< "NVIDIA H200"
  std::string uuid;    ///< as text; the card, not its model: one of them may be broken
  std::string driver;  ///< "580.65.06"
  std::string build;   ///< buildIdentity()
  bool operator==(const CheckedGpu&) const = default;
};

/// Identifies this build of the kernels: version, LibTorch, and size and time of the file that contains them.
std::string buildIdentity();

/// Returns the file in which the checks of a GPU are remembered; its name starts with kRememberedChecks. `folder` is
/// not empty.
std::filesystem::path rememberedChecksFile(const std::filesystem::path& folder, const CheckedGpu& gpu);

/// Returns the stored checks of `gpu` in `folder`; otherwise those that `check` returns, and stores them. Checks that
/// threw are not stored, as other programs on the GPU may have caused it. Ignores files that are damaged, incomplete,
/// or of another GPU, driver or build, and errors of writing. Stores nothing if `folder` is empty.
std::vector<OperationCheck> rememberedChecks(const std::filesystem::path& folder, const CheckedGpu& gpu,
                                             const std::function<std::vector<OperationCheck>()>& check);

}  // namespace batchwise
