// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/default_values.h"
#include "core/config/schema_builder.h"

// Declares the fields of the batch size: fixed size, ramp, growth and token budget.

namespace batchwise::config {

void declareBatchFields(SchemaBuilder& s) {
  s.group("batch", "Batch size");
  s.group("batch.rampup", "Ramp-up");
  s.group("batch.rampup.from_schedule", "Ramp-up from the schedule");
  s.group("batch.growth", "Adaptive growth");
  s.group("batch.tokens", "Token budget");
  constexpr auto batch = &TrainConfig::batch;
  s.field("batch.global_train_batch_size", "Global batch size", {.min = 1, .max = kLargestSize, .unit = kUnitSamples},
          "Samples of one global batch over all devices, the unit of logging, schedules and checkpoints. With "
          "batch.tokens: packs.",
          batch, &BatchConfig::globalTrainBatchSize);
  s.field("batch.device_train_microbatch_size", "Micro-batch per device",
          {.min = 1, .max = kLargestSize, .unit = kUnitSamples},
          "Samples that one device computes at once; the rest is accumulated, with the same result. auto finds the "
          "largest that fits into memory.",
          batch, &BatchConfig::deviceTrainMicrobatchSize);
  s.field("batch.round", "Micro-batch rounding", {.advanced = true},
          "Whether auto rounds the micro-batch down to a power of two.", batch, &BatchConfig::round);
  s.field("batch.reserve", "Memory reserve", {.min = 0, .max = 0.9, .advanced = true},
          "Share of the memory limit that auto leaves free.", batch, &BatchConfig::reserve);
  s.field("batch.use_maximum_batch_size", "Use maximum batch size", {.advanced = true},
          "Make the global batch the largest micro-batch that fits, times devices. Off: it is "
          "batch.global_train_batch_size.",
          batch, &BatchConfig::useMaximumBatchSize);

  constexpr auto rampup = &BatchConfig::rampup;
  s.field("batch.rampup.duration", "Ramp-up: length", {.min = 0, .units = scheduleUnits(), .unset = "none"},
          "How long the batch size grows. Until then each global batch is split into smaller optimizer steps of one "
          "size, so the clock stays the same. Where that size does not divide the global batch, it has the nearest "
          "multiple: steps of 52 for 96 make 104.",
          batch, rampup, &RampupConfig::duration);
  s.field("batch.rampup.initial_global_train_batch_size", "Ramp-up: initial size",
          {.min = 1, .max = kLargestSize, .unit = kUnitSamples},
          "Step size at the start of the ramp. auto: devices x micro-batch, the smallest without accumulation.", batch,
          rampup, &RampupConfig::initialGlobalTrainBatchSize);
  s.field("batch.rampup.growth", "Ramp-up: growth", {},
          "doubling: each stage has twice the step size of the one before; linear: it grows by increment.", batch,
          rampup, &RampupConfig::growth);
  s.field("batch.rampup.increment", "Ramp-up: increment", {.min = 1, .max = kLargestSize, .unit = kUnitSamples},
          "Growth per stage of a linear ramp. auto: one micro-batch per device.", batch, rampup,
          &RampupConfig::increment);
  s.field("batch.rampup.spacing", "Ramp-up: spacing", {.advanced = true},
          "What all stages have in equal numbers: samples, or optimizer steps, as in ModernBERT, which takes fewer "
          "steps.",
          batch, rampup, &RampupConfig::spacing);
  s.field("batch.rampup.stages", "Ramp-up: custom stages", {},
          "The ramp as a table instead of a duration: when each stage starts, and its step size. The last size is the "
          "global batch.",
          batch, rampup, &RampupConfig::stages);
  constexpr auto seesaw = &RampupConfig::fromSchedule;
  s.field("batch.rampup.from_schedule.factor", "Ramp-up from the schedule: factor",
          {.min = 1.01, .max = 16, .unset = "none"},
          "Turns the decay of the schedule into a ramp (Seesaw): each time the schedule has fallen by this factor, the "
          "step size, at first batch.global_train_batch_size, grows by it, and the learning rate falls by its square "
          "root only. The same loss in fewer steps, as long as the batch stays below the critical one; with "
          "log.noise_scale the run warns where it does not. none: off.",
          batch, rampup, seesaw, &SeesawConfig::factor);
  s.field("batch.rampup.from_schedule.cap", "Ramp-up from the schedule: largest size", {.check = checkCap},
          "Where the growth ends: a size such as 256, or a multiple of the initial size such as 4x. It is then the "
          "global batch.",
          batch, rampup, seesaw, &SeesawConfig::cap);

  constexpr auto growth = &BatchConfig::growth;
  s.group("batch.growth.critical_batch", "Law of the critical batch size");
  s.field(
      "batch.growth.rule", "Adaptive growth: rule", {},
      "A named rule in place of an expression; `batchwise preview` shows the expression that it stands for. "
      "double_at_epochs: at each epoch of values. norm_test: noise_trace / (theta^2 gradient_sq), only up (Byrd et "
      "al. 2012). divebatch: delta (1 + noise_scale) (2025). mccandlish: sqrt(r noise_scale) (2018). accordion: the "
      "second of values while the gradient norm changes by less than the first, else the initial size (2020). "
      "critical_batch: doubles where the law allows it (Merrill et al. 2025).",
      batch, growth, &GrowthConfig::rule);
  s.field("batch.growth.values", "Adaptive growth: values of the rule", {.min = 0, .max = kLargestSize},
          "Epochs of double_at_epochs; theta of norm_test (1), delta of divebatch (1), r of mccandlish (the initial "
          "size); threshold and large size of accordion (0.5 and 8 times the initial size). Empty: those in brackets.",
          batch, growth, &GrowthConfig::values);
  s.field("batch.growth.increase_function", "Adaptive growth: new size", {},
          "Expression for the new global batch size, over epoch, current_batch_size, loss, noise_scale, noise_trace, "
          "gradient_sq, last_gradient_sq, lr, ba, tok, frac, eval_loss and critical_batch, such as epoch in [3, 6] ? "
          "current_batch_size * 2 : current_batch_size. pow2(x): the power of two at or below x. While a value is not "
          "measured yet, the size stays. With measured values a size changes at most twofold at a time. Empty: no "
          "growth.",
          batch, growth, &GrowthConfig::increaseFunction);
  s.field("batch.growth.batch_increase_function", "Adaptive growth: increment", {.advanced = true},
          "Like batch.growth.increase_function, but the expression gives the increment instead of the new size, as "
          "torchtune proposed. Set at most one of the two.",
          batch, growth, &GrowthConfig::batchIncreaseFunction);
  s.field("batch.growth.every", "Adaptive growth: evaluated every", {.above = 0, .units = scheduleUnits()},
          "How often the expression is evaluated, first after the ramp.", batch, growth, &GrowthConfig::every);
  s.field("batch.growth.dwell", "Adaptive growth: least time at a size",
          {.above = 0, .units = scheduleUnits(), .unset = "none", .advanced = true},
          "The size changes no sooner than this after the ramp and after each change.", batch, growth,
          &GrowthConfig::dwell);
  s.field("batch.growth.critical_batch.a", "Law of the critical batch size: a", {.unset = "none", .advanced = true},
          "critical_batch = exp(a) x tok^c, in samples: the law that a study of the critical batch size has fitted. "
          "With batch.rampup.from_schedule the preview warns where steps are larger.",
          batch, growth, &GrowthConfig::criticalBatch, &CriticalBatchConfig::a);
  s.field("batch.growth.critical_batch.c", "Law of the critical batch size: c", {.unset = "none", .advanced = true},
          "Exponent of the tokens in the law of the critical batch size.", batch, growth, &GrowthConfig::criticalBatch,
          &CriticalBatchConfig::c);
  s.field(
      "batch.growth.bound", "Adaptive growth: bound", {},
      "device_maximum stops growth at devices x largest micro-batch, with a note; none grows further by accumulation.",
      batch, growth, &GrowthConfig::bound);
  s.field("batch.growth.allow_decrease", "Adaptive growth: may shrink", {.advanced = true},
          "Allows the expression to make the batch smaller. Off: a smaller result is replaced by the current size.",
          batch, growth, &GrowthConfig::allowDecrease);

  constexpr auto tokens = &BatchConfig::tokens;
  s.field("batch.tokens.max_tokens", "Token budget: tokens per pack",
          {.min = 1, .max = kLargestSize, .unit = kUnitTokens, .unset = "none"},
          "Token budget: sequences are packed until this many tokens are reached, and every size that counts samples "
          "counts packs. none: no budget.",
          batch, tokens, &TokenBudgetConfig::maxTokens);
  s.field("batch.tokens.sequence_picking_order", "Token budget: order", {},
          "Order in which sequences are packed: that of the epoch, a separate random order, or by length.", batch,
          tokens, &TokenBudgetConfig::sequencePickingOrder);
  s.field("batch.tokens.min_batch_size", "Token budget: minimum sequences",
          {.min = 1, .max = kLargestSize, .unit = "sequences"},
          "A pack with fewer sequences counts as small; see on_small_pack.", batch, tokens,
          &TokenBudgetConfig::minBatchSize);
  s.field("batch.tokens.max_batch_size", "Token budget: maximum sequences",
          {.min = 0, .max = kLargestSize, .unit = "sequences", .unset = "none"},
          "A pack is closed at this many sequences even if tokens are left. none or 0: no limit.", batch, tokens,
          &TokenBudgetConfig::maxBatchSize);
  s.field("batch.tokens.required_microbatches_of_same_size", "Token budget: equal sizes", {.advanced = true},
          "Give all packs of one global batch the same number of sequences. Off: each pack is filled up to the token "
          "budget.",
          batch, tokens, &TokenBudgetConfig::requiredMicrobatchesOfSameSize);
  s.field("batch.tokens.required_microbatches_of_same_seqlen", "Token budget: equal lengths", {.advanced = true},
          "Count the packs of one global batch as padded to equal lengths in the plan's figures. The computation is "
          "unpadded either way.",
          batch, tokens, &TokenBudgetConfig::requiredMicrobatchesOfSameSeqlen);
  s.field(
      "batch.tokens.packing", "Token budget: packing", {},
      "in_order fills pack after pack; best_fit puts each sequence where the least room is left, for a higher fill.",
      batch, tokens, &TokenBudgetConfig::packing);
  s.field("batch.tokens.count", "Token budget: counted tokens", {.advanced = true},
          "What the budget counts: real tokens, or sequences x longest as a padding trainer would.", batch, tokens,
          &TokenBudgetConfig::count);
  s.field("batch.tokens.on_small_pack", "Token budget: small packs", {.advanced = true},
          "Whether a pack below min_batch_size is trained on or left out and listed.", batch, tokens,
          &TokenBudgetConfig::onSmallPack);
  s.field("batch.tokens.metrics_path", "Token budget: cached lengths", {.advanced = true},
          "File with the length of each sample, ending with .u16 or .u32, or a folder (lengths.u32 in it), relative to "
          "this file. Created from the data if missing, otherwise compared with the data. The commands preview and "
          "batches read it instead of the text.",
          batch, tokens, &TokenBudgetConfig::metricsPath);
}

}  // namespace batchwise::config
