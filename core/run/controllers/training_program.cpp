// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/controllers/training_program.h"

#include <cstdlib>

namespace batchwise {

std::filesystem::path trainingProgram() {
  if (const char* path = std::getenv("BATCHWISE_PROGRAM"); path != nullptr && *path != '\0') return path;
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::filesystem::path("batchwise") : self.parent_path() / "batchwise";
}

}  // namespace batchwise
