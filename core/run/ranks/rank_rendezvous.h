// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/base/launched_rank.h"
#include "core/dist/mpi_world.h"
#include "core/dist/rank_channel.h"

namespace batchwise {

// Rendezvous of the processes of a launch. Both functions wait up to a minute for all ranks, and fail with Device,
// naming the missing ones.

/// Rank 0 listens on any free port and sends its address and the secret to the others over MPI; the secret is
/// encrypted, because MPI traffic is readable (rank_handshake.h).
Result<std::shared_ptr<RankChannel>> rendezvousOverMpi(const LaunchedRank& launched, MpiWorld& mpi);

/// Connects to the address in the launcher's variables (MASTER_ADDR and MASTER_PORT, or Slurm's node list). The secret
/// is BATCHWISE_RANK_SECRET if set for all ranks (as the Slurm script does), else one that rank 0 writes to a file
/// below ~/.cache/batchwise, readable by this user only and removed once all are connected. Fails with Unsupported if
/// no address is given.
Result<std::shared_ptr<RankChannel>> rendezvousByEnvironment(const LaunchedRank& launched,
                                                             const Environment& environment);

}  // namespace batchwise
