// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/own_program.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace batchwise {

std::filesystem::path ownProgram() {
  constexpr std::string_view kReplaced = " (deleted)";  // what Linux appends then
  std::error_code failed;
  std::string program = std::filesystem::read_symlink("/proc/self/exe", failed).string();
  if (program.ends_with(kReplaced)) program.resize(program.size() - kReplaced.size());
  return program;
}

std::filesystem::path fileBesideProgram(const char* name, const char* variable) {
  if (const char* path = std::getenv(variable); path != nullptr && *path != '\0') return path;
  return ownProgram().parent_path() / name;
}

std::filesystem::path trainingProgram() {
  return fileBesideProgram("batchwise", "BATCHWISE_PROGRAM");
}

void restartWithPassiveThreads(char* const* arguments) {
  constexpr const char* kVariable = "OMP_WAIT_POLICY";
  if (std::getenv(kVariable) != nullptr) return;
  const std::filesystem::path program = ownProgram();
  if (program.empty() || setenv(kVariable, "passive", 1) != 0) return;
  execv(program.c_str(), arguments);
}

}  // namespace batchwise
