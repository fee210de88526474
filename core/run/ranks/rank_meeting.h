// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/base/launched_rank.h"
#include "core/dist/mpi_world.h"
#include "core/dist/rank_line.h"

namespace batchwise {

// How the processes of a launch find each other. Both wait for all ranks, for a minute, and fail with Device, naming
// who is missing.

/// Rank 0 opens any free port and sends its place to the others by MPI, with the secret, which is not readable on MPI's
/// wire (secret_exchange.h).
Result<std::shared_ptr<RankLine>> meetByMpi(const LaunchedRank& launched, MpiWorld& mpi);

/// At the address that the launcher's variables name (MASTER_ADDR and MASTER_PORT, or Slurm's list of nodes). The
/// secret is BATCHWISE_RANK_SECRET if that is set for all ranks (the Slurm script does), else what rank 0 leaves in a
/// file that only this user can read, below ~/.cache/batchwise, until all have come. Fails with Unsupported if no
/// address is named.
Result<std::shared_ptr<RankLine>> meetByEnvironment(const LaunchedRank& launched, const Environment& environment);

}  // namespace batchwise
