// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"
#include "core/run/trainer.h"

namespace batchwise {

class RankTeam;

/// One training from request to outcome: workspace, data, plan, model, then the run in the store and the ranks. Nothing
/// is entered into the store before everything that can be checked has passed. See Trainer::train. One training at a
/// time. With `team` this process is rank 0 of several; the others call followRun().
Result<RunFinished> trainRun(const LaunchRequest& request, EventSink& events, CommandMailbox& commands,
                             const Clock& clock, RankTeam* team = nullptr);

}  // namespace batchwise
