// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>
#include <vector>

#include "core/config/messages.h"
#include "core/config/schedule_parameters.h"
#include "core/config/schema_builder.h"

// Declares the fields of the optimizer and its learning rate.

namespace batchwise::config {
namespace {

void declareOptimizer(SchemaBuilder& s) {
  constexpr auto optimizer = &TrainConfig::optimizer;
  s.field("optimizer.name", optimizer, &OptimizerConfig::name)
      .choices({"adamw"})
      .help("The optimizer: Adam with decoupled weight decay.");
  s.field("optimizer.lr", optimizer, &OptimizerConfig::lr)
      .min(0)
      .max(1e6)
      .unit(messages::unitPerStep())
      .help("Peak learning rate at the reference batch size (see lr_scaling); the scheduler's factor multiplies it.");
  s.field("optimizer.betas", optimizer, &OptimizerConfig::betas)
      .min(0)
      .below(1)
      .help("How slowly the running means of gradient and squared gradient forget.");
  s.field("optimizer.eps", optimizer, &OptimizerConfig::eps)
      .above(0)
      .max(1)
      .advanced()
      .help(
          "Added to the root of the squared mean; keeps a step finite where gradients vanish. The optimizer computes "
          "in "
          "fp32 whatever precision says, so the default, BERT's and RoBERTa's 1e-6, fits every precision.");
  s.field("optimizer.weight_decay", optimizer, &OptimizerConfig::weightDecay)
      .min(0)
      .max(1e3)
      .help(
          "Pull of the weights towards zero, times the learning rate, per step. Biases and layer norms are left out.");
  s.field("optimizer.grad_clip_norm", optimizer, &OptimizerConfig::gradClipNorm)
      .min(0)
      .help("Largest norm of the whole gradient; a longer one is shortened to it. 0: no clipping.");
}

template <class... Members>
FieldBuilder scheduleTime(SchemaBuilder& s, const std::string& name, Members... members) {
  FieldBuilder field = s.field("scheduler." + name, &TrainConfig::scheduler, members...);
  field.units(scheduleUnits());
  return field;
}

void declareScheduler(SchemaBuilder& s) {
  using S = SchedulerConfig;
  constexpr auto scheduler = &TrainConfig::scheduler;
  s.field("scheduler.name", scheduler, &S::name)
      .choices(scheduleNames())
      .help(
          "How the learning rate changes over the run: the factor on optimizer.lr. Only the schedules with a t_warmup "
          "begin with a warm-up.");
  scheduleTime(s, "t_warmup", &S::tWarmup)
      .min(0)
      .help(
          "Length of the rise from 0 to the full rate. auto: 6 % of t_max for the schedules that have a warm-up "
          "(inverse_sqrt needs it said). 0ba: no rise.");
  scheduleTime(s, "t_max", &S::tMax).above(0).help("When the schedule reaches its end. auto: the whole run.");
  scheduleTime(s, "step_size", &S::stepSize)
      .above(0)
      .advanced()
      .help("step: how often the factor is multiplied by gamma.");
  scheduleTime(s, "milestones", &S::milestones)
      .min(0)
      .advanced()
      .help("multistep: each time, once passed, multiplies the factor by gamma.");
  scheduleTime(s, "decay_period", &S::decayPeriod)
      .above(0)
      .advanced()
      .help("exponential: how long one multiplication by gamma takes. auto: one epoch.");
  scheduleTime(s, "t_0", &S::t0)
      .above(0)
      .advanced()
      .help("cosine_annealing_warm_restarts: length of the first period.");
  s.field("scheduler.t_mult", scheduler, &S::tMult)
      .above(0)
      .advanced()
      .help("cosine_annealing_warm_restarts: each period is this many times as long as the one before. auto: 1.");
  scheduleTime(s, "t_decay", &S::tDecay)
      .min(0)
      .advanced()
      .help("warmup_stable_decay, one_minus_sqrt: length of the fall at the end. auto: 0.1dur.");
  scheduleTime(s, "t_cosine", &S::tCosine)
      .min(0)
      .advanced()
      .help("cosine_inverse_sqrt: length of the cosine fall after the warm-up. auto: 0.25dur.");
  scheduleTime(s, "t_cooldown", &S::tCooldown)
      .min(0)
      .advanced()
      .help("cosine_inverse_sqrt: length of the cool-down at the end.");
  s.field("scheduler.alpha", scheduler, &S::alpha).min(0).advanced().help("constant: the factor. auto: 1.");
  s.field("scheduler.alpha_i", scheduler, &S::alphaI)
      .min(0)
      .advanced()
      .help("linear: factor at the start (after a warm-up). auto: 1.");
  s.field("scheduler.alpha_f", scheduler, &S::alphaF).min(0).help("Factor at the end. auto: 0.");
  s.field("scheduler.alpha_s", scheduler, &S::alphaS)
      .min(0)
      .advanced()
      .help("cosine_inverse_sqrt: factor between cosine and inverse square root. auto: as published.");
  s.field("scheduler.gamma", scheduler, &S::gamma)
      .min(0)
      .advanced()
      .help("step, multistep, exponential: what the factor is multiplied by. auto: 0.1 (exponential needs it).");
  s.field("scheduler.power", scheduler, &S::power).min(0).advanced().help("polynomial: the exponent.");
  s.field("scheduler.warmup_init_lr", scheduler, &S::warmupInitLr)
      .min(0)
      .unit(messages::unitPerStep())
      .advanced()
      .help("inverse_sqrt: learning rate at the start of the warm-up. auto: 0.");
  s.field("scheduler.exp_factor", scheduler, &S::expFactor)
      .min(0)
      .advanced()
      .help("inverse_sqrt: the exponent of the fall. auto: 0.5.");
  s.field("scheduler.warmup_schedule", scheduler, &S::warmupSchedule)
      .choices({"linear", "cosine"})
      .advanced()
      .help("cosine_inverse_sqrt: shape of the warm-up.");
  s.field("scheduler.cooldown_schedule", scheduler, &S::cooldownSchedule)
      .choices({"linear", "cosine"})
      .advanced()
      .help("cosine_inverse_sqrt: shape of the cool-down.");
  s.field("scheduler.scale_warmup", scheduler, &S::scaleWarmup)
      .advanced()
      .help("Whether scale_schedule_ratio stretches the warm-up too.");
  s.field("scheduler.warmup_from", scheduler, &S::warmupFrom)
      .choices({"zero", "one"})
      .advanced()
      .help("one trains the first global batch of a warm-up of n with factor 1/n; zero, as others do, with 0.");
  s.field("scheduler.expression", scheduler, &S::expression)
      .advanced()
      .help(
          "expression: the factor over ba, sp, tok and frac (share of the run done), such as max(0.1, 1 - frac). "
          "Behind t_max, frac and the clock that it is counted on stand still.");
  s.field("scheduler.parts", scheduler, &S::parts)
      .advanced()
      .help(
          "chain: schedules one after the other. In each part the clocks start at 0 and dur means the part; one part "
          "says duration: rest.");
}

void declareScaling(SchemaBuilder& s) {
  constexpr auto scaling = &TrainConfig::lrScaling;
  s.field("lr_scaling.method", scaling, &LrScalingConfig::method)
      .choices({"none", "linear", "sqrt"})
      .help("How the learning rate follows the size of a step: lr x size / reference, or lr x sqrt(size / reference).");
  s.field("lr_scaling.reference_batch_size", scaling, &LrScalingConfig::referenceBatchSize)
      .min(1)
      .max(1099511627776.0)  // 2^40, like the sizes themselves
      .help(
          "The step size for which optimizer.lr was chosen, in samples or tokens as lr_scaling.by says, never packs. "
          "auto: the global batch.");
  s.field("lr_scaling.by", scaling, &LrScalingConfig::by)
      .choices({"samples", "tokens"})
      .help("What a step's size is counted in.");
  s.field("lr_scaling.applies_to", scaling, &LrScalingConfig::appliesTo)
      .choices({"tokens", "growth", "rampup", "last"})
      .help(
          "Which causes of an unusual step size change the rate: token budgets, growth, the ramp, the short last batch "
          "of an epoch. "
          "For any other cause the step counts as a full one.");
}

}  // namespace

void declareRateFields(SchemaBuilder& s) {
  declareOptimizer(s);
  declareScheduler(s);
  declareScaling(s);
}

}  // namespace batchwise::config
