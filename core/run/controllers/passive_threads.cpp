// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/controllers/passive_threads.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace batchwise {

void restartWithPassiveThreads(char* const* arguments) {
  constexpr const char* kVariable = "OMP_WAIT_POLICY";
  if (std::getenv(kVariable) != nullptr) return;
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed || setenv(kVariable, "passive", 1) != 0) return;
  execv(program.c_str(), arguments);
}

}  // namespace batchwise
