// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/choice.h"

// The choices of the configuration: fields with a fixed set of values.

namespace batchwise {

enum class ModelPreset { Tiny, Mini, Small, Base, Large };
template <>
inline constexpr auto kChoiceNames<ModelPreset> = namesInFiles("tiny", "mini", "small", "base", "large");

/// A published size of BERT; the feed-forward width is 4 x hiddenSize.
struct PresetSizes {
  std::int64_t layers, hiddenSize, heads;
};
/// Source: Turc et al. 2019 (the smaller models), Devlin et al. 2019 (base, large).
constexpr PresetSizes sizesOf(ModelPreset preset) {
  constexpr PresetSizes kSizes[] = {{2, 128, 2}, {4, 256, 4}, {4, 512, 8}, {12, 768, 12}, {24, 1024, 16}};
  return kSizes[static_cast<std::size_t>(preset)];
}

enum class Activation { Gelu, GeluTanh, Relu };
template <>
inline constexpr auto kChoiceNames<Activation> = namesInFiles("gelu", "gelu_new", "relu");

/// Where the layer norms stand: after each sublayer, as in BERT, or before it.
enum class NormPlacement { Post, Pre };
template <>
inline constexpr auto kChoiceNames<NormPlacement> = namesInFiles("post", "pre");

/// Layout of documents in the text files.
enum class TextFormat {
  Text,   ///< documents separated by blank lines
  Lines,  ///< one document per line
  Jsonl,  ///< one JSON object per line; the text is one of its string fields
  Demo,   ///< no files: a generated corpus
};
template <>
inline constexpr auto kChoiceNames<TextFormat> = namesInFiles("text", "lines", "jsonl", "demo");

enum class RampGrowth { Doubling, Linear };
template <>
inline constexpr auto kChoiceNames<RampGrowth> = namesInFiles("doubling", "linear");

enum class GrowthBound { DeviceMaximum, None };
template <>
inline constexpr auto kChoiceNames<GrowthBound> = namesInFiles("device_maximum", "none");

enum class SizeRounding { None, PowerOfTwo };
template <>
inline constexpr auto kChoiceNames<SizeRounding> = namesInFiles("none", "power_of_two");

/// The order in which sequences are offered to the packs: the epoch's, a random one, or by length.
enum class PickingOrder { DataLoader, Random, BySize };
template <>
inline constexpr auto kChoiceNames<PickingOrder> = namesInFiles("dataloader", "random", "seqlen");

enum class PackMethod { InOrder, BestFit };
template <>
inline constexpr auto kChoiceNames<PackMethod> = namesInFiles("in_order", "best_fit");

/// What a token budget counts: tokens, or rows x longest.
enum class PackCount { Real, Padded };
template <>
inline constexpr auto kChoiceNames<PackCount> = namesInFiles("real", "padded");

enum class SmallPacks { Keep, Discard };
template <>
inline constexpr auto kChoiceNames<SmallPacks> = namesInFiles("keep", "discard");

enum class OptimizerName { AdamW };
template <>
inline constexpr auto kChoiceNames<OptimizerName> = namesInFiles("adamw");

/// The shape of a warm-up or cool-down.
enum class RampShape { Linear, Cosine };
template <>
inline constexpr auto kChoiceNames<RampShape> = namesInFiles("linear", "cosine");

/// Whether the first global batch of a warm-up of n has the factor 0 or 1/n.
enum class WarmupStart { Zero, One };
template <>
inline constexpr auto kChoiceNames<WarmupStart> = namesInFiles("zero", "one");

enum class LrScalingMethod { None, Linear, Sqrt };
template <>
inline constexpr auto kChoiceNames<LrScalingMethod> = namesInFiles("none", "linear", "sqrt");

enum class StepSizeUnit { Samples, Tokens };
template <>
inline constexpr auto kChoiceNames<StepSizeUnit> = namesInFiles("samples", "tokens");

/// Causes of an unusual step size.
enum class StepSizeCause { Tokens, Growth, Rampup, Last };
template <>
inline constexpr auto kChoiceNames<StepSizeCause> = namesInFiles("tokens", "growth", "rampup", "last");

/// Number format of computations. Weights, moments and accumulated gradients are always fp32. Tf32: fp32 with matrix
/// products rounded to 10 mantissa bits on GPUs; equals Fp32 elsewhere.
enum class Precision { Fp32, Tf32, Bf16, Fp16 };
template <>
inline constexpr auto kChoiceNames<Precision> = namesInFiles("fp32", "tf32", "bf16", "fp16");

/// A result of an evaluation.
enum class EvalMetric { Loss, Perplexity, Accuracy };
template <>
inline constexpr auto kChoiceNames<EvalMetric> = namesInFiles("eval.loss", "eval.perplexity", "eval.accuracy");

/// What a guard does when it fires.
enum class GuardAction {
  Off,
  Note,      ///< reports it, as all of those below do
  Pause,     ///< pauses until the user continues
  Stop,      ///< ends the run, with a checkpoint
  Skip,      ///< skips the optimizer step
  RollBack,  ///< restores the last good checkpoint and skips the data since
};
template <>
inline constexpr auto kChoiceNames<GuardAction> = namesInFiles("off", "note", "pause", "stop", "skip", "roll_back");

enum class LaunchTarget { Local };
template <>
inline constexpr auto kChoiceNames<LaunchTarget> = namesInFiles("local");

/// Whether a run is recorded in a journal instead of the database. Auto: if the workspace is on a network file system
/// and in use by another machine.
enum class JournalUse { Auto, Always, Never };
template <>
inline constexpr auto kChoiceNames<JournalUse> = namesInFiles("auto", "always", "never");

}  // namespace batchwise
