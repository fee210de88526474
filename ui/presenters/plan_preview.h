// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointF>
#include <QtCore/QString>
#include <QtCore/QStringList>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/batch/plan.h"
#include "core/config/train_config.h"
#include "core/run/launch/measured_speed.h"
#include "ui/models/stage_model.h"

namespace batchwise {

/// What a preview takes for granted.
struct PlanAssumptions {
  std::int64_t samplesPerEpoch = 0;
  std::int64_t devices = 1;
  std::shared_ptr<const Lengths> lengths = {};  ///< of the samples, where the data was read before; else null
};

/// A length of the schedule or of a ramp as the plan resolved it.
struct PlannedLength {
  Time length;
  std::optional<std::int64_t> batches;  ///< global batches that it takes from the start of the run; empty: not known
};

/// What a configuration will do, for the eye. A value.
struct PlanPreview {
  std::vector<PlannedStage> stages;
  StageUnits units;
  Plan::Totals totals;
  Time maxDuration;                     ///< scale_schedule_ratio applied
  std::optional<PlannedLength> warmup;  ///< of the schedule; empty: it has none
  std::optional<PlannedLength> rampup;  ///< of the batch size
  std::vector<QPointF> rate, stepSize;  ///< over global batches done, see samplePlan()
  std::vector<std::string> notes;
  std::optional<double> fill;             ///< of the first epoch
  std::optional<std::int64_t> maxTokens;  ///< of a pack; empty: no token budget
  bool lengthsKnown = false;              ///< false: every sample was taken to be as long as it may be
};

/// Resolves the plan; without lengths, with samples of the greatest length. Any thread. Fails as Plan::resolve.
Result<PlanPreview> previewPlan(const TrainConfig& config, const PlanAssumptions& assumptions);

/// Training time of the runs of a sweep together, at the speed of each; nothing if one of them ends at a time that is
/// not known ahead, has other data than the first, or no speed. The runs train one after the other. Any thread.
std::optional<double> sweepSeconds(const std::vector<TrainConfig>& runs, const PlanAssumptions& assumptions,
                                   const std::function<std::optional<MeasuredSpeed>(const TrainConfig&)>& speedOf);

/// Learning rate and step size of some of the first `batches` global batches, in order, each where its row of metrics
/// will stand: at the number of those done. Edges of stages and short last global batches of epochs are among them, as
/// far as they lie some thousandths of the run apart.
void samplePlan(const Plan& plan, std::int64_t batches, std::vector<QPointF>& rate, std::vector<QPointF>& stepSize);

/// The plan of a run that was launched, from what is stored with it. Lengths are not stored: every sample counts the
/// mean number of tokens, which is exact unless the run is measured in tokens. Fails as Plan::restore, always for runs
/// with a token budget.
Result<Plan> restorePlan(const TrainConfig& config, const ResolvedValues& resolved);

/// How many samples an epoch may have, from the sizes of the files: about 4.5 bytes of text a token. The demo's number
/// is that of its generator. Nothing if no text is found. Any thread; looks at file sizes only.
std::optional<std::int64_t> estimateSamples(const DataConfig& data, const std::filesystem::path& baseFolder);

}  // namespace batchwise
