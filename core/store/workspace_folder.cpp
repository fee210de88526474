// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/workspace_folder.h"

#include <system_error>

#include "core/store/journal/journal_run.h"

namespace batchwise {

bool holdsWorkspace(const std::filesystem::path& folder) {
  std::error_code unknown;
  return std::filesystem::exists(folder / kDatabaseName, unknown) || !journalFiles(folder).empty();
}

}  // namespace batchwise
