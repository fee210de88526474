// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointF>
#include <QtCore/QString>
#include <QtCore/QStringList>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/batch/plan.h"
#include "core/config/train_config.h"

namespace batchwise {

/// What a preview takes for granted, since the data has not been read.
struct PlanAssumptions {
  std::int64_t samplesPerEpoch = 0;
  std::int64_t devices = 1;
};

/// What a configuration will do, for the eye. A value.
struct PlanPreview {
  std::vector<PlannedStage> stages;
  Plan::Totals totals;
  std::vector<QPointF> rate, stepSize;  ///< over global batches
  std::vector<std::string> notes;
  std::optional<double> fill;
};

/// Resolves the plan with samples of the greatest length. Any thread. Fails as Plan::resolve.
Result<PlanPreview> previewPlan(const TrainConfig& config, const PlanAssumptions& assumptions);

/// Learning rate and step size at some `points` global batches from 0 to `batches`, in order.
void samplePlan(const Plan& plan, std::int64_t batches, int points, std::vector<QPointF>& rate,
                std::vector<QPointF>& stepSize);

/// The plan of a run that was launched, from what is stored with it. Lengths are not stored: every sample counts the
/// mean number of tokens, which is exact unless the run is measured in tokens. Fails as Plan::restore, always for runs
/// with a token budget.
Result<Plan> restorePlan(const TrainConfig& config, const ResolvedValues& resolved);

/// How many samples an epoch may have, from the sizes of the files: about 4.5 bytes of text a token. The demo's number
/// is that of its generator. Nothing if no file is found. Any thread; looks at file sizes only.
std::optional<std::int64_t> estimateSamples(const DataConfig& data, const std::filesystem::path& baseFolder);

}  // namespace batchwise
