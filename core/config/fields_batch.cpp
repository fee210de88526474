// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>
#include <vector>

#include "core/config/messages.h"
#include "core/config/schema_builder.h"

// Declares the fields of the batch size: fixed size, ramp, growth and token budget.

namespace batchwise::config {
namespace {

/// Far above any sensible size; products of two or three sizes fit 64 bits.
constexpr double kLargestSize = 1099511627776.0;  // 2^40

void declareBatch(SchemaBuilder& s) {
  constexpr auto batch = &TrainConfig::batch;
  s.field("batch.global_train_batch_size", batch, &BatchConfig::globalTrainBatchSize)
      .min(1)
      .max(kLargestSize)
      .unit(messages::unitSamples())
      .help(
          "Samples of one global batch over all devices, the unit of logging, schedules and checkpoints. With "
          "batch.tokens: packs.");
  s.field("batch.device_train_microbatch_size", batch, &BatchConfig::deviceTrainMicrobatchSize)
      .min(1)
      .max(kLargestSize)
      .unit(messages::unitSamples())
      .help(
          "Samples that one device computes at once; the rest is accumulated, with the same result. auto finds the "
          "largest that fits into memory.");
  s.field("batch.round", batch, &BatchConfig::round)
      .choices({"none", "power_of_two"})
      .advanced()
      .help("Whether auto rounds the micro-batch down to a power of two.");
  s.field("batch.reserve", batch, &BatchConfig::reserve)
      .min(0)
      .max(0.9)
      .advanced()
      .help("Share of the memory limit that auto leaves free.");
  s.field("batch.use_maximum_batch_size", batch, &BatchConfig::useMaximumBatchSize)
      .advanced()
      .help("The global batch is the largest micro-batch that fits, times devices.");

  constexpr auto rampup = &BatchConfig::rampup;
  s.field("batch.rampup.duration", batch, rampup, &RampupConfig::duration)
      .units(scheduleUnits())
      .min(0)
      .empty("none")
      .help(
          "How long the batch size grows. Until then each global batch is cut into smaller optimizer steps, so the "
          "clock and the data stay the same.");
  s.field("batch.rampup.initial_global_train_batch_size", batch, rampup, &RampupConfig::initialGlobalTrainBatchSize)
      .min(1)
      .max(kLargestSize)
      .unit(messages::unitSamples())
      .help("Step size at the start of the ramp. auto: devices x micro-batch, the least that needs no accumulation.");
  s.field("batch.rampup.growth", batch, rampup, &RampupConfig::growth)
      .choices({"doubling", "linear"})
      .help("doubling: each stage has twice the step size of the one before; linear: it grows by increment.");
  s.field("batch.rampup.increment", batch, rampup, &RampupConfig::increment)
      .min(1)
      .max(kLargestSize)
      .unit(messages::unitSamples())
      .help("Growth per stage of a linear ramp. auto: one micro-batch per device.");
  s.field("batch.rampup.stages", batch, rampup, &RampupConfig::stages)
      .help(
          "The ramp as an explicit table, in place of duration: when each stage begins and its step size; the last one "
          "is the global batch.");

  constexpr auto growth = &BatchConfig::growth;
  s.field("batch.growth.increase_function", batch, growth, &GrowthConfig::increaseFunction)
      .help(
          "Expression for the new global batch size, over epoch, current_batch_size, loss and noise_scale, such as "
          "epoch % 3 == 0 ? current_batch_size * 2 : current_batch_size. Empty: no growth.");
  s.field("batch.growth.batch_increase_function", batch, growth, &GrowthConfig::batchIncreaseFunction)
      .advanced()
      .help("The same, but the expression gives the increment, as torchtune proposed. Give one of the two.");
  s.field("batch.growth.every", batch, growth, &GrowthConfig::every)
      .units(scheduleUnits())
      .above(0)
      .help("How often growth is asked, first after the ramp.");
  s.field("batch.growth.bound", batch, growth, &GrowthConfig::bound)
      .choices({"device_maximum", "none"})
      .help(
          "device_maximum stops growth at devices x largest micro-batch, with a note; none lets accumulation take the "
          "rest.");
  s.field("batch.growth.allow_decrease", batch, growth, &GrowthConfig::allowDecrease)
      .advanced()
      .help("Lets the expression make the batch smaller. Off: a smaller answer is raised to the size in use.");

  constexpr auto tokens = &BatchConfig::tokens;
  s.field("batch.tokens.max_tokens", batch, tokens, &TokenBudgetConfig::maxTokens)
      .min(1)
      .max(kLargestSize)
      .unit(messages::unitTokens())
      .empty("none")
      .help(
          "Token budget: sequences are packed until this many tokens are reached, and every size that counts samples "
          "counts packs. none: no budget.");
  s.field("batch.tokens.sequence_picking_order", batch, tokens, &TokenBudgetConfig::sequencePickingOrder)
      .choices({"dataloader", "random", "seqlen"})
      .help("In which order sequences are offered to the packs: the epoch's order, an own random order, or by length.");
  s.field("batch.tokens.min_batch_size", batch, tokens, &TokenBudgetConfig::minBatchSize)
      .min(1)
      .max(kLargestSize)
      .unit(messages::unitSequences())
      .help("A pack with fewer sequences counts as small; see on_small_pack.");
  s.field("batch.tokens.max_batch_size", batch, tokens, &TokenBudgetConfig::maxBatchSize)
      .min(0)
      .max(kLargestSize)
      .unit(messages::unitSequences())
      .empty("none")
      .help("A pack is closed at this many sequences even if tokens are left. none or 0: no limit.");
  s.field("batch.tokens.required_microbatches_of_same_size", batch, tokens,
          &TokenBudgetConfig::requiredMicrobatchesOfSameSize)
      .advanced()
      .help("The packs of one global batch have equally many sequences.");
  s.field("batch.tokens.required_microbatches_of_same_seqlen", batch, tokens,
          &TokenBudgetConfig::requiredMicrobatchesOfSameSeqlen)
      .advanced()
      .help(
          "The packs of one global batch are padded to equal lengths in the plan's figures; the computation itself is "
          "unpadded.");
  s.field("batch.tokens.packing", batch, tokens, &TokenBudgetConfig::packing)
      .choices({"in_order", "best_fit"})
      .help(
          "in_order fills pack after pack; best_fit puts each sequence where the least room is left, for a higher "
          "fill.");
  s.field("batch.tokens.count", batch, tokens, &TokenBudgetConfig::count)
      .choices({"real", "padded"})
      .advanced()
      .help("What the budget counts: real tokens, or sequences x longest as a padding trainer would.");
  s.field("batch.tokens.on_small_pack", batch, tokens, &TokenBudgetConfig::onSmallPack)
      .choices({"keep", "discard"})
      .advanced()
      .help("Whether a pack below min_batch_size is trained on or left out and listed.");
  s.field("batch.tokens.metrics_path", batch, tokens, &TokenBudgetConfig::metricsPath)
      .advanced()
      .help(
          "Where the length of each sample is kept: a file that ends with .u16 or .u32, or a folder (lengths.u32 in "
          "it), "
          "relative to this file. Made from the data when it is missing and compared with it when it is there; the "
          "commands preview and batches take it in place of the text.");
}

}  // namespace

void declareBatchFields(SchemaBuilder& s) {
  declareBatch(s);
}

}  // namespace batchwise::config
