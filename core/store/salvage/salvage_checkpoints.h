// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "core/store/database.h"
#include "core/store/salvage/salvage_log.h"

namespace batchwise {

// Checkpoints of a workspace being salvaged, inside the caller's transaction. `from`, `target`: workspace folders;
// files are linked or copied. Functions fail with Io or DiskFull and throw what SQLite throws.

/// Copies the file of each checkpoint recorded in `into`; deletes the record if the file is missing or damaged.
Result<void> copyKnownCheckpoints(const std::filesystem::path& from, const std::filesystem::path& target,
                                  SQLite::Database& into, SalvageLog& log);

/// Copies intact checkpoint files that `into` has no record of, and records them from their own content. A lost run is
/// recreated with configuration and name of its newest checkpoint, without metrics. Files of runs with a journal in
/// `from` are only copied: importing the journal records them.
Result<void> copyUnknownCheckpoints(const std::filesystem::path& from, const std::filesystem::path& target,
                                    SQLite::Database& into, SalvageLog& log);

}  // namespace batchwise
