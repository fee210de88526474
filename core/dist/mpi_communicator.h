// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/dist/communicator.h"
#include "core/dist/mpi_world.h"

namespace batchwise {

/// Loads libbatchwise_mpi.so from the folder of this program or library and initializes MPI. Call once per process.
/// Fails with Unsupported if the library is missing or unusable, Device if MPI cannot be initialized.
Result<std::shared_ptr<MpiWorld>> openMpiWorld();

/// Communicator for ranks on CPUs. Tensors are summed by MPI; the wait polls, so that it ends if a rank is lost or
/// calls abandon().
std::unique_ptr<Communicator> makeMpiCommunicator(std::shared_ptr<MpiWorld> world, std::shared_ptr<RankLine> line);

}  // namespace batchwise
