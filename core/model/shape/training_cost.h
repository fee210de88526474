// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/model/shape/model_shape.h"

namespace batchwise {

// What training a model takes: operations and memory.

/// Floating-point operations of training: the model's matrix products, forward and backward. Excludes recomputation,
/// padding, norms, biases and the optimizer.
struct TrainingCost {
  double perToken = 0;           ///< in layer weights
  double perTokenAndLength = 0;  ///< attention to all keys: multiplied by the sequence length
  double perTokenAndKey = 0;     ///< attention to a window: multiplied by the mean number of keys
  std::int64_t window = -1;      ///< distance of the keys of a window; -1: no layer has one
  double perPredicted = 0;       ///< in the MLM head
  double predictedShare = 0;  ///< share of tokens that pass the MLM head, where it does not change; special ones do not

  /// Returns the operations for `tokens` in `samples` sequences, assumed equally long (unequal lengths cost slightly
  /// more), of which `share` of all but [CLS] and [SEP] is predicted.
  double operations(double tokens, double samples, double share) const;
  double operations(double tokens, double samples) const { return operations(tokens, samples, predictedShare); }
  /// Returns the operations of a token without attention.
  double perTokenWithHead() const { return perToken + perPredicted * predictedShare; }
  bool known() const { return perToken > 0; }
};

/// Counts a multiply-add as two operations, and the backward pass as twice the forward pass: 6 per weight and token, 12
/// x layers x hidden size x keys for attention. Source: Kaplan et al. 2020, section 2.1; attention after Chowdhery et
/// al. 2022 (PaLM), appendix B.
TrainingCost trainingCost(const ModelShape& shape, double predictedShare);

/// Stores the cost among the resolved values of a run.
void storeTrainingCost(const TrainingCost& cost, std::map<std::string, std::string>& values);
/// Inverse of storeTrainingCost(); zero if the values are missing.
TrainingCost storedTrainingCost(const std::map<std::string, std::string>& values);

/// Returns the number of pairs of a query and a key in a sequence with a distance of at most `window`; -1: all pairs.
double attendedPairs(double length, std::int64_t window);

struct PassSize {
  std::int64_t sequences = 1;
  std::int64_t tokens = 1;     ///< in all sequences
  std::int64_t predicted = 1;  ///< tokens that pass the MLM head
};

struct PassKind {
  bool onGpu = false;
  std::int64_t bytesPerNumber = 4;  ///< per activation element: 4 in fp32 and tf32, 2 in bf16 and fp16
  bool recompute = false;           ///< activation checkpointing
};

/// Bytes of tensors on one device at the peak of a training step.
struct TrainingMemory {
  std::int64_t weights = 0;      ///< fp32
  std::int64_t gradients = 0;    ///< fp32
  std::int64_t moments = 0;      ///< two AdamW moments in fp32, updated in place
  std::int64_t copies = 0;       ///< bf16 or fp16 copies of the matrices; tables of rotary positions
  std::int64_t activations = 0;  ///< saved for backward by the encoder, and the token ids
  std::int64_t head = 0;         ///< MLM head: predicted tokens, a chunk of logits, the decoder's gradient
  std::int64_t work = 0;         ///< gradients within a layer, and of one weight matrix

  /// Returns the bytes that stay allocated between steps.
  std::int64_t resident() const { return weights + gradients + moments + copies; }
  std::int64_t total() const { return resident() + activations + head + work; }
};

/// Computes the peak memory of a training step from what EncoderModel, its backend and AdamW allocate (in
/// core/model). With n tokens, p of them predicted, h features, i intermediate features, v vocabulary entries, a heads,
/// e bytes per element and w parameters:
///
///   always       4w weights, 4w gradients, 8w moments; in 16 bits a copy of each matrix, 2 bytes per element;
///                tables of rotary positions
///   tokens       24n + 24p
///   embeddings   n (4h + eh + 8): sum in fp32, output, mean and deviation; without a norm n e h
///   a layer      n (e (8h + 2i) + 16 + 4a): queries, keys and values 3h, attention h, two sums and two norms 4h,
///                activation and its slope 2i; statistics of the norms; log-sums of attention
///   last layer   keys and values n e 2h; the rest for p rows only
///   head         p (e 2h + 8): slope and sum of the transform, if there is one
///
/// Grouped keys and values take their own size in place of h. A gated feed-forward part takes 3i: the activation and
/// the factors of both halves.
///
/// With recompute all layers but the last save only n e h (norm: pre twice that). Compared points in time:
///
///   head         everything is saved; gradients of the head's input and of its matrix, 4vh; forward a chunk of
///                logits (in 16 bits also the matrix gradient of the chunk), backward both gradients again, scaled
///   a layer      backward of the last layer, and of the one below, whose rows are all tokens: what is still saved,
///                the gradients read and written by one operation, and 4vh of a tied decoder. The feed-forward half
///                needs e (2h + i) per row and 4hi for the matrix; a norm 3eh per row; attention 5eh per row
///
/// Ignores everything below one number per token (biases, sequence starts). Within 5 % of StepProbe on the CPU
/// (tests/train/training_memory_test.cpp). On a GPU adds the cuBLAS workspaces and the buffers of deterministic
/// attention gradients, as in their sources, but not the logits saved for attention_logit_l2; that part has not been
/// measured (tests/bench/gpu prints it beside the probes). Requires sizes above 0; results are capped at 2^53.
TrainingMemory trainingMemory(const ModelShape& shape, const PassKind& kind, const PassSize& size);

}  // namespace batchwise
