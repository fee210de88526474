// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/choice.h"

// The choices of the configuration: fields with a fixed set of values.

namespace batchwise {

/// Labels of an enum's values in the form, in the order of the values; a field of that enum needs them.
template <Choice E>
inline constexpr int kChoiceLabels = 0;

/// Architecture of the encoder; the choices of each are a table in core/model/shape/model_shape.h. XlmRoberta differs
/// from Roberta in its vocabulary only.
enum class ModelFamily { Bert, Roberta, XlmRoberta, ModernBert, EuroBert, NeoBert };
template <>
inline constexpr auto kChoiceNames<ModelFamily> = namesInFiles("bert", "roberta", "xlm-roberta", "modernbert",
                                                               "eurobert", "neobert");
template <>
inline constexpr auto kChoiceLabels<ModelFamily> = namesInFiles("BERT", "RoBERTa", "XLM-RoBERTa", "ModernBERT",
                                                                "EuroBERT", "NeoBERT");

/// Named sizes of a model; sizesOf() in core/config/model_presets.h.
enum class ModelPreset { Tiny, Mini, Small, Base, Large, Euro210M, Euro610M, Euro2B };
template <>
inline constexpr auto kChoiceNames<ModelPreset> = namesInFiles("tiny", "mini", "small", "base", "large", "210m", "610m",
                                                               "2.1b");
template <>
inline constexpr auto kChoiceLabels<ModelPreset> = kChoiceNames<ModelPreset>;

enum class Activation { Gelu, GeluTanh, Relu, Silu };
template <>
inline constexpr auto kChoiceNames<Activation> = namesInFiles("gelu", "gelu_new", "relu", "silu");
template <>
inline constexpr auto kChoiceLabels<Activation> = namesInFiles("GELU", "GELU, tanh form", "ReLU", "SiLU");

/// Where the norms stand: after each sublayer, as in BERT, or before it.
enum class NormPlacement { Post, Pre };
template <>
inline constexpr auto kChoiceNames<NormPlacement> = namesInFiles("post", "pre");
template <>
inline constexpr auto kChoiceLabels<NormPlacement> = namesInFiles("After each sublayer", "Before each sublayer");

/// Whether the output layer has weights of its own or those of the word embeddings.
enum class WeightTying { Untied, Tied };
template <>
inline constexpr auto kChoiceNames<WeightTying> = namesInFiles("false", "true");
template <>
inline constexpr auto kChoiceLabels<WeightTying> = namesInFiles("No", "Yes");

enum class TokenizerKind { WordPiece, ByteBpe };
template <>
inline constexpr auto kChoiceNames<TokenizerKind> = namesInFiles("wordpiece", "byte_bpe");
template <>
inline constexpr auto kChoiceLabels<TokenizerKind> = namesInFiles("WordPiece", "Byte-level BPE");

/// What is masked together: single tokens, or all tokens of a word.
enum class MaskUnit { Tokens, WholeWords };
template <>
inline constexpr auto kChoiceNames<MaskUnit> = namesInFiles("tokens", "whole_words");
template <>
inline constexpr auto kChoiceLabels<MaskUnit> = namesInFiles("Single tokens", "Whole words");

/// Layout of documents in the text files.
enum class TextFormat {
  Text,     ///< documents separated by blank lines
  Lines,    ///< one document per line
  Jsonl,    ///< one JSON object per line; the text is one of its string fields
  Csv,      ///< one row of comma- or tab-separated values; the text is one of its columns
  Parquet,  ///< one row of a Parquet or Arrow file; likewise
  Mds,      ///< one sample of a shard of MosaicML Streaming; likewise
  Demo,     ///< no files: a generated corpus
};
template <>
inline constexpr auto kChoiceNames<TextFormat> = namesInFiles("text", "lines", "jsonl", "csv", "parquet", "mds",
                                                              "demo");
template <>
inline constexpr auto kChoiceLabels<TextFormat> = namesInFiles("By blank lines", "One per line",
                                                               "One JSON object per line", "One row of a CSV file",
                                                               "One row of a Parquet or Arrow file",
                                                               "One sample of an MDS shard", "Generated text");
/// Whether files of the format are no text, but have columns of text.
constexpr bool isTableFormat(TextFormat format) {
  return format == TextFormat::Parquet || format == TextFormat::Mds;
}
/// Whether data.text_field says where the text of a document is.
constexpr bool namesTextField(TextFormat format) {
  return format == TextFormat::Jsonl || format == TextFormat::Csv || isTableFormat(format);
}

enum class RampGrowth { Doubling, Linear };
template <>
inline constexpr auto kChoiceNames<RampGrowth> = namesInFiles("doubling", "linear");
template <>
inline constexpr auto kChoiceLabels<RampGrowth> = namesInFiles("Doubling", "Linear");

/// What the stages of a ramp have in equal numbers.
enum class RampSpacing { Samples, Steps };
template <>
inline constexpr auto kChoiceNames<RampSpacing> = namesInFiles("samples", "steps");
template <>
inline constexpr auto kChoiceLabels<RampSpacing> = namesInFiles("Equal samples", "Equal optimizer steps");

enum class GrowthBound { DeviceMaximum, None };
template <>
inline constexpr auto kChoiceNames<GrowthBound> = namesInFiles("device_maximum", "none");
template <>
inline constexpr auto kChoiceLabels<GrowthBound> = namesInFiles("Largest without accumulation", "No bound");

/// Rules of growth, which stand for an expression; see growthExpression() in core/plan/growth.h.
enum class GrowthPreset { None, DoubleAtEpochs, NormTest, DiveBatch, McCandlish, Accordion, CriticalBatch };
template <>
inline constexpr auto kChoiceNames<GrowthPreset> = namesInFiles("none", "double_at_epochs", "norm_test", "divebatch",
                                                                "mccandlish", "accordion", "critical_batch");
template <>
inline constexpr auto kChoiceLabels<GrowthPreset> = namesInFiles("None", "Double at epochs", "Norm test", "DiveBatch",
                                                                 "McCandlish", "Accordion", "Critical batch size");

enum class SizeRounding { None, PowerOfTwo };
template <>
inline constexpr auto kChoiceNames<SizeRounding> = namesInFiles("none", "power_of_two");
template <>
inline constexpr auto kChoiceLabels<SizeRounding> = namesInFiles("No rounding", "Power of two");

/// The order in which sequences are offered to the packs: the epoch's, a random one, or by length.
enum class PickingOrder { DataLoader, Random, BySize };
template <>
inline constexpr auto kChoiceNames<PickingOrder> = namesInFiles("dataloader", "random", "seqlen");
template <>
inline constexpr auto kChoiceLabels<PickingOrder> = namesInFiles("Order of the epoch", "Random order", "By length");

enum class PackMethod { InOrder, BestFit };
template <>
inline constexpr auto kChoiceNames<PackMethod> = namesInFiles("in_order", "best_fit");
template <>
inline constexpr auto kChoiceLabels<PackMethod> = namesInFiles("In order", "Best fit");

/// What a token budget counts: tokens, or rows x longest.
enum class PackCount { Real, Padded };
template <>
inline constexpr auto kChoiceNames<PackCount> = namesInFiles("real", "padded");
template <>
inline constexpr auto kChoiceLabels<PackCount> = namesInFiles("Real tokens", "Padded tokens");

enum class SmallPacks { Keep, Discard };
template <>
inline constexpr auto kChoiceNames<SmallPacks> = namesInFiles("keep", "discard");
template <>
inline constexpr auto kChoiceLabels<SmallPacks> = namesInFiles("Train on it", "Leave it out");

/// StableAdamW: AdamW with the update clipping of Adafactor (Wortsman et al. 2023).
enum class OptimizerName { AdamW, StableAdamW };
template <>
inline constexpr auto kChoiceNames<OptimizerName> = namesInFiles("adamw", "stable_adamw");
template <>
inline constexpr auto kChoiceLabels<OptimizerName> = namesInFiles("AdamW", "StableAdamW");

/// The shape of a warm-up or cool-down.
enum class RampShape { Linear, Cosine };
template <>
inline constexpr auto kChoiceNames<RampShape> = namesInFiles("linear", "cosine");
template <>
inline constexpr auto kChoiceLabels<RampShape> = namesInFiles("Linear", "Cosine");

/// The shape of the decay of warmup_stable_decay.
enum class DecayShape { Linear, Cosine, OneMinusSqrt };
template <>
inline constexpr auto kChoiceNames<DecayShape> = namesInFiles("linear", "cosine", "1-sqrt");
template <>
inline constexpr auto kChoiceLabels<DecayShape> = namesInFiles("Linear", "Cosine", "1 − square root");

/// Whether the first global batch of a warm-up of n has the factor 0 or 1/n.
enum class WarmupStart { Zero, One };
template <>
inline constexpr auto kChoiceNames<WarmupStart> = namesInFiles("zero", "one");
template <>
inline constexpr auto kChoiceLabels<WarmupStart> = namesInFiles("0", "1/n");

/// The rate of the steps of one global batch: that of its start, or on the line to that of the next one.
enum class WithinBatch { Hold, Interpolate };
template <>
inline constexpr auto kChoiceNames<WithinBatch> = namesInFiles("hold", "interpolate");
template <>
inline constexpr auto kChoiceLabels<WithinBatch> = namesInFiles("Of its start", "Changes with each step");

enum class LrScalingMethod { None, Linear, Sqrt, Power };
template <>
inline constexpr auto kChoiceNames<LrScalingMethod> = namesInFiles("none", "linear", "sqrt", "power");
template <>
inline constexpr auto kChoiceLabels<LrScalingMethod> = namesInFiles("None", "Linear", "Square root", "Power");

/// What keeps its weight decay where the batch size changes: a step, or a token.
enum class WeightDecayClock { Steps, Tokens };
template <>
inline constexpr auto kChoiceNames<WeightDecayClock> = namesInFiles("steps", "tokens");
template <>
inline constexpr auto kChoiceLabels<WeightDecayClock> = namesInFiles("Steps", "Tokens");

enum class StepSizeUnit { Samples, Tokens };
template <>
inline constexpr auto kChoiceNames<StepSizeUnit> = namesInFiles("samples", "tokens");
template <>
inline constexpr auto kChoiceLabels<StepSizeUnit> = namesInFiles("Samples", "Tokens");

/// Causes of an unusual step size.
enum class StepSizeCause { Tokens, Growth, Rampup, Last };
template <>
inline constexpr auto kChoiceNames<StepSizeCause> = namesInFiles("tokens", "growth", "rampup", "last");

/// Number format of computations. Weights, moments and accumulated gradients are always fp32. Tf32: fp32 with matrix
/// products rounded to 10 mantissa bits on GPUs; equals Fp32 elsewhere.
enum class Precision { Fp32, Tf32, Bf16, Fp16 };
template <>
inline constexpr auto kChoiceNames<Precision> = namesInFiles("fp32", "tf32", "bf16", "fp16");
template <>
inline constexpr auto kChoiceLabels<Precision> = kChoiceNames<Precision>;

/// A result of an evaluation.
enum class EvalMetric { Loss, Perplexity, Accuracy };
template <>
inline constexpr auto kChoiceNames<EvalMetric> = namesInFiles("eval.loss", "eval.perplexity", "eval.accuracy");
template <>
inline constexpr auto kChoiceLabels<EvalMetric> = namesInFiles("Evaluation loss", "Evaluation perplexity",
                                                               "Evaluation accuracy");

/// What a task asks of a model.
enum class TaskKind {
  Classification,
  Regression,
  Pair,         ///< two texts: a class, or with pearson and spearman a number
  TokenLabels,  ///< a class of each word
  Retrieval,    ///< which documents answer a query
};
template <>
inline constexpr auto kChoiceNames<TaskKind> = namesInFiles("classification", "regression", "pair", "token_labels",
                                                            "retrieval");

enum class TaskMetric { Accuracy, F1, Matthews, Pearson, Spearman, NdcgAt10 };
template <>
inline constexpr auto kChoiceNames<TaskMetric> = namesInFiles("accuracy", "f1", "matthews", "pearson", "spearman",
                                                              "ndcg_at_10");

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
template <>
inline constexpr auto kChoiceLabels<GuardAction> = namesInFiles("Off", "Note", "Pause", "Stop", "Skip the step",
                                                                "Roll back");

/// How the noise scale of the gradient is measured. Auto: from micro-batches where every step has several.
enum class NoiseScaleMode { Off, Auto, Microbatches, Examples };
template <>
inline constexpr auto kChoiceNames<NoiseScaleMode> = namesInFiles("off", "auto", "microbatches", "examples");
template <>
inline constexpr auto kChoiceLabels<NoiseScaleMode> = namesInFiles("Off", "Automatic", "From micro-batches",
                                                                   "From single samples");

/// Whether a run is recorded in a journal instead of the database. Auto: if the workspace is on a network file system
/// and in use by another machine.
enum class JournalUse { Auto, Always, Never };
template <>
inline constexpr auto kChoiceNames<JournalUse> = namesInFiles("auto", "always", "never");
template <>
inline constexpr auto kChoiceLabels<JournalUse> = namesInFiles("auto", "Always", "Never");

}  // namespace batchwise
