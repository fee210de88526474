// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/data_version.h"

#include "core/store/workspace_state.h"

namespace batchwise {

Result<std::int64_t> dataVersion(const Workspace& workspace) {
  return workspace.state().read([](SQLite::Database& database) -> Result<std::int64_t> {
    return queryInteger(database, "PRAGMA data_version").value_or(0);
  });
}

}  // namespace batchwise
