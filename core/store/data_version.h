// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Returns a number that changes whenever any process commits to the database (`PRAGMA data_version`). Values of one
/// `Workspace` object are comparable. Cheap enough to poll before each read. Thread-safe; fails as reading does.
Result<std::int64_t> dataVersion(const Workspace& workspace);

}  // namespace batchwise
