// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/default_values.h"
#include "core/plan/schedule/curves.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/resolved_values.h"

namespace batchwise {
namespace {

using Mistakes = std::vector<FieldProblem>;

/// A batch size chosen as a number of samples makes steps many times as large once it counts packs.
void notePacks(const TrainConfig& config, const Plan& plan, Mistakes& mistakes) {
  const auto samples = numberNamed(plan.resolved(), "scheduler.samples_per_batch");
  const auto packs = numberNamed(plan.resolved(), "batch.global_train_batch_size");
  if (!config.batch.tokens.enabled() || !samples || !packs || *packs < 1 || *samples < 2 * *packs) return;
  mistakes.push_back(
      {"batch.global_train_batch_size",
       formatText("with a token budget this counts packs: one step takes {} {} of up to {} tokens, about {} samples",
                  formatInteger(std::llround(*packs)), pluralText(std::llround(*packs), "pack", "packs"),
                  formatInteger(*config.batch.tokens.maxTokens), formatInteger(std::llround(*samples)))});
}

/// Returns the global batch that contains `time`; nothing if that is not known before the run.
template <typename AnyPlan>
std::optional<std::int64_t> batchAt(const AnyPlan& plan, const Time& time) {
  if (time.unit() == TimeUnit::Second) return std::nullopt;
  if (time.unit() == TimeUnit::Batch) return time.count();
  const auto point = plan.pointAt(time);
  return point.ok() ? std::optional(point->at.batch) : std::nullopt;
}

/// A rate that is usual at the reference size may not be at that of a step.
void noteScaledRate(const TrainConfig& config, const Plan& plan, Mistakes& mistakes) {
  const LrScalingConfig& scaling = config.lrScaling;
  const bool byTokens = scaling.by == StepSizeUnit::Tokens;
  const auto size =
      numberNamed(plan.resolved(), byTokens ? "scheduler.tokens_per_batch" : "scheduler.samples_per_batch");
  const auto reference = numberNamed(plan.resolved(), "lr_scaling.reference_batch_size");
  const bool sized =
      !(config.batch.tokens.enabled() || byTokens) || std::ranges::count(scaling.appliesTo, StepSizeCause::Tokens) > 0;
  if (!sized || !size || !reference || config.optimizer.lr > kLargestUsualRate) return;
  const double rate = scaledRate(config.optimizer.lr, *size, *reference, scaling.method);
  if (rate > kLargestUsualRate)
    mistakes.push_back(
        {"lr_scaling.reference_batch_size",
         formatText(
             "a step of {} has the learning rate {}, far above the rates that train with Adam, 1e-5 to 1e-2, so the "
             "loss will most likely diverge; use a smaller optimizer.lr, a larger reference or lr_scaling.method: sqrt",
             formatValue(*size), formatValue(rate))});
}

void noteShortRamp(const TrainConfig& config, const Plan& plan, Mistakes& mistakes) {
  const auto& duration = config.batch.rampup.duration;
  const auto resolved = plan.resolved().find("batch.rampup.duration");
  if (!duration || resolved == plan.resolved().end()) return;
  const auto length = Time::parse(resolved->second);
  if (!length.ok() || length->number() <= 0) return;  // reported by the plan
  if (batchAt(plan, *length) == 0)
    mistakes.push_back(
        {"batch.rampup.duration",
         formatText("{} is over within the first global batch, so the ramp changes nothing; use a longer one",
                    duration->text())});
}

/// Returns whether all of `times` come after the last global batch.
bool neverDue(const RunPlan& plan, const std::vector<Time>& times, std::int64_t batches) {
  return !times.empty() && std::ranges::all_of(times, [&](const Time& time) {
    const auto batch = batchAt(plan, time);
    return batch && *batch >= batches;
  });
}

void noteIntervals(const TrainConfig& config, const RunPlan& plan, Mistakes& mistakes) {
  const auto batches = plan.totals().batches;
  const auto intervals = resolveIntervals(config, plan, 0);
  if (!batches || !intervals.ok()) return;
  if (!hasEvalData(config))
    mistakes.push_back(
        {"data.holdout", "is 0 and data.eval is empty, so there is no text to evaluate on and no evaluation loss"});
  else if (neverDue(plan, intervals->at("eval.interval"), *batches))
    mistakes.push_back(
        {"eval.interval",
         formatText("is longer than the run ({} global batches), so the model is evaluated at the end only",
                    *batches)});
  if (neverDue(plan, intervals->at("checkpoint.interval"), *batches))
    mistakes.push_back({"checkpoint.interval", formatText("is longer than the run ({} global batches), so a killed run "
                                                          "starts over: there is no checkpoint before the end",
                                                          *batches)});
}

/// Returns whether the rate is 0 in the global batch `batch`.
bool isRateZero(const RunPlan& plan, std::int64_t batch) {
  const auto point = plan.pointAt(Time::of(batch, TimeUnit::Batch));
  return point.ok() && point->factor == 0.0;
}

/// A schedule that ends long before the run.
void noteZeroRate(const TrainConfig& config, const RunPlan& plan, Mistakes& mistakes) {
  constexpr std::int64_t kLeastShare = 20;  // of the run: a twentieth
  const auto batches = plan.totals().batches;
  if (plan.plans().size() > 1 || !batches || *batches < 2 || config.optimizer.lr == 0.0) return;
  std::int64_t zero = *batches - std::max<std::int64_t>(2, *batches / kLeastShare);
  if (zero < 0 || !isRateZero(plan, zero) || !isRateZero(plan, *batches - 1)) return;
  for (std::int64_t above = -1; zero - above > 1;) {  // the first of the zeros at the end
    const std::int64_t middle = above + (zero - above) / 2;
    (isRateZero(plan, middle) ? zero : above) = middle;
  }
  mistakes.push_back(
      {"scheduler.name",
       formatText("makes the learning rate 0 from {}ba on: the last {} global {} nothing", formatInteger(zero),
                  formatInteger(*batches - zero), pluralText(*batches - zero, "batch learns", "batches learn"))});
}

}  // namespace

std::vector<FieldProblem> findPlanMistakes(const TrainConfig& config, const RunPlan& plan) {
  Mistakes mistakes;
  for (std::size_t i = 0; i < plan.plans().size(); ++i) {
    const RunStage& stage = plan.stages()[i];
    Mistakes own;
    notePacks(stage.config, plan.plans()[i], own);
    noteScaledRate(stage.config, plan.plans()[i], own);
    noteShortRamp(stage.config, plan.plans()[i], own);
    for (FieldProblem& mistake : own)
      mistakes.push_back({stage.field.empty() ? mistake.field : stage.field + "." + mistake.field, mistake.message});
  }
  noteIntervals(config, plan, mistakes);
  noteZeroRate(config, plan, mistakes);
  return mistakes;
}

}  // namespace batchwise
