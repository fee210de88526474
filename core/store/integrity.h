// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/store/database.h"

namespace batchwise {

/// Checks for damage at opening in bounded time: a file up to 8 MiB completely, a larger one by its index tables, as
/// many as fit into 100 ms. Compares indexes with their tables. Other rows are checked by their checksums when they are
/// read. Fails with Corrupt, naming the first problem, or as catchDatabaseErrors() does.
Result<void> checkQuickly(const std::unique_ptr<SQLite::Database>& database, const std::filesystem::path& file);

/// Runs all of SQLite's checks and verifies checksums and row counts of all tables; about a second per gigabyte.
/// Appends each problem to `problems`.
void checkStructure(SQLite::Database& database, std::vector<Message>& problems);

}  // namespace batchwise
