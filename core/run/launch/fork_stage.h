// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "core/config/train_config.h"
#include "core/plan/run_plan.h"
#include "core/store/records.h"

namespace batchwise {

// What a fork goes on with from the state of a checkpoint, as stages of its run.

/// The schedule of a launched run on clocks that mean the same under another batch size, so that the rate at each place
/// of the data stays.
struct CarriedSchedule {
  SchedulerConfig scheduler;  ///< each Time as resolved at launch, those in ba rewritten
  RampupConfig rampup;        ///< each Time as resolved at launch
  Time end;                   ///< of the run
  std::string text;           ///< "t_max 150ba as 38400sp, t_warmup 9ba as 2304sp"; empty: nothing was rewritten
};
enum class BatchClock { Kept, Rewritten };
/// Returns the schedule of `trained`, whose launch has `resolved`. With Rewritten, ba become samples, of which a global
/// batch has a fixed number, or tokens under a token budget: by those of a global batch up to `at`, so that the rate
/// there is exactly that of the run. Nothing for a run measured in sec, for an expression of ba, and if a value of the
/// launch is missing.
std::optional<CarriedSchedule> carriedSchedule(const TrainConfig& trained, const ResolvedValues& resolved,
                                               const Timestamp& at, BatchClock clock);

/// Returns whether a run of `after` goes on from the state that a run of `before` has at a checkpoint: it has the same
/// stages up to there, and the one in which the checkpoint lies ends there or later.
bool continuesStages(const Timestamp& at, const TrainConfig& before, const TrainConfig& after);

/// Returns why a run cannot go on in a further stage from the state of a checkpoint; empty if it can.
std::string whyNoFurtherStage(const TrainConfig& trained);

}  // namespace batchwise
