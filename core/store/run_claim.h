// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/store/database.h"
#include "core/store/process_identity.h"

namespace batchwise {

/// Who writes a run, and when it last said so. Stored as long as the run is Running.
struct RunClaim {
  std::int64_t run = 0;
  std::int64_t segment = 0;
  ProcessIdentity process;
  std::int64_t heartbeatMs = 0;

  /// Its process is dead, or lives (on this machine) and has no writer of the run in the workspace `folder` any more.
  bool isDeadAt(std::int64_t nowMs, const std::filesystem::path& folder) const;
};

// All inside the caller's transaction; they throw what SQLite throws.
std::vector<RunClaim> claimsIn(SQLite::Database& database);
/// Of a database whose rows have no checksums yet.
std::vector<RunClaim> uncheckedClaims(SQLite::Database& database);
std::optional<RunClaim> claimOn(SQLite::Database& database, std::int64_t run);
/// Replaces the claim on its run.
void storeClaim(SQLite::Database& database, const RunClaim& claim);
/// Makes the run Interrupted, if it says that it is running, and takes the claim away.
void interruptRun(SQLite::Database& database, const RunClaim& claim);

}  // namespace batchwise
