// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_environment.h"

#include <stdlib.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

namespace batchwise::test {

bool isFullTier() {
  const char* tier = std::getenv("BATCHWISE_TEST_TIER");
  return tier != nullptr && std::string_view(tier) == "full";
}

int repeats(int quick, int full) {
  return isFullTier() ? full : quick;
}

std::filesystem::path sourceRoot() {
  return BATCHWISE_SOURCE_DIR;
}

std::optional<std::filesystem::path> realText(std::string_view name) {
  const char* given = std::getenv("BATCHWISE_SHARED");
  const auto root = given != nullptr ? std::filesystem::path(given) : sourceRoot().parent_path() / "shared" / "data";
  auto path = root / name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path;
}

std::optional<std::filesystem::path> referencePython() {
  const std::filesystem::path venv = BATCHWISE_DEPS "/venv";
  const bool installed = std::filesystem::exists(venv / "lib/python3.11/site-packages/transformers");
  if (!installed) return std::nullopt;
  return venv / "bin/python";
}

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "batchwise-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create a folder like " + name);
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

EnvironmentVariable::EnvironmentVariable(const char* name, const std::string& value) : name_(name) {
  if (const char* before = std::getenv(name)) before_ = before;
  ::setenv(name, value.c_str(), 1);
}

EnvironmentVariable::~EnvironmentVariable() {
  if (before_)
    ::setenv(name_, before_->c_str(), 1);
  else
    ::unsetenv(name_);
}

}  // namespace batchwise::test
