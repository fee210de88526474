// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/guard_actions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "core/base/format.h"
#include "core/train/evaluation.h"
#include "core/train/train_loop.h"

namespace batchwise {
namespace {

StepLimit limitOf(const LimitGuardConfig& config) {
  const GuardAction action = config.action;
  if (action == GuardAction::Off) return {};
  return {config.limit, action == GuardAction::Skip};
}

EarlyStop::Better betterOf(EvalMetric metric) {
  return metric == EvalMetric::Accuracy ? EarlyStop::Better::Higher : EarlyStop::Better::Lower;
}

}  // namespace

struct Guards::Firing {
  const char* guard = "";
  GuardAction action = GuardAction::Off;
  std::string what;                         // guard, step, value and limit as text
  std::int64_t step = 0;                    // the offending one
  RunStatus endStatus = RunStatus::Failed;  // of a run that it stops
  FailureCause cause = FailureCause::Unknown;
  NoteKind kind = NoteKind::Other;
  double value = 0, reference = 0;  // of an alert
};

Guards::Guards(GuardConfig config)
    : config_(std::move(config)),
      spike_(config_.lossSpike.sigma, config_.lossSpike.window),
      plateau_(config_.plateau.window, config_.plateau.minDelta),
      earlyStop_(betterOf(config_.earlyStop.metric), config_.earlyStop.patience, config_.earlyStop.minDelta) {}

void Guards::beforeUpdate(const TrainLoop& loop, StepLimits& limits) {
  const LoopState& state = loop.state();
  limits.gradNorm = limitOf(config_.gradNorm);
  limits.attentionLogit = limitOf(config_.attentionLogit);
  if (config_.gradNorm.scaleWithBatch) {
    const OptimizerStep& step = loop.step();
    const auto samples = static_cast<double>(step.samples);
    const double full =
        samples * static_cast<double>(loop.plan().initialGrowth().globalUnits) / static_cast<double>(step.units);
    limits.gradNorm.limit *= gradientNormRatio(state.guards.noiseScales, state.now.step + 1, samples, full);
  }
  const GuardAction action = config_.lossSpike.action;
  if (action == GuardAction::Off) return;
  if (const auto limit = spike_.limitFor(state.guards.lossSpike, state.now.step + 1))
    limits.loss = {limit->limit, action == GuardAction::Skip};
}

Result<void> Guards::afterStep(TrainLoop& loop, const StepResult& step) {
  const GuardAction onSpike = config_.lossSpike.action;
  if (onSpike != GuardAction::Off) {
    if (step.limits.loss.exceededBy(step.loss()))
      act(loop, {"guard.loss_spike", onSpike,
                 formatText("guard.loss_spike: the loss of step {} is {}, above the limit of {} ({} standard "
                            "deviations above the mean of "
                            "the steps before)",
                            step.after.step, formatValue(step.loss()), formatValue(step.limits.loss.limit),
                            formatValue(config_.lossSpike.sigma)),
                 step.after.step, RunStatus::Failed, FailureCause::LossSpike, NoteKind::Spike, step.loss(),
                 step.limits.loss.limit});
    spike_.add(loop.state().guards.lossSpike, step.after.step, step.loss());
  }
  if (const auto noise = config_.gradNorm.scaleWithBatch ? loop.state().noise.scale() : std::nullopt) {
    auto& known = loop.state().guards.noiseScales;
    known.push_back({step.after.step, noise->samples});
    while (static_cast<std::int64_t>(known.size()) > SpikeLimit::kLag + 2) known.pop_front();
  }
  LimitGuardConfig gradNorm = config_.gradNorm;
  if (gradNorm.scaleWithBatch) gradNorm.limit = step.limits.gradNorm.limit;
  checkLimit(loop, step, "guard.grad_norm", gradNorm, "gradient norm", step.gradNorm);
  if (step.measured.attentionLogit)
    checkLimit(loop, step, "guard.attention_logit", config_.attentionLogit, "largest attention logit",
               *step.measured.attentionLogit);
  if (step.measured.updateRatio)
    checkLimit(loop, step, "guard.update_ratio", config_.updateRatio, "largest update-to-weight ratio",
               *step.measured.updateRatio);
  return {};
}

void Guards::checkLimit(TrainLoop& loop, const StepResult& step, const char* guard, const LimitGuardConfig& config,
                        const std::string& figure, double value) {
  if (!step.finite() || !limitOf(config).exceededBy(value)) return;  // NanGuard reports non-finite ones
  act(loop, {guard, config.action,
             formatText("{}: the {} of step {} is {}, above the limit of {}", guard, figure, step.after.step,
                        formatValue(value), formatValue(config.limit)),
             step.after.step});
}

Result<void> Guards::afterRow(TrainLoop& loop, const MetricsRow& row) {
  addLoss(loop.state().guards.lossCourse, row.loss);
  const GuardAction action = config_.plateau.action;
  if (action == GuardAction::Off) return {};
  const auto found = plateau_.add(loop.state().guards.plateau, row.loss);
  if (!found) return {};
  act(loop, {"guard.plateau", action,
             formatText("guard.plateau: over the last {} global batches up to step {} the mean loss went from {} to "
                        "{}, a drop of no more than {}",
                        config_.plateau.window, row.at.step, formatValue(found->older), formatValue(found->newer),
                        formatValue(config_.plateau.minDelta)),
             row.at.step, RunStatus::Finished, FailureCause::Unknown, NoteKind::Plateau, found->newer, found->older});
  return {};
}

Result<void> Guards::afterEvaluation(TrainLoop& loop, const EvalResult& result) {
  const GuardAction action = config_.earlyStop.action;
  if (action == GuardAction::Off) return {};
  const std::string_view metric = choiceName(config_.earlyStop.metric);
  const double value = evaluationMetric(result, config_.earlyStop.metric);
  EarlyStopState& state = loop.state().guards.earlyStop;
  if (!earlyStop_.add(state, value)) return {};
  const std::string patience = countText(config_.earlyStop.patience, "evaluation");
  act(loop, {"guard.early_stop", action,
             formatText("guard.early_stop: {} is {} at step {} and has {}", metric, formatValue(value), result.at.step,
                        state.best ? formatText("not beaten {} for {}", formatValue(*state.best), patience)
                                   : formatText("never improved in {}", patience)),
             result.at.step, RunStatus::Finished});
  return {};
}

void Guards::act(TrainLoop& loop, const Firing& firing) {
  if (loop.isRollingBack()) return;
  report(loop, firing);
  switch (firing.action) {
    case GuardAction::Off:
    case GuardAction::Note:
    case GuardAction::Skip: return;
    case GuardAction::Pause: return loop.pause();
    case GuardAction::Stop: return loop.stop({firing.endStatus, firing.what, firing.cause}, StopKind::WithCheckpoint);
    case GuardAction::RollBack: return rollBackOrStop(loop, config_, firing.what, firing.cause, firing.step);
  }
}

void Guards::report(TrainLoop& loop, const Firing& firing) {
  constexpr std::int64_t kReportedIndividually = 8;
  Fired& fired = fired_[firing.guard];
  if (++fired.times == 1) fired.firstStep = firing.step;
  fired.lastStep = firing.step;
  const bool continues = firing.action == GuardAction::Note || firing.action == GuardAction::Skip;
  const bool isDoubling = std::has_single_bit(static_cast<std::uint64_t>(fired.times));
  if (continues && fired.times > kReportedIndividually && !isDoubling) return;
  ++fired.reported;
  std::string text =
      firing.action == GuardAction::Skip ? formatText("{}; the step was skipped", firing.what) : firing.what;
  if (fired.times >= kReportedIndividually && continues && isDoubling)
    text = formatText("{}; it has fired {} times since step {} and is reported again at twice as many", text,
                      fired.times, fired.firstStep);
  if (isAlert(firing.kind))
    loop.note(NoteLevel::Warning, text, firing.kind, firing.value, firing.reference);
  else
    loop.note(NoteLevel::Warning, text);
}

Result<void> Guards::atEnd(TrainLoop& loop) {
  for (const auto& [guard, fired] : fired_)
    if (fired.reported < fired.times)
      loop.note(NoteLevel::Warning, formatText("{} fired {} times from step {} to step {}", guard, fired.times,
                                               fired.firstStep, fired.lastStep));
  return {};
}

Result<void> NanGuard::afterStep(TrainLoop& loop, const StepResult& step) {
  if (step.finite()) {
    alerted_ = false;
    return {};
  }
  const std::string what =
      formatText("the gradient of step {} is not finite (loss {})", step.after.step, formatValue(step.loss()));
  const std::int64_t row = loop.state().skippedInARow;
  const bool overflow = scalesLoss_ && std::isfinite(step.loss());
  if (overflow)
    loop.note(NoteLevel::Info, formatText("{}; the step was skipped and the scale of the loss halved", what));
  else if (const std::string text = formatText("{}; the step was skipped", what); !std::exchange(alerted_, true))
    loop.note(NoteLevel::Warning, text, NoteKind::NonFinite, step.loss(), step.gradNorm);
  else
    loop.note(NoteLevel::Warning, text);
  if (overflow && row < config_.nonFiniteLimit) return {};
  if (config_.nonFinite == GuardAction::Stop && !overflow) {
    loop.stop(
        {RunStatus::Failed, formatText("{}; the weights are those before the step", what), FailureCause::NonFinite},
        StopKind::WithCheckpoint);
  } else if (row >= config_.nonFiniteLimit) {
    loop.stop({RunStatus::Failed, formatText("{}, as in the {} steps up to it", what, row), FailureCause::NonFinite},
              StopKind::WithCheckpoint);
  } else if (config_.nonFinite == GuardAction::RollBack) {
    rollBackOrStop(loop, config_, what, FailureCause::NonFinite, step.after.step);
  } else if (config_.nonFinite == GuardAction::Pause) {
    loop.pause();
  }
  return {};
}

void rollBackOrStop(TrainLoop& loop, const GuardConfig& config, const std::string& what, FailureCause cause,
                    std::int64_t badStep) {
  const auto done = static_cast<std::int64_t>(loop.state().guards.skippedRanges.size());
  if (done < config.rollBackLimit) return loop.rollBack(what, cause, badStep);
  loop.stop({RunStatus::Failed,
             formatText("{}; the run was already rolled back {}, as often as guard.roll_back_limit allows", what,
                        countText(done, "time")),
             cause},
            StopKind::WithCheckpoint);
}

bool mayRollBack(const GuardConfig& config) {
  const GuardAction actions[] = {config.nonFinite, config.lossSpike.action, config.gradNorm.action,
                                 config.attentionLogit.action, config.updateRatio.action};
  return std::ranges::find(actions, GuardAction::RollBack) != std::end(actions);
}

}  // namespace batchwise
