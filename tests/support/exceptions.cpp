// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/exceptions.h"

#include <fstream>
#include <stdexcept>

#include "tests/support/test_environment.h"

namespace batchwise::test {

const nlohmann::json& exceptionTable() {
  static const nlohmann::json kTable = [] {
    std::ifstream stream(sourceRoot() / "tests" / "support" / "exceptions.json");
    if (!stream) throw std::runtime_error("cannot read tests/support/exceptions.json");
    return nlohmann::json::parse(stream);
  }();
  return kTable;
}

const nlohmann::json* exceptionFor(std::string_view file, std::string_view name) {
  const nlohmann::json& table = exceptionTable();
  const auto cases = table.find(file);
  if (cases == table.end()) return nullptr;
  const auto entry = cases->find(name);
  return entry == cases->end() ? nullptr : &entry->at("answer");
}

}  // namespace batchwise::test
