// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/training_memory.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace batchwise {
namespace {

// Bytes are added up as doubles, exact up to 2^53: sizes that nobody trains must not overflow.
constexpr double kFloat = 4, kInt64 = 8;
constexpr double kStatistics = 2 * kFloat;  // of a normalised row: mean and deviation
// The work area that devices.cpp asks of cuBLAS, for the thread that goes forward and the one that goes backward.
constexpr double kCublas = 2 * 8 * 4096.0 * 1024;

/// What there is at some moment beside weights, gradients, moments and copies.
struct Moment {
  double activations = 0, head = 0, work = 0;
  double total() const { return activations + head + work; }
};

enum class LayerKind { Inner, Last };  ///< of the last one most is computed for the predicted tokens only

/// The symbols are those of trainingMemory().
class Pass {
 public:
  Pass(const ModelShape& shape, const PassKind& kind, const PassSize& size)
      : shape_(shape),
        gpu_(kind.onGpu),
        half_(kind.bytesPerNumber < 4),
        recompute_(kind.recompute),
        pre_(shape.norm == NormPlacement::Pre ? 1 : 0),
        dropout_(shape.hiddenDropout > 0 ? 1 : 0),
        s_(static_cast<double>(size.sequences)),
        n_(static_cast<double>(size.tokens)),
        p_(static_cast<double>(size.predicted)),
        e_(static_cast<double>(kind.bytesPerNumber)),
        h_(static_cast<double>(shape.hiddenSize)),
        i_(static_cast<double>(shape.intermediateSize)),
        eh_(e_ * h_),
        ei_(e_ * i_),
        v_(static_cast<double>(shape.vocabSize)),
        a_(static_cast<double>(shape.heads)) {}

  Moment largest() const {
    std::vector<Moment> moments = {headForward(), headBackward()};
    for (const LayerKind layer : {LayerKind::Last, LayerKind::Inner}) {
      if (layer == LayerKind::Inner && shape_.layers < 2) continue;
      for (const Moment& moment :
           {normBackward(layer), feedForwardBackward(layer), attentionBackward(layer), projectionBackward(layer)})
        moments.push_back(moment);
    }
    return *std::max_element(moments.begin(), moments.end(),
                             [](const Moment& a, const Moment& b) { return a.total() < b.total(); });
  }

  /// Of the weights, in the type of the computation.
  double copies() const {
    if (!half_) return 0;
    const double layer = 4 * h_ * h_ + 2 * h_ * i_ + 3 * h_;
    const double decoders = shape_.tieWordEmbeddings ? 1 : 2;
    return 2 * (static_cast<double>(shape_.layers) * layer + h_ * h_ + decoders * decoderRows() * h_);
  }

 private:
  double rows(LayerKind layer) const { return layer == LayerKind::Last ? p_ : n_; }
  /// Of attention in the last layer; its penalty is about all pairs of tokens.
  double queries(LayerKind layer) const { return shape_.attentionLogitL2 > 0 ? n_ : rows(layer); }
  bool replays(LayerKind layer) const { return recompute_ && layer == LayerKind::Inner; }

  double attentionKept(LayerKind layer) const {
    // Rows that are chosen of the whole are copies: what the query is made of, or with a penalty the output.
    const double chosen = layer == LayerKind::Last ? p_ * eh_ : 0;
    return 2 * n_ * eh_ + queries(layer) * (2 * eh_ + kFloat * a_) + chosen;
  }
  double halvesKept(LayerKind layer) const { return rows(layer) * (4 * eh_ + 2 * ei_ + 2 * kStatistics); }
  double layerKept(LayerKind layer) const { return attentionKept(layer) + halvesKept(layer); }

  /// Everything that is kept before `layer` begins.
  double keptBelow(LayerKind layer) const {
    const double ids = 3 * kInt64 * (n_ + p_);
    const double embeddings = n_ * (kFloat * h_ + kStatistics + eh_ + pre_ * (eh_ + kStatistics));
    const double layers = static_cast<double>(shape_.layers) - (layer == LayerKind::Last ? 1 : 2);
    return ids + embeddings + layers * (recompute_ ? (1 + pre_) * n_ * eh_ : layerKept(LayerKind::Inner));
  }
  /// What a layer that is computed again holds on to: what came out of it. The gradients of that, too, are as much.
  double replayedOutputs(LayerKind layer) const { return replays(layer) ? (1 + pre_) * n_ * eh_ : 0; }

  double decoderRows() const {
    constexpr double kStep = 64;  // see decoderRows() of the model
    return gpu_ && half_ ? std::ceil(v_ / kStep) * kStep : v_;
  }
  /// Rows of logits at a time: see decoderLoss().
  double chunkRows() const {
    const double most = gpu_ ? std::max(256.0, std::floor((1 << 28) / decoderRows()))
                             : std::max(16.0, std::floor((1 << 21) / decoderRows()));
    return std::min(most, p_);
  }
  /// The decoder's gradient in the backward pass of the layers. Where it is the word embedding's, too, it waits for the
  /// other part of that.
  double headLeft() const { return shape_.tieWordEmbeddings ? kFloat * v_ * h_ : 0; }
  double headKept() const { return p_ * (2 * eh_ + kStatistics); }
  /// The gradient of a matrix before it is added to the others: on the processor in 16 bits first.
  double matrixGradient(double numbers) const { return numbers * (half_ && !gpu_ ? kFloat + 2 : kFloat); }
  /// A sum of rows of 16 bits in fp32: the processor widens them all first.
  double widened(double numbers) const { return half_ && !gpu_ ? kFloat * numbers : 0; }
  double columnBlocks(double count) const {
    constexpr double kRowBlock = 64, kMostBlocks = 512;  // see the backends
    return gpu_ ? std::min(count, kMostBlocks) : std::ceil(count / kRowBlock);
  }

  Moment headForward() const {
    const double chunk = chunkRows(), logits = chunk * decoderRows();
    const double extra = half_ ? std::max(matrixGradient(decoderRows() * h_), widened(logits)) : 0;
    const double held = headKept() + 2 * p_ * eh_ + kFloat * v_ * h_;  // rows that go in, and their gradient
    return {keptBelow(LayerKind::Last) + layerKept(LayerKind::Last),
            held + e_ * logits + chunk * (kFloat + kInt64) + extra, 0};
  }
  Moment headBackward() const {
    const double once = p_ * eh_ + kFloat * v_ * h_;
    return {keptBelow(LayerKind::Last) + layerKept(LayerKind::Last), headKept() + 2 * once, 0};
  }
  Moment normBackward(LayerKind layer) const {
    const double sums = 3 * kFloat * h_ * columnBlocks(rows(layer));
    const double both = layer == LayerKind::Inner ? pre_ : 0;  // the sum is used, too
    const double outer = replays(layer) ? 0 : rows(layer) * eh_ * (1 + both);
    return {keptBelow(layer) + layerKept(layer) - (replays(layer) ? 0 : rows(layer) * eh_), headLeft(),
            replayedOutputs(layer) + outer + rows(layer) * eh_ * (1 + dropout_) + sums};
  }
  Moment feedForwardBackward(LayerKind layer) const {
    const double kept = layerKept(layer) - rows(layer) * (2 * eh_ + kStatistics) + replayedOutputs(layer);
    const double sums = kFloat * i_ * columnBlocks(rows(layer));
    const double product = matrixGradient(h_ * i_) + dropout_ * rows(layer) * eh_;
    return {keptBelow(layer) + kept, headLeft(),
            replayedOutputs(layer) + rows(layer) * (eh_ + ei_) + std::max(product, sums)};
  }
  /// Gradients that pass attention by: where rows were chosen after it, of all rows again.
  double besideAttention(LayerKind layer) const {
    return layer == LayerKind::Last && queries(layer) == n_ ? (1 + pre_) * n_ * eh_ : rows(layer) * eh_;
  }
  Moment attentionBackward(LayerKind layer) const {
    const double made = (2 * n_ + queries(layer)) * eh_;
    return {keptBelow(layer) + attentionKept(layer) + replayedOutputs(layer), headLeft(),
            replayedOutputs(layer) + besideAttention(layer) + queries(layer) * eh_ + made +
                (gpu_ ? made + gpuAttention() : 0)};
  }
  /// Of what makes queries, keys and values; or of keys and values, when what few queries had is back at its rows.
  Moment projectionBackward(LayerKind layer) const {
    const bool fewQueries = queries(layer) < n_;
    const double width = fewQueries ? 2 : 3;
    const double product = std::max(matrixGradient(width * h_ * h_), widened(width * n_ * h_));
    const double beside = fewQueries ? (1 + pre_) * n_ * eh_ : besideAttention(layer);
    return {keptBelow(layer) + replayedOutputs(layer), headLeft(),
            replayedOutputs(layer) + (width + 1) * n_ * eh_ + beside + product};
  }
  /// Flash attention adds up its gradients in fp32, in as many parts as keep the processors of a GPU at work.
  double gpuAttention() const {
    constexpr double kProcessors = 132;  // of an H100 or H200
    constexpr double kFilling = 128;     // rows for each sequence
    if (!half_) return 0;
    return kFloat * std::ceil(kProcessors / (s_ * a_)) * (n_ + kFilling * s_) * h_;
  }

  const ModelShape& shape_;
  bool gpu_, half_, recompute_;
  double pre_, dropout_;  // 0 or 1
  double s_, n_, p_, e_, h_, i_, eh_, ei_, v_, a_;
};

std::int64_t bytes(double count) {
  constexpr double kMost = 0x1p53;
  return static_cast<std::int64_t>(std::min(count, kMost));
}

}  // namespace

TrainingMemory trainingMemory(const ModelShape& shape, const PassKind& kind, const PassSize& size) {
  const Pass pass(shape, kind, size);
  const Moment most = pass.largest();
  const std::int64_t weights = bytes(kFloat * static_cast<double>(shape.parameterCount()));
  TrainingMemory memory{weights,
                        weights,
                        2 * weights,
                        bytes(pass.copies()),
                        bytes(most.activations),
                        bytes(most.head),
                        bytes(most.work + (kind.onGpu ? kCublas : 0))};
  return memory;
}

}  // namespace batchwise
