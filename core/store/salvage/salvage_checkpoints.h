// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "core/store/database.h"
#include "core/store/salvage/salvage_log.h"

namespace batchwise {

// The checkpoints of a workspace that is being salvaged, inside the caller's transaction. `from`, `target`: workspace
// folders; files are linked or copied. They fail with Io or DiskFull and throw what SQLite throws.

/// Takes over the file of each checkpoint that `into` knows; one without a good file is removed.
Result<void> copyKnownCheckpoints(const std::filesystem::path& from, const std::filesystem::path& target,
                                  SQLite::Database& into, SalvageLog& log);

/// Takes over the good checkpoint files that `into` does not know, and enters them by what they say of themselves. A
/// run that is lost is made anew: configuration and name from its newest checkpoint, no figures. Files of runs with a
/// journal in `from` are only copied: the journal enters them.
Result<void> copyUnknownCheckpoints(const std::filesystem::path& from, const std::filesystem::path& target,
                                    SQLite::Database& into, SalvageLog& log);

}  // namespace batchwise
