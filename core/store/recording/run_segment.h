// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/store/run_claim.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Opens the next segment of `claim.run` for the process of the claim: stores segment and claim, sets the run to
/// Running and its summary to the values at `start.from`. Returns the segment's number. Inside the caller's
/// transaction. Fails with Busy if a live writer holds the run of the workspace `folder`, or with Corrupt.
Result<std::int64_t> openSegment(SQLite::Database& database, RunClaim claim, const RunRecorder::SegmentStart& start,
                                 const std::filesystem::path& folder);

}  // namespace batchwise
