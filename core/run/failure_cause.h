// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/events/run_event.h"

namespace batchwise {

/// Returns the cause of a failure from the ids of the message and of the messages within it, else from the code.
/// Unknown if neither names one. Thread-safe.
FailureCause failureCause(const Message& reason, ErrorCode code = ErrorCode::Internal);

/// Returns a run that has failed with `error`, with reason and cause.
RunFinished failedRun(const Error& error);

}  // namespace batchwise
