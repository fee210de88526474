// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"
#include "core/run/trainer.h"

namespace batchwise {

class RankGroup;

/// Trains a request from start to outcome: workspace, data, plan, model, then the run in the store and the ranks. Adds
/// nothing to the store before every check has passed. One training at a time. With `rankGroup`, this process is rank 0
/// of several; the others call followRun(). See Trainer::train.
Result<RunFinished> trainRun(const LaunchRequest& request, EventSink& events, CommandMailbox& commands,
                             const Clock& clock, RankGroup* rankGroup = nullptr);

}  // namespace batchwise
