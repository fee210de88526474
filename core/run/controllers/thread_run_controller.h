// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/run/run_controller.h"

namespace batchwise {

/// As makeThreadRunController(events), with a given trainer source, called in the worker thread at each start.
std::unique_ptr<RunController> makeThreadRunController(EventSink& events, TrainerSource source);

}  // namespace batchwise
