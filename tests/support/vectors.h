// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace batchwise::test {

/// One case of tests/vectors: what peers answer, and what we do where the design decides otherwise.
struct VectorCase {
  std::string name;
  std::string group;
  nlohmann::json input;
  nlohmann::json peer;    ///< the peer's answer as recorded
  nlohmann::json answer;  ///< what must come out here: from the table of exceptions, else expected_all_samples or
                          ///< expected_fixed merged over expected, else expected
  bool excepted = false;  ///< from the table of exceptions

  /// True if the answer is a refusal.
  bool refused() const { return answer.is_object() && answer.contains("error"); }
};

/// The cases of one file ("time.json") in the named groups; all groups if none is named.
std::vector<VectorCase> vectorCases(std::string_view file, const std::vector<std::string>& groups = {});

/// A number as the files write it: plain, or as a string where it would lose digits.
std::string numberText(const nlohmann::json& value);

/// Relative difference at most 1e-12; equal infinities are near.
bool near(double left, double right);

/// What differs between two JSON values, numbers compared with near(); empty if nothing does. Only keys of `wanted` are
/// looked at.
std::string difference(const nlohmann::json& wanted, const nlohmann::json& found, const std::string& where = "");

}  // namespace batchwise::test
