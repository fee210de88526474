// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/store/workspace.h"

namespace batchwise {

/// A number that differs from an earlier answer about this object if anybody has committed anything since, in whatever
/// process. It costs next to nothing: who follows a workspace asks it before reading again. Any thread; fails as
/// reading does.
Result<std::int64_t> changeMark(const Workspace& workspace);

}  // namespace batchwise
