// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>
#include <utility>

#include "core/config/schedule_parameters.h"
#include "core/config/schema_builder.h"

// Declares the fields of the optimizer and its learning rate.

namespace batchwise::config {
namespace {

void declareOptimizer(SchemaBuilder& s) {
  s.group("optimizer", "Optimizer");
  constexpr auto optimizer = &TrainConfig::optimizer;
  s.field("optimizer.name", "Optimizer", {},
          "adamw: Adam with decoupled weight decay. stable_adamw: the same with smaller steps for tensors whose "
          "gradients outgrow their average, which makes grad_clip_norm superfluous.",
          optimizer, &OptimizerConfig::name);
  s.field("optimizer.lr", "Peak learning rate", {.min = 0, .max = 1e6, .unit = kUnitPerStep},
          "Peak learning rate at the reference batch size (see lr_scaling); the scheduler's factor multiplies it.",
          optimizer, &OptimizerConfig::lr);
  s.field("optimizer.betas", "Optimizer: betas", {.min = 0, .below = 1},
          "Decay rates of the running means of gradient and squared gradient.", optimizer, &OptimizerConfig::betas);
  s.field("optimizer.beta2_half_life", "Second moment: half-life",
          {.above = 0, .units = {TimeUnit::Token}, .unset = "none", .advanced = true},
          "Tokens after which a squared gradient counts half, in place of the second beta: a step of n tokens has "
          "0.5^(n / half-life), so that the memory in tokens stays the same where the batch size changes.",
          optimizer, &OptimizerConfig::beta2HalfLife);
  s.field("optimizer.eps", "Optimizer: epsilon", {.above = 0, .max = 1, .advanced = true},
          "Added to the root of the squared mean; keeps a step finite where gradients vanish. The optimizer always "
          "computes in fp32, so the default of BERT and RoBERTa, 1e-6, suits every precision.",
          optimizer, &OptimizerConfig::eps);
  s.field("optimizer.weight_decay", "Weight decay", {.min = 0, .max = 1e3},
          "Decoupled weight decay per step, multiplied by the learning rate. Biases and layer norms are excluded.",
          optimizer, &OptimizerConfig::weightDecay);
  s.field("optimizer.weight_decay_follows", "Weight decay: follows", {.advanced = true},
          "steps: each step decays by weight_decay. tokens: a step of b samples by weight_decay x b / global batch, "
          "divided by what lr_scaling makes of the rate, so that the decay of a token stays the same where the batch "
          "size changes.",
          optimizer, &OptimizerConfig::weightDecayFollows);
  s.field("optimizer.decouple_lr", "Decay independent of the peak rate", {.advanced = true},
          "Multiply weight_decay by learning rate / peak learning rate instead of the learning rate. To keep the same "
          "decay, multiply weight_decay by optimizer.lr: 0.01 at lr 1e-3 becomes 1e-5.",
          optimizer, &OptimizerConfig::decoupleLr);
  s.field("optimizer.grad_clip_norm", "Gradient clip norm", {.min = 0},
          "Largest norm of the whole gradient; a larger gradient is scaled down to it. 0: no clipping.", optimizer,
          &OptimizerConfig::gradClipNorm);
}

void declareScheduler(SchemaBuilder& s) {
  s.group("scheduler", "Learning-rate schedule");
  using S = SchedulerConfig;
  const auto own = [&s](const std::string& name, const char* label, FieldOptions options, const std::string& help,
                        auto member) {
    s.field("scheduler." + name, label, std::move(options), help.c_str(), &TrainConfig::scheduler, member);
  };
  // With the default of each schedule.
  const auto number = [&own](const std::string& name, const char* label, FieldOptions options, const std::string& help,
                             auto member) { own(name, label, std::move(options), help + defaultText(name), member); };
  const auto time = [&own](const std::string& name, const char* label, FieldOptions options, const std::string& help,
                           auto member) {
    options.units = scheduleUnits();
    own(name, label, std::move(options), help, member);
  };
  own("name", "Schedule", {.choices = scheduleNames(), .choiceLabels = scheduleLabels()},
      "How the learning rate changes over the run: the factor on optimizer.lr. Only schedules with a t_warmup start "
      "with a warm-up.",
      &S::name);
  time("t_warmup", "Warm-up length", {.min = 0},
       "Length of the rise from 0 to the full rate. auto: 6 % of t_max for schedules that have a warm-up (inverse_sqrt "
       "requires a value). 0ba: no rise.",
       &S::tWarmup);
  time("t_max", "Schedule length", {.above = 0},
       "When the schedule reaches its end. auto: the whole run. From there on the last value holds; only the linear "
       "decay of warmup_stable_decay goes on, to 0, and so does cosine_inverse_sqrt with t_cooldown: 0ba. Schedules "
       "of constant rate have no end.",
       &S::tMax);
  time("step_size", "Learning-rate schedule: step size", {.above = 0, .advanced = true},
       "step: how often the factor is multiplied by gamma.", &S::stepSize);
  time("milestones", "Learning-rate schedule: milestones", {.min = 0, .advanced = true},
       "multistep: each time, once passed, multiplies the factor by gamma.", &S::milestones);
  time("decay_period", "Decay period", {.above = 0, .advanced = true},
       "exponential: how long one multiplication by gamma takes." + defaultText("decay_period"), &S::decayPeriod);
  time("t_0", "First period", {.above = 0, .advanced = true},
       "cosine_annealing_warm_restarts: length of the first period.", &S::t0);
  number("t_mult", "Period growth factor", {.above = 0, .advanced = true},
         "cosine_annealing_warm_restarts: each period is this many times as long as the one before.", &S::tMult);
  number("lr_shrink", "Peak factor per period", {.above = 0, .max = 1, .advanced = true},
         "cosine_annealing_warm_restarts: each period has this many times the rates of the one before, as in XLM.",
         &S::lrShrink);
  time("t_decay", "Decay length", {.min = 0, .advanced = true},
       "warmup_stable_decay, one_minus_sqrt: length of the decay before t_max." + defaultText("t_decay"), &S::tDecay);
  time("t_cosine", "Cosine length", {.min = 0, .advanced = true},
       "cosine_inverse_sqrt: length of the cosine decay after the warm-up." + defaultText("t_cosine"), &S::tCosine);
  time("t_cooldown", "Cool-down length", {.min = 0, .advanced = true},
       "cosine_inverse_sqrt: length of the cool-down before t_max. 0ba: none.", &S::tCooldown);
  number("alpha", "Learning-rate schedule: factor", {.min = 0, .advanced = true},
         "constant: the factor (after a warm-up).", &S::alpha);
  number("alpha_i", "Learning-rate schedule: factor at the start", {.min = 0, .advanced = true},
         "linear: factor at the start (after a warm-up).", &S::alphaI);
  number("alpha_f", "Learning-rate schedule: factor at the end", {.min = 0}, "Factor at the end.", &S::alphaF);
  number("alpha_s", "Learning-rate schedule: intermediate factor", {.min = 0, .advanced = true},
         "cosine_inverse_sqrt: factor at the start of the warm-up.", &S::alphaS);
  number("gamma", "Learning-rate schedule: gamma", {.min = 0, .advanced = true},
         "step, multistep, exponential: what the factor is multiplied by.", &S::gamma);
  number("power", "Learning-rate schedule: power", {.min = 0, .advanced = true}, "polynomial: the exponent.",
         &S::power);
  number("warmup_init_lr", "Initial warm-up rate", {.min = 0, .unit = kUnitPerStep, .advanced = true},
         "inverse_sqrt: learning rate at the start of the warm-up.", &S::warmupInitLr);
  number("exp_factor", "Decay exponent", {.min = 0, .advanced = true}, "inverse_sqrt: the exponent of the decay.",
         &S::expFactor);
  own("warmup_schedule", "Warm-up shape", {.advanced = true}, "cosine_inverse_sqrt: shape of the warm-up.",
      &S::warmupSchedule);
  own("cooldown_schedule", "Cool-down shape", {.advanced = true}, "cosine_inverse_sqrt: shape of the cool-down.",
      &S::cooldownSchedule);
  own("decay_schedule", "Decay shape", {.advanced = true},
      "warmup_stable_decay: shape of the decay; 1-sqrt falls fast at first (Haegele et al. 2024).", &S::decaySchedule);
  own("scale_warmup", "Stretch warm-up", {.advanced = true}, "Whether scale_schedule_ratio stretches the warm-up too.",
      &S::scaleWarmup);
  own("warmup_from", "Warm-up from", {.advanced = true},
      "Factor of the first global batch of a warm-up of n: one gives 1/n; zero gives 0, as other trainers do. Left "
      "out: one under a ramp, whose first global batch has several steps, else zero.",
      &S::warmupFrom);
  own("within_batch", "Rate within a global batch", {.advanced = true},
      "Rate of the steps of one global batch during a ramp: hold gives all that of its start, interpolate a line to "
      "that of the next global batch.",
      &S::withinBatch);
  own("expression", "Learning-rate schedule: expression", {.advanced = true},
      "expression: the factor over ba, sp, tok and frac (share of t_max done), such as max(0.1, 1 - frac). After "
      "t_max, "
      "frac and the clock of its unit no longer change.",
      &S::expression);
  own("parts", "Parts of the chain", {.advanced = true},
      "chain: schedules one after the other. In each part the clocks start at 0 and dur means the part. One part has "
      "duration: rest.",
      &S::parts);
}

void declareScaling(SchemaBuilder& s) {
  s.group("lr_scaling", "Learning-rate scaling");
  constexpr auto scaling = &TrainConfig::lrScaling;
  s.field("lr_scaling.method", "Learning-rate scaling: method", {},
          "How the learning rate follows the size of a step. linear: lr x size / reference; sqrt: lr x sqrt(size / "
          "reference); power: lr x (size / reference)^exponent; none: it does not.",
          scaling, &LrScalingConfig::method);
  s.field("lr_scaling.exponent", "Learning-rate scaling: exponent", {.min = 0, .max = 2, .advanced = true},
          "power: the exponent; 1 is linear, 0.5 the square root.", scaling, &LrScalingConfig::exponent);
  s.field("lr_scaling.reference_batch_size", "Learning-rate scaling: reference batch size",
          {.min = 1, .max = kLargestSize},
          "Step size for which optimizer.lr was chosen, in the unit of lr_scaling.by: samples or tokens, never packs. "
          "auto: the global batch.",
          scaling, &LrScalingConfig::referenceBatchSize);
  s.field("lr_scaling.by", "Learning-rate scaling: by", {}, "Unit of the step size.", scaling, &LrScalingConfig::by);
  s.field("lr_scaling.applies_to", "Learning-rate scaling: applies to", {},
          "Which causes of an unusual step size change the rate: token budgets, growth, the ramp, the short last batch "
          "of an epoch. For any other cause the step counts as a full one.",
          scaling, &LrScalingConfig::appliesTo);
}

}  // namespace

void declareRateFields(SchemaBuilder& s) {
  declareOptimizer(s);
  declareScheduler(s);
  declareScaling(s);
}

}  // namespace batchwise::config
