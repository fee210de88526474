// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/model/backend_check.h"

namespace batchwise {

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
