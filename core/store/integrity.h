// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/store/database.h"

namespace batchwise {

/// Looks for damage at opening, in a time that does not grow with the file: up to 8 MiB everything is looked at, beyond
/// it the tables that say what there is, as many as fit into 100 ms. Indexes are compared with their tables. What is
/// left out is checked when it is read, by the checksum of its row. Fails with Corrupt, naming the first thing found,
/// or as guarded() does.
Result<void> checkQuickly(const std::unique_ptr<SQLite::Database>& database, const std::filesystem::path& file);

/// Everything SQLite can check, and the checksums and numbers of all rows; takes about a second per gigabyte. Appends
/// what is wrong to `problems`.
void checkStructure(SQLite::Database& database, std::vector<std::string>& problems);

}  // namespace batchwise
