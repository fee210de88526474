// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/events/run_event.h"

namespace batchwise {

/// Returns what a run has failed of, by the code of the error that ended it; Unknown if that says nothing particular.
FailureCause failureCause(ErrorCode code);

/// Returns a run that has failed with `error`, with reason and cause.
RunFinished failedRun(const Error& error);

}  // namespace batchwise
