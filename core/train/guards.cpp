// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/guards.h"

#include <bit>

#include "core/base/count_text.h"
#include "core/base/format.h"
#include "core/train/evaluation.h"
#include "core/train/train_loop.h"

namespace batchwise {
namespace {

StepLimit limitOf(const LimitGuardConfig& config) {
  const GuardAction action = guardActionFromName(config.action);
  if (action == GuardAction::Off) return {};
  return {config.limit, action == GuardAction::Skip};
}

EarlyStop::Better betterOf(const std::string& metric) {
  return metric == "eval.accuracy" ? EarlyStop::Better::Higher : EarlyStop::Better::Lower;
}

}  // namespace

struct Guards::Firing {
  const char* guard = "";
  GuardAction action = GuardAction::Off;
  std::string what;                         // guard, step, value and limit in words
  std::int64_t step = 0;                    // the one at fault
  RunStatus endStatus = RunStatus::Failed;  // of a run that it stops
};

Guards::Guards(GuardConfig config)
    : config_(std::move(config)),
      spike_(config_.lossSpike.sigma, config_.lossSpike.window),
      plateau_(config_.plateau.window, config_.plateau.minDelta),
      earlyStop_(betterOf(config_.earlyStop.metric), config_.earlyStop.patience, config_.earlyStop.minDelta) {}

void Guards::beforeUpdate(const TrainLoop& loop, StepLimits& limits) {
  limits.gradNorm = limitOf(config_.gradNorm);
  limits.attentionLogit = limitOf(config_.attentionLogit);
  const GuardAction action = guardActionFromName(config_.lossSpike.action);
  if (action == GuardAction::Off) return;
  const LoopState& state = loop.state();
  if (const auto limit = spike_.limitFor(state.guards.lossSpike, state.now.step + 1))
    limits.loss = {limit->limit, action == GuardAction::Skip};
}

Result<void> Guards::afterStep(TrainLoop& loop, const StepResult& step) {
  const GuardAction onSpike = guardActionFromName(config_.lossSpike.action);
  if (onSpike != GuardAction::Off) {
    if (step.limits.loss.exceededBy(step.loss()))
      act(loop, {"guard.loss_spike", onSpike,
                 "guard.loss_spike: the loss of step " + std::to_string(step.after.step) + " is " +
                     formatValue(step.loss()) + ", above the limit of " + formatValue(step.limits.loss.limit) + " (" +
                     formatValue(config_.lossSpike.sigma) + " standard deviations above the mean of the steps before)",
                 step.after.step});
    spike_.add(loop.state().guards.lossSpike, step.after.step, step.loss());
  }
  checkLimit(loop, step, "guard.grad_norm", config_.gradNorm, "gradient norm", step.gradNorm);
  if (step.largestLogit)
    checkLimit(loop, step, "guard.attention_logit", config_.attentionLogit, "largest attention logit",
               *step.largestLogit);
  if (step.updateRatio)
    checkLimit(loop, step, "guard.update_ratio", config_.updateRatio, "largest update-to-weight ratio",
               *step.updateRatio);
  return {};
}

void Guards::checkLimit(TrainLoop& loop, const StepResult& step, const char* guard, const LimitGuardConfig& config,
                        const char* figure, double value) {
  if (!step.finite() || !limitOf(config).exceededBy(value)) return;  // NanGuard tells of what is not finite
  act(loop, {guard, guardActionFromName(config.action),
             std::string(guard) + ": the " + figure + " of step " + std::to_string(step.after.step) + " is " +
                 formatValue(value) + ", above the limit of " + formatValue(config.limit),
             step.after.step});
}

Result<void> Guards::afterRow(TrainLoop& loop, const MetricsRow& row) {
  const GuardAction action = guardActionFromName(config_.plateau.action);
  if (action == GuardAction::Off) return {};
  const auto found = plateau_.add(loop.state().guards.plateau, row.loss);
  if (!found) return {};
  act(loop, {"guard.plateau", action,
             "guard.plateau: over the last " + std::to_string(config_.plateau.window) + " global batches up to step " +
                 std::to_string(row.at.step) + " the mean loss went from " + formatValue(found->older) + " to " +
                 formatValue(found->newer) + ", no more than " + formatValue(config_.plateau.minDelta) + " down",
             row.at.step, RunStatus::Finished});
  return {};
}

Result<void> Guards::afterEvaluation(TrainLoop& loop, const EvalResult& result) {
  const GuardAction action = guardActionFromName(config_.earlyStop.action);
  const auto value = evaluationMetric(result, config_.earlyStop.metric);
  if (action == GuardAction::Off || !value) return {};
  EarlyStopState& state = loop.state().guards.earlyStop;
  if (!earlyStop_.add(state, *value)) return {};
  act(loop, {"guard.early_stop", action,
             "guard.early_stop: " + config_.earlyStop.metric + " is " + formatValue(*value) + " at step " +
                 std::to_string(result.at.step) + " and has not beaten " +
                 (state.best ? formatValue(*state.best) : "anything") + " for " +
                 countText(config_.earlyStop.patience, "evaluation"),
             result.at.step, RunStatus::Finished});
  return {};
}

void Guards::act(TrainLoop& loop, const Firing& firing) {
  if (loop.rollsBack()) return;
  tell(loop, firing);
  switch (firing.action) {
    case GuardAction::Off:
    case GuardAction::Note:
    case GuardAction::Skip: return;
    case GuardAction::Pause: return loop.pause();
    case GuardAction::Stop: return loop.stop({firing.endStatus, firing.what}, StopKind::WithCheckpoint);
    case GuardAction::RollBack: return rollBackOrStop(loop, config_, firing.what, firing.step);
  }
}

void Guards::tell(TrainLoop& loop, const Firing& firing) {
  constexpr std::int64_t kToldOneByOne = 8;
  Fired& fired = fired_[firing.guard];
  if (++fired.times == 1) fired.firstStep = firing.step;
  fired.lastStep = firing.step;
  const bool goesOn = firing.action == GuardAction::Note || firing.action == GuardAction::Skip;
  const bool isDoubling = std::has_single_bit(static_cast<std::uint64_t>(fired.times));
  if (goesOn && fired.times > kToldOneByOne && !isDoubling) return;
  ++fired.told;
  std::string text = firing.what;
  if (firing.action == GuardAction::Skip) text += "; the step was skipped";
  if (fired.times >= kToldOneByOne && goesOn && isDoubling)
    text += "; it has fired " + std::to_string(fired.times) + " times since step " + std::to_string(fired.firstStep) +
            " and is told again at twice as many";
  loop.note(NoteLevel::Warning, text);
}

Result<void> Guards::atEnd(TrainLoop& loop) {
  for (const auto& [guard, fired] : fired_)
    if (fired.told < fired.times)
      loop.note(NoteLevel::Warning, guard + " fired " + std::to_string(fired.times) + " times from step " +
                                        std::to_string(fired.firstStep) + " to step " + std::to_string(fired.lastStep));
  return {};
}

void rollBackOrStop(TrainLoop& loop, const GuardConfig& config, const std::string& what, std::int64_t badStep) {
  const auto done = static_cast<std::int64_t>(loop.state().guards.passedOver.size());
  if (done < config.rollBackLimit) return loop.rollBack(what, badStep);
  loop.stop({RunStatus::Failed, what + "; the run was taken back " + countText(done, "time") +
                                    " before, as often as guard.roll_back_limit allows"},
            StopKind::WithCheckpoint);
}

bool mayRollBack(const GuardConfig& config) {
  const auto rollsBack = [](const std::string& action) { return guardActionFromName(action) == GuardAction::RollBack; };
  return rollsBack(config.nonFinite) || rollsBack(config.lossSpike.action) || rollsBack(config.gradNorm.action) ||
         rollsBack(config.attentionLogit.action) || rollsBack(config.updateRatio.action);
}

bool measuresLogits(const GuardConfig& config) {
  return guardActionFromName(config.attentionLogit.action) != GuardAction::Off;
}

bool measuresUpdates(const GuardConfig& config) {
  return guardActionFromName(config.updateRatio.action) != GuardAction::Off;
}

}  // namespace batchwise
