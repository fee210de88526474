// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/config/schema.h"

namespace batchwise::test {

/// Returns "field: message" of each.
inline std::vector<std::string> textsOf(const std::vector<FieldProblem>& problems) {
  std::vector<std::string> texts;
  for (const FieldProblem& problem : problems) texts.push_back(problem.text());
  return texts;
}

}  // namespace batchwise::test
