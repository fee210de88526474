// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace batchwise {

/// Puts the pages that describe the tables, the first of the file among them, back into `copy`, a private copy of a
/// workspace database of the newest version whose own are damaged. A workspace is always made by the same steps, so its
/// tables begin on the same pages as those of one that is made anew; a file that was brought here from version 1 has
/// been rewritten, with another order that is always the same. Nothing is done (false) unless a describing page fails
/// its checksum and the first page of each table, as far as it passes its own, is of the kind it should be. `scratch`:
/// a folder of ours. Fails with Io or DiskFull.
Result<bool> restoreDescriptions(const std::filesystem::path& copy, const std::filesystem::path& scratch);

}  // namespace batchwise
