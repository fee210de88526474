// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/Device.h>

#include <memory>

#include "core/dist/communicator.h"
#include "core/dist/rank_channel.h"

namespace batchwise {

/// Communicator for ranks with one GPU each. NCCL runs on its own stream, ordered with the rank's stream, so the host
/// never waits for the device. NCCL errors and lost ranks abort running operations and are returned by the next call
/// (see NcclLink). `line` connects the ranks, processes or threads. Fails with Device, for example if two ranks use the
/// same GPU.
Result<std::unique_ptr<Communicator>> makeNcclCommunicator(c10::Device device, std::shared_ptr<RankChannel> line);

}  // namespace batchwise
