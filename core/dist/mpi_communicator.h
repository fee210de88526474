// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/dist/communicator.h"
#include "core/dist/mpi_world.h"
#include "core/dist/rank_line.h"

namespace batchwise {

/// Ranks that are processes on processors: tensors are added up by MPI, which is asked again and again instead of
/// waited for, so that a rank that is lost or gives up ends the wait of the others.
std::unique_ptr<Communicator> makeMpiCommunicator(std::shared_ptr<MpiWorld> world, std::shared_ptr<RankLine> line);

}  // namespace batchwise
