// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace batchwise::test {

/// One case of tests/vectors: the answer of a peer, and ours where the design decides otherwise.
struct VectorCase {
  std::string name;
  std::string group;
  nlohmann::json input;
  nlohmann::json peer;    ///< the peer's answer as recorded
  nlohmann::json answer;  ///< our expected answer: from the table of exceptions, else expected_all_samples or
                          ///< expected_fixed merged over expected, else expected
  bool excepted = false;  ///< from the table of exceptions

  /// Returns true if the answer is a refusal.
  bool refused() const { return answer.is_object() && answer.contains("error"); }
};

/// Reads the cases of one file ("time.json") in the named groups; all groups if none is named.
std::vector<VectorCase> vectorCases(std::string_view file, const std::vector<std::string>& groups = {});

/// Returns the text of a number, which the files store as a string where it would lose digits.
std::string numberText(const nlohmann::json& value);

/// Returns true if the relative difference is at most 1e-12; equal infinities are near.
bool near(double left, double right);

/// Describes the first difference between two JSON values, with numbers compared by near(); empty if there is none.
/// Ignores keys that `wanted` lacks.
std::string difference(const nlohmann::json& wanted, const nlohmann::json& found, const std::string& where = "");

}  // namespace batchwise::test
