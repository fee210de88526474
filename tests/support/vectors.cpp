// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/vectors.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

/// Returns the whole table: {file: {name: {"answer", "reason"}}}.
const nlohmann::json& exceptionTable() {
  static const nlohmann::json kTable = [] {
    std::ifstream stream(sourceRoot() / "tests" / "support" / "exceptions.json");
    if (!stream) throw std::runtime_error("cannot read tests/support/exceptions.json");
    return nlohmann::json::parse(stream);
  }();
  return kTable;
}

/// Returns our answer for a case in which we intentionally differ from the peers (exceptions.json beside this file), in
/// the form of the case's `expected`: {"error": "refused"} for a refusal. Null if the case is not listed.
const nlohmann::json* exceptionFor(std::string_view file, std::string_view name) {
  const nlohmann::json& table = exceptionTable();
  const auto cases = table.find(file);
  if (cases == table.end()) return nullptr;
  const auto entry = cases->find(name);
  return entry == cases->end() ? nullptr : &entry->at("answer");
}

nlohmann::json answerOf(const nlohmann::json& entry) {
  nlohmann::json answer = entry.at("expected");
  for (const char* better : {"expected_fixed", "expected_all_samples"}) {
    if (!entry.contains(better)) continue;
    const nlohmann::json& fixed = entry.at(better);
    if (answer.is_object() && !answer.contains("error") && fixed.is_object() && !fixed.contains("error"))
      answer.update(fixed);
    else
      answer = fixed;
  }
  return answer;
}

}  // namespace

std::vector<VectorCase> vectorCases(std::string_view file, const std::vector<std::string>& groups) {
  std::ifstream stream(sourceRoot() / "tests" / "vectors" / file);
  if (!stream) throw std::runtime_error("cannot read tests/vectors/" + std::string{file});
  std::vector<VectorCase> cases;
  const nlohmann::json document = nlohmann::json::parse(stream);
  for (const nlohmann::json& entry : document.at("cases")) {
    VectorCase one{entry.at("name"),     entry.at("group"), entry.at("input"),
                   entry.at("expected"), answerOf(entry),   false};
    if (!groups.empty() && std::find(groups.begin(), groups.end(), one.group) == groups.end()) continue;
    if (const nlohmann::json* decided = exceptionFor(file, one.name)) {
      one.answer = *decided;
      one.excepted = true;
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

std::string numberText(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool near(double left, double right) {
  if (left == right) return true;
  return std::abs(left - right) <= 1e-12 * std::max(std::abs(left), std::abs(right));
}

std::string difference(const nlohmann::json& wanted, const nlohmann::json& found, const std::string& where) {
  if (wanted.is_number() && found.is_number())
    return near(wanted.get<double>(), found.get<double>())
               ? ""
               : where + ": " + wanted.dump() + " wanted, " + found.dump() + " found";
  if (wanted.is_object() && found.is_object()) {
    for (const auto& [key, value] : wanted.items()) {
      if (!found.contains(key)) return where + "." + key + ": missing";
      if (auto text = difference(value, found.at(key), where + "." + key); !text.empty()) return text;
    }
    return "";
  }
  if (wanted.is_array() && found.is_array() && wanted.size() == found.size()) {
    for (std::size_t index = 0; index < wanted.size(); ++index)
      if (auto text = difference(wanted[index], found[index], where + "[" + std::to_string(index) + "]"); !text.empty())
        return text;
    return "";
  }
  return wanted == found ? "" : where + ": " + wanted.dump() + " wanted, " + found.dump() + " found";
}

}  // namespace batchwise::test
