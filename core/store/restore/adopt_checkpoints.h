// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/workspace.h"

namespace batchwise {

/// A run whose checkpoint files got the rows that they lacked.
struct AdoptedRun {
  std::string id, name;
  bool isNew = false;            ///< the run itself had no row
  std::int64_t checkpoints = 0;  ///< number of adopted files
  std::int64_t rowsUntil = 0;    ///< global batches whose metrics the database has
  std::int64_t batch = 0;        ///< global batches at the farthest adopted checkpoint
};

struct Adoption {
  std::vector<AdoptedRun> runs;
  std::vector<std::string> leftOut;  ///< files that are damaged or no checkpoint of a run
};

/// Adds the files in `checkpoints/` that no row names, as they describe themselves. A run without a row gets the
/// configuration and the name of its newest checkpoint, but no metrics. Leaves out files of runs that are being
/// written, and of those with a journal but no row, which syncJournals() adds. Reads every such file. Fails as
/// Workspace's writing functions do, or with Stopped.
Result<Adoption> adoptCheckpoints(Workspace& workspace, const std::stop_token& stop = {});

}  // namespace batchwise
