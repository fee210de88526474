// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/Device.h>

#include <memory>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/base/result.h"
#include "core/dist/communicator.h"

namespace batchwise {

/// Communicator for ranks with one GPU each, processes or threads: c10d::ProcessGroupNCCL, whose ranks find each other
/// through `store`. NCCL runs on a stream of its own, ordered with the rank's stream, so the host never
/// waits for the device. c10d's watchdog aborts operations that fail, and a broken line aborts them too; none ends by
/// its duration. The next call returns the error, that of the line if it is broken. Waits for all ranks to connect, in
/// which NCCL cannot be interrupted. The process has called setGpuEnvironment() (core/base/process_setup.h). Fails with
/// Device, for example if two ranks use the same GPU, or there is none.
Result<std::unique_ptr<Communicator>> makeNcclCommunicator(c10::Device device, std::shared_ptr<RankLine> line,
                                                           c10::intrusive_ptr<c10d::Store> store);

}  // namespace batchwise
