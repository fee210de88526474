// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/store/database.h"
#include "core/store/process_identity.h"

namespace batchwise {

/// Which process writes a run, and its last heartbeat. Stored while the run is Running.
struct RunClaim {
  std::int64_t run = 0;
  std::int64_t segment = 0;
  ProcessIdentity process;
  std::int64_t heartbeatMs = 0;

  /// Returns whether the writing process is dead, or lives on this machine but has no writer of the run in the
  /// workspace `folder` any more.
  bool isDeadAt(std::int64_t nowMs, const std::filesystem::path& folder) const;
};

// These run inside the caller's transaction and throw what SQLite throws.
std::vector<RunClaim> claimsIn(SQLite::Database& database);
/// For a database whose rows have no checksums yet.
std::vector<RunClaim> uncheckedClaims(SQLite::Database& database);
std::optional<RunClaim> claimOn(SQLite::Database& database, std::int64_t run);
/// Replaces the claim on its run.
void storeClaim(SQLite::Database& database, const RunClaim& claim);
/// Adds a warning with the reason of an interruption to the events of a run, at its newest clocks.
void noteInterruption(SQLite::Database& database, std::int64_t run, std::int64_t wallMs, const Message& reason);
/// Sets a Running run to Interrupted, for `reason` or else for what is known of the process, and deletes the claim.
void interruptRun(SQLite::Database& database, const RunClaim& claim, const Message& reason = {});

}  // namespace batchwise
