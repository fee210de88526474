// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/published_ramps.h"

#include <algorithm>
#include <cmath>

namespace batchwise {
namespace {

/// Returns a share of a run with four digits.
Time shareOf(double part, double whole) {
  return Time::duration(std::round(part / whole * 1e4) / 1e4);
}

LrScalingConfig rootOfTheSize(std::int64_t reference) {
  LrScalingConfig scaling;
  scaling.method = LrScalingMethod::Sqrt;
  scaling.appliesTo = {StepSizeCause::Rampup};
  scaling.referenceBatchSize = reference;
  return scaling;
}

}  // namespace

const std::vector<PublishedRamp>& publishedRamps() {
  static const std::vector<PublishedRamp> kRamps = {
      {.name = "gpt-3",
       .label = "GPT-3",
       .source = "Brown et al. 2020, arXiv 2005.14165",
       .text = "32k to 3.2M tokens, linear over the first 12B of 300B tokens; here in ten stages",
       .tokens = 300,
       .levels = {{0, 0.032}, {12, 3.2}},
       .increment = 0.32},
      {.name = "nemotron-4",
       .label = "Nemotron-4 15B",
       .source = "Parmar et al. 2024, arXiv 2402.16819",
       .text = "384 sequences for 200B, 768 for 200B, 1152 for the rest of 8T tokens",
       .tokens = 8000,
       .levels = {{0, 384}, {200, 768}, {400, 1152}}},
      {.name = "deepseek-v2",
       .label = "DeepSeek-V2",
       .source = "DeepSeek-AI 2024, arXiv 2405.04434",
       .text = "2304 to 9216 sequences over the first 225B of 8.1T tokens; here in stages of 2304",
       .tokens = 8100,
       .levels = {{0, 2304}, {225, 9216}},
       .increment = 2304},
      {.name = "modernbert-base",
       .label = "ModernBERT base",
       .source = "Warner et al. 2024, arXiv 2412.13663",
       .text = "768 to 4608 sequences over the first 50B of 2T tokens, with equal steps for each size",
       .tokens = 2000,
       .levels = {{0, 768}, {50, 4608}},
       .increment = 768,
       .spacing = RampSpacing::Steps},
      {.name = "modernbert-large",
       .label = "ModernBERT large",
       .source = "Warner et al. 2024, arXiv 2412.13663",
       .text = "448 to 4928 sequences over the first 10B of 2T tokens, with equal steps for each size",
       .tokens = 2000,
       .levels = {{0, 448}, {10, 4928}},
       .increment = 448,
       .spacing = RampSpacing::Steps},
      {.name = "deepseek-v3",
       .label = "DeepSeek-V3",
       .source = "DeepSeek-AI 2024, arXiv 2412.19437",
       .text = "3072 to 15360 sequences over the first 469B of 14.8T tokens; here in stages of 3072",
       .tokens = 14800,
       .levels = {{0, 3072}, {469, 15360}},
       .increment = 3072},
      {.name = "minimax-01",
       .label = "MiniMax-01",
       .source = "MiniMax 2025, arXiv 2501.08313",
       .text = "16M tokens, 32M from 69B, 64M from 790B, 128M from 4.7T of 11.4T tokens, by a law of loss and critical "
               "batch",
       .tokens = 11400,
       .levels = {{0, 16}, {69, 32}, {790, 64}, {4700, 128}}},
      {.name = "olmo-critical-batch",
       .label = "OLMo 1B, by its critical batch",
       .source = "Merrill et al. 2025, arXiv 2505.23971",
       .text = "1024 sequences, 2048 from 168B, 4096 from 503B of 658B tokens; the rate follows the square root",
       .tokens = 658,
       .levels = {{0, 1024}, {168, 2048}, {503, 4096}},
       .scalesRate = true},
  };
  return kRamps;
}

const PublishedRamp* findPublishedRamp(const std::string& name) {
  const auto& ramps = publishedRamps();
  const auto found = std::ranges::find(ramps, name, &PublishedRamp::name);
  return found == ramps.end() ? nullptr : &*found;
}

void applyPublishedRamp(const PublishedRamp& ramp, TrainConfig& config) {
  BatchConfig& batch = config.batch;
  if (!batch.rampup.stages.empty()) batch.globalTrainBatchSize = batch.rampup.stages.back().globalTrainBatchSize;
  const double perUnit = static_cast<double>(batch.globalTrainBatchSize) / ramp.levels.back().size;
  const auto scaled = [&](double size) { return std::max<std::int64_t>(1, std::llround(size * perUnit)); };
  // What came with another of these ramps goes with it.
  if (const auto& stages = batch.rampup.stages;
      !stages.empty() && config.lrScaling == rootOfTheSize(stages.front().globalTrainBatchSize))
    config.lrScaling = {};
  batch.rampup = {};
  if (ramp.increment > 0) {
    batch.rampup.duration = shareOf(ramp.levels.back().from, ramp.tokens);
    batch.rampup.initialGlobalTrainBatchSize = scaled(ramp.levels.front().size);
    batch.rampup.growth = RampGrowth::Linear;
    batch.rampup.increment = scaled(ramp.increment);
    batch.rampup.spacing = ramp.spacing;
  } else {
    for (const PublishedRamp::Level& level : ramp.levels)
      if (batch.rampup.stages.empty() || scaled(level.size) > batch.rampup.stages.back().globalTrainBatchSize)
        batch.rampup.stages.push_back({shareOf(level.from, ramp.tokens), scaled(level.size)});
  }
  if (ramp.scalesRate) config.lrScaling = rootOfTheSize(scaled(ramp.levels.front().size));
}

}  // namespace batchwise
