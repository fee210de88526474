// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/store/workspace.h"

namespace batchwise::test {

/// Everything a workspace shows, as text by what was asked ("series run loss"). Doubles keep every bit.
struct WorkspaceDump {
  std::map<std::string, std::string> shown;
  std::vector<Error> errors;  ///< of what could not be read
};
WorkspaceDump dumpOf(const Workspace& workspace);

/// Fails the test if `dump` shows something that differs from `truth`, or shows what `truth` does not.
void expectNothingElse(const WorkspaceDump& dump, const WorkspaceDump& truth);

}  // namespace batchwise::test
