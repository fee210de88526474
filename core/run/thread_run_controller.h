// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>

#include "core/run/run_controller.h"

namespace batchwise {

/// Gives the trainer; called in the worker thread, at each start.
using TrainerSource = std::function<Result<std::shared_ptr<Trainer>>()>;

/// As makeThreadRunController(events), with a trainer that the caller chooses.
std::unique_ptr<RunController> makeThreadRunController(EventSink& events, TrainerSource source);

}  // namespace batchwise
