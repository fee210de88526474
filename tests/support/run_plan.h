// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/plan/run_plan.h"

namespace batchwise::test {

/// Plans a run whose stages, if it has several, read the same text.
inline RunPlan runPlanOf(const TrainConfig& config, const std::shared_ptr<const Lengths>& lengths,
                         const DeviceShape& devices = {}) {
  return RunPlan::resolve(config,
                          [&](const RunStage&) -> Result<RunPlan::StageInput> {
                            return RunPlan::StageInput{lengths, devices};
                          })
      .value();
}

}  // namespace batchwise::test
