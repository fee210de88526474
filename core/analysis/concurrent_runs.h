// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/store/workspace.h"

namespace batchwise {

/// Returns for each run whether another one of the workspace trained on the same host for more than 1 % of its time, so
/// that its time, speed and memory are not its own. Work of other programs is not known. Fails as the store does.
Result<std::vector<bool>> ranBesideOthers(const Workspace& workspace, const std::vector<RunDetail>& runs);

}  // namespace batchwise
