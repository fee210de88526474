// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/exchange/model_shape.h"

namespace batchwise {

/// What one device computes in one pass.
struct PassSize {
  std::int64_t sequences = 1;
  std::int64_t tokens = 1;     ///< of all sequences together
  std::int64_t predicted = 1;  ///< of them; the head computes no others
};

/// How it is computed.
struct PassKind {
  bool onGpu = false;
  std::int64_t bytesPerNumber = 4;  ///< of an activation: 4 in fp32 and tf32, 2 in bf16 and fp16
  bool recompute = false;           ///< activation checkpointing
};

/// Bytes of tensors on one device in the moment of a training step that takes most.
struct TrainingMemory {
  std::int64_t weights = 0;      ///< fp32
  std::int64_t gradients = 0;    ///< fp32
  std::int64_t moments = 0;      ///< of AdamW, two of fp32; it works in place and needs nothing else
  std::int64_t copies = 0;       ///< of the matrices in bf16 or fp16; 0 in fp32
  std::int64_t activations = 0;  ///< what the encoder keeps for the backward pass, and the tokens themselves
  std::int64_t head = 0;         ///< what the head holds: predicted tokens, a chunk of logits, the decoder's gradient
  std::int64_t work = 0;         ///< gradients on their way through a layer, and that of one weight matrix

  /// What stays between steps.
  std::int64_t resident() const { return weights + gradients + moments + copies; }
  std::int64_t total() const { return resident() + activations + head + work; }
};

/// The largest memory of a training step, from what BertModel, its backend and AdamW keep (core/model, core/optim).
/// With n tokens, p of them predicted, h features, i within the feed-forward half, v words, a heads, e bytes per number
/// and w parameters, these are there:
///
///   always       4w weights, 4w gradients, 8w moments; in 16 bits a copy of each matrix, 2 bytes per number
///   tokens       24n + 24p
///   embeddings   n (4h + eh + 8): sum in fp32, output, mean and deviation
///   a layer      n (e (8h + 2i) + 16 + 4a): queries, keys and values 3h, attention h, two sums and two norms 4h, the
///                activation and its slope 2i; statistics of the norms; log-sums of attention
///   last layer   keys and values n e 2h; the rest for p rows only
///   head         p (e 2h + 8): slope and sum of the transform
///
/// With recompute a layer keeps n e h (norm: pre twice that) instead, the last one apart. The moments that are
/// compared:
///
///   head         everything is kept; the gradients of the head's input and of its matrix, 4vh; forward a chunk of
///                logits (in 16 bits also the matrix' gradient of the chunk), backward both gradients again, scaled
///   a layer      backward, of the last layer and of the one below, whose rows are all tokens: what is still kept, the
///                gradients that one of its operations reads and writes, and 4vh of the decoder if it is the word
///                embedding, too. Of the feed-forward half they are e (2h + i) a row and 4hi of the matrix; of a norm
///                3eh a row; of attention 5eh a row
///
/// Left out is what has less than a number per token: biases, sequence starts. Within 5 % of StepProbe on the processor
/// (tests/train/training_memory_test.cpp). Of a GPU the work areas of cuBLAS are added, and for attention what makes
/// its gradient repeatable, as their sources have it; not the logits that attention_logit_l2 holds there. That part has
/// not been measured: tests/bench/gpu prints it beside the probes. Sizes above 0; sums beyond 2^53 are told as that.
/// Pure.
TrainingMemory trainingMemory(const ModelShape& shape, const PassKind& kind, const PassSize& size);

}  // namespace batchwise
