// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/Device.h>

#include <memory>

#include "core/dist/communicator.h"
#include "core/dist/rank_line.h"

namespace batchwise {

/// Ranks with a GPU each: tensors are added up by NCCL on a stream of its own, ordered with the rank's stream, so that
/// nothing waits for the device. NCCL's errors, and a rank that is lost, abort what is under way and are told by the
/// next call (see NcclLink). `line`: how the ranks, processes or threads, agree beside. Fails with Device (two ranks on
/// one GPU, say).
Result<std::unique_ptr<Communicator>> makeNcclCommunicator(c10::Device device, std::shared_ptr<RankLine> line);

}  // namespace batchwise
