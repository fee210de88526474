// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/batch/run_plan.h"
#include "core/config/schema.h"
#include "core/config/train_config.h"

namespace batchwise {

/// Returns values that are valid but likely mistakes for the length and sizes of this run, by field: a token budget
/// under which the batch size counts packs, a rate that lr_scaling makes far too high or that is 0 long before the end,
/// a ramp that ends within the first global batch, evaluations and checkpoints that never come before the end.
/// Completes findLikelyMistakes(), which needs no plan, and Plan::notes(). Intervals in sec are not judged.
/// Thread-safe.
std::vector<FieldProblem> findPlanMistakes(const TrainConfig& config, const RunPlan& plan);

}  // namespace batchwise
