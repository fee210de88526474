// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/shape/training_cost.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/format.h"
#include "core/base/text.h"

namespace batchwise {
namespace {

constexpr const char* kPerToken = "model.operations_per_token";
constexpr const char* kPerTokenAndLength = "model.operations_per_token_and_length";
constexpr const char* kPerTokenAndKey = "model.operations_per_token_and_key";
constexpr const char* kWindow = "model.attention_window";
constexpr const char* kPerPredicted = "model.operations_per_predicted_token";
constexpr const char* kPredictedShare = "model.predicted_share";

// Bytes are added as doubles, exact up to 2^53, so that absurd sizes cannot overflow.
constexpr double kFloat = 4, kInt64 = 8;
constexpr double kStatistics = 2 * kFloat;  // mean and deviation of a normalized row
// cuBLAS workspaces set in devices.cpp, one each for the forward and the backward thread.
constexpr double kCublas = 2 * 8 * 4096.0 * 1024;

/// Memory at some point in time, in addition to weights, gradients, optimizer moments and low-precision copies.
struct MemoryUse {
  double activations = 0, head = 0, work = 0;
  double total() const { return activations + head + work; }
};

enum class LayerKind { Inner, Last };  ///< the last layer computes mostly predicted tokens only

/// Memory of one pass. Symbols as in trainingMemory().
class PassMemory {
 public:
  PassMemory(const ModelShape& shape, const PassKind& kind, const PassSize& size)
      : shape_(shape),
        gpu_(kind.onGpu),
        half_(kind.bytesPerNumber < 4),
        recompute_(kind.recompute),
        traits_(shape.traits()),
        pre_(shape.norm == NormPlacement::Pre ? 1 : 0),
        dropout_(shape.hiddenDropout > 0 ? 1 : 0),
        s_(static_cast<double>(size.sequences)),
        n_(static_cast<double>(size.tokens)),
        p_(static_cast<double>(size.predicted)),
        e_(static_cast<double>(kind.bytesPerNumber)),
        h_(static_cast<double>(shape.hiddenSize)),
        k_(static_cast<double>(shape.keyValueSize())),
        i_(static_cast<double>(shape.intermediateSize)),
        gates_(traits_.feedForward == FeedForward::Gated ? 1 : 0),
        eh_(e_ * h_),
        ei_(e_ * i_),
        v_(static_cast<double>(shape.vocabSize)),
        a_(static_cast<double>(shape.heads)) {}

  MemoryUse largest() const {
    std::vector<MemoryUse> moments = {headForward(), headBackward()};
    for (const LayerKind layer : {LayerKind::Last, LayerKind::Inner}) {
      if (layer == LayerKind::Inner && shape_.layers < 2) continue;
      moments.insert(moments.end(), {normBackward(layer), outputBackward(layer), intermediateBackward(layer),
                                     attentionBackward(layer), projectionBackward(layer)});
    }
    return *std::ranges::max_element(moments, {}, &MemoryUse::total);
  }

  /// Bytes of the tables of rotary positions, which stay between steps; see EncoderModel::growRotaryTables(). With the
  /// mean length in place of the longest.
  double rotaryTables() const {
    constexpr double kFewestRows = 512;
    if (traits_.positions == PositionKind::Learned) return 0;
    const double tables = shape_.globalAttentionEvery > 1 ? 2 : 1;
    const double rows = std::max(kFewestRows, std::exp2(std::ceil(std::log2(n_ / s_))));
    return tables * kFloat * rows * h_ / a_;
  }

  /// Bytes of the weight copies in 16 bits.
  double copies() const {
    if (!half_) return 0;
    const double biases = traits_.biases ? projected() : 0;
    const double layer = h_ * (h_ + projected()) + (2 + gates_) * h_ * i_ + biases;
    const double transform = traits_.head == HeadKind::Transform ? h_ * h_ : 0;
    return 2 * (static_cast<double>(shape_.layers) * layer + transform + decoderRows() * h_);
  }

 private:
  /// Features of queries, keys and values together.
  double projected() const { return h_ + 2 * k_; }
  double rows(LayerKind layer) const { return layer == LayerKind::Last ? p_ : n_; }
  /// Rows of attention queries; the attention penalty needs all pairs of tokens, in the last layer as well.
  double queries(LayerKind layer) const { return shape_.attentionLogitL2 > 0 ? n_ : rows(layer); }
  bool recomputes(LayerKind layer) const { return recompute_ && layer == LayerKind::Inner; }

  double attentionSaved(LayerKind layer) const {
    // Selected rows are copies: the input of the query, or with a penalty the output.
    const double chosen = layer == LayerKind::Last ? p_ * eh_ : 0;
    return 2 * n_ * e_ * k_ + queries(layer) * (2 * eh_ + kFloat * a_) + chosen;
  }
  double halvesSaved(LayerKind layer) const { return rows(layer) * (4 * eh_ + (2 + gates_) * ei_ + 2 * kStatistics); }
  double layerSaved(LayerKind layer) const { return attentionSaved(layer) + halvesSaved(layer); }

  /// Everything saved before `layer`.
  double savedBelow(LayerKind layer) const {
    const double ids = 3 * kInt64 * (n_ + p_) + (traits_.firstPosition > 0 ? kInt64 * n_ : 0);
    const double firstNorm = traits_.firstNormIsIdentity ? 0 : pre_;
    const double embeddings = n_ * ((traits_.embeddingNorm ? kStatistics : 0) + eh_ + firstNorm * (eh_ + kStatistics));
    const double layers = static_cast<double>(shape_.layers) - (layer == LayerKind::Last ? 1 : 2);
    return ids + embeddings + layers * (recompute_ ? (1 + pre_) * n_ * eh_ : layerSaved(LayerKind::Inner));
  }
  /// Output of a recomputed layer, which is saved during its backward pass. Its gradients are of the same size.
  double recomputedOutputs(LayerKind layer) const { return recomputes(layer) ? (1 + pre_) * n_ * eh_ : 0; }

  double decoderRows() const {
    constexpr double kStep = 64;  // see decoderRows() in the model
    return gpu_ && half_ ? std::ceil(v_ / kStep) * kStep : v_;
  }
  /// Rows of logits per chunk: see decoderLoss().
  double chunkRows() const {
    const double most = gpu_ ? std::max(256.0, std::floor((1 << 28) / decoderRows()))
                             : std::max(16.0, std::floor((1 << 21) / decoderRows()));
    return std::ceil(p_ / std::max(1.0, std::ceil(p_ / most)));
  }
  /// Decoder gradient during the backward pass of the layers. A tied one waits for the other part of the word
  /// embedding's gradient.
  double pendingDecoderGradient() const { return shape_.tieWordEmbeddings ? kFloat * v_ * h_ : 0; }
  double headSaved() const { return traits_.head == HeadKind::Transform ? p_ * (2 * eh_ + kStatistics) : 0; }
  /// Rows that the decoder reads; without a transform they are those of the last norm.
  double decoderInput() const { return traits_.head == HeadKind::Transform ? p_ * eh_ : 0; }
  /// Weight gradient of a matrix before it is accumulated; the CPU computes it in 16 bits first.
  double matrixGradient(double numbers) const { return numbers * (half_ && !gpu_ ? kFloat + 2 : kFloat); }
  /// Temporary of a column sum in fp32; for 16 bits the CPU first converts all rows.
  double widened(double numbers) const { return half_ && !gpu_ ? kFloat * numbers : 0; }
  double columnBlocks(double count) const {
    constexpr double kRowBlock = 64, kMostBlocks = 512;  // see the backends
    return gpu_ ? std::min(count, kMostBlocks) : std::ceil(count / kRowBlock);
  }

  MemoryUse headForward() const {
    const double chunk = chunkRows(), logits = chunk * decoderRows();
    const double extra = half_ ? std::max(matrixGradient(decoderRows() * h_), widened(logits)) : 0;
    const double saved = headSaved() + decoderInput() + p_ * eh_ + kFloat * v_ * h_;  // rows and their gradient
    return {savedBelow(LayerKind::Last) + layerSaved(LayerKind::Last),
            saved + e_ * logits + chunk * (kFloat + kInt64) + extra, 0};
  }
  MemoryUse headBackward() const {
    const double once = p_ * eh_ + kFloat * v_ * h_;
    return {savedBelow(LayerKind::Last) + layerSaved(LayerKind::Last), headSaved() + 2 * once, 0};
  }
  MemoryUse normBackward(LayerKind layer) const {
    const double sums = 3 * kFloat * h_ * columnBlocks(rows(layer));
    const double both = layer == LayerKind::Inner ? pre_ : 0;  // the residual sum is also used
    const double outer = recomputes(layer) ? 0 : rows(layer) * eh_ * (1 + both);
    return {savedBelow(layer) + layerSaved(layer) - (recomputes(layer) ? 0 : rows(layer) * eh_),
            pendingDecoderGradient(), recomputedOutputs(layer) + outer + rows(layer) * eh_ * (1 + dropout_) + sums};
  }
  double savedUpToOutput(LayerKind layer) const {
    return savedBelow(layer) + layerSaved(layer) - rows(layer) * (2 * eh_ + kStatistics) + recomputedOutputs(layer);
  }
  /// Backward of the second matrix of the feed-forward part and of its activation.
  MemoryUse outputBackward(LayerKind layer) const {
    const double sums = traits_.biases ? kFloat * i_ * columnBlocks(rows(layer)) : 0;
    const double product = matrixGradient(h_ * i_) + dropout_ * rows(layer) * eh_;
    return {savedUpToOutput(layer), pendingDecoderGradient(),
            recomputedOutputs(layer) + rows(layer) * (eh_ + ei_) + std::max(product, sums)};
  }
  /// Backward of its first matrix; the gradients of a gated activation have overwritten what it saved.
  MemoryUse intermediateBackward(LayerKind layer) const {
    const double activated = rows(layer) * ei_;
    return {savedUpToOutput(layer) - activated, pendingDecoderGradient(),
            recomputedOutputs(layer) + rows(layer) * 2 * eh_ + matrixGradient((1 + gates_) * h_ * i_)};
  }
  /// Gradients that bypass attention (residual); with rows selected after attention, expanded to all rows.
  double residualGradients(LayerKind layer) const {
    return layer == LayerKind::Last && queries(layer) == n_ ? (1 + pre_) * n_ * eh_ : rows(layer) * eh_;
  }
  MemoryUse attentionBackward(LayerKind layer) const {
    const double made = 2 * n_ * e_ * k_ + queries(layer) * eh_;
    const double width = queries(layer) < n_ ? 2 * k_ : projected();
    const double sums = !traits_.biases ? 0 : gpu_ ? kFloat * width * columnBlocks(n_) : widened(width * n_);
    return {savedBelow(layer) + attentionSaved(layer) + recomputedOutputs(layer), pendingDecoderGradient(),
            recomputedOutputs(layer) + residualGradients(layer) + queries(layer) * eh_ + made +
                (gpu_ ? made + gpuAttentionWorkspace() : 0) + sums};
  }
  /// Backward of the Q, K and V projection; of K and V only if the last layer has fewer queries.
  MemoryUse projectionBackward(LayerKind layer) const {
    const bool fewQueries = queries(layer) < n_;
    const double width = fewQueries ? 2 * k_ : projected();
    const double product = matrixGradient(width * h_) + (fewQueries ? cutGradients() : 0);
    const double beside = fewQueries ? (1 + pre_) * n_ * eh_ : residualGradients(layer);
    return {savedBelow(layer) + recomputedOutputs(layer), pendingDecoderGradient(),
            recomputedOutputs(layer) + n_ * e_ * (width + h_) + beside + product};
  }
  /// Two gradients of a joint weight of queries, keys and values: the last layer uses its rows of queries, and those of
  /// keys and values, separately.
  double cutGradients() const {
    return traits_.queryKeyValue == QueryKeyValueLayout::Separate ? 0 : 2 * kFloat * projected() * h_;
  }
  /// Flash attention accumulates gradients in fp32, in enough parts to occupy all multiprocessors.
  double gpuAttentionWorkspace() const {
    constexpr double kProcessors = 132;  // of an H100 or H200
    constexpr double kFilling = 128;     // padding rows per sequence
    if (!half_) return 0;
    return kFloat * std::ceil(kProcessors / (s_ * a_)) * (n_ + kFilling * s_) * h_;
  }

  const ModelShape& shape_;
  bool gpu_, half_, recompute_;
  const FamilyTraits& traits_;
  double pre_, dropout_;  // 0 or 1
  double s_, n_, p_, e_, h_, k_, i_;
  double gates_;  // 0 or 1
  double eh_, ei_, v_, a_;
};

std::int64_t bytes(double count) {
  constexpr double kMost = 0x1p53;
  return static_cast<std::int64_t>(std::min(count, kMost));
}

}  // namespace

double attendedPairs(double length, std::int64_t window) {
  const auto reach = static_cast<double>(window);
  if (window < 0 || length - 1 <= reach) return length * length;
  return length * (2 * reach + 1) - reach * (reach + 1);
}

double TrainingCost::operations(double tokens, double samples, double share) const {
  const double length = samples > 0 ? tokens / samples : 0.0;
  const double keys = length > 0 ? attendedPairs(length, window) / length : 0.0;
  constexpr double kSpecial = 2.0;  // [CLS] and [SEP] of each sequence are never predicted
  const double predicted = share * std::max(0.0, tokens - kSpecial * samples);
  return tokens * (perToken + perTokenAndLength * length + perTokenAndKey * keys) + predicted * perPredicted;
}

TrainingCost trainingCost(const ModelShape& shape, double predictedShare) {
  const FamilyTraits& traits = shape.traits();
  const auto hidden = static_cast<double>(shape.hiddenSize), layers = static_cast<double>(shape.layers);
  const double projections = 2 * hidden * (hidden + static_cast<double>(shape.keyValueSize()));
  const double matrices = traits.feedForward == FeedForward::Gated ? 3 : 2;
  const double layer = projections + matrices * hidden * static_cast<double>(shape.intermediateSize);
  const double transform = traits.head == HeadKind::Transform ? hidden * hidden : 0;
  const double head = transform + hidden * static_cast<double>(shape.vocabSize);
  double local = 0;
  for (std::int64_t i = 0; i < shape.layers; ++i) local += shape.isLocal(i) ? 1 : 0;
  TrainingCost cost{6 * layers * layer, 12 * (layers - local) * hidden};
  cost.perPredicted = 6 * head;
  cost.predictedShare = predictedShare;
  if (local > 0) {
    cost.perTokenAndKey = 12 * local * hidden;
    cost.window = shape.localAttention / 2;
  }
  return cost;
}

void storeTrainingCost(const TrainingCost& cost, std::map<std::string, std::string>& values) {
  values[kPerToken] = formatExact(cost.perToken);
  values[kPerTokenAndLength] = formatExact(cost.perTokenAndLength);
  values[kPerPredicted] = formatExact(cost.perPredicted);
  values[kPredictedShare] = formatExact(cost.predictedShare);
  if (cost.window < 0) return;
  values[kPerTokenAndKey] = formatExact(cost.perTokenAndKey);
  values[kWindow] = std::to_string(cost.window);
}

TrainingCost storedTrainingCost(const std::map<std::string, std::string>& values) {
  const auto number = [&values](const char* name) { return numberNamed(values, name).value_or(0.0); };
  TrainingCost cost{number(kPerToken), number(kPerTokenAndLength)};
  cost.perPredicted = number(kPerPredicted);
  cost.predictedShare = number(kPredictedShare);
  const auto window = numberNamed<std::int64_t>(values, kWindow);
  if (!window || *window < 0) return cost;
  cost.perTokenAndKey = number(kPerTokenAndKey);
  cost.window = *window;
  return cost;
}

TrainingMemory trainingMemory(const ModelShape& shape, const PassKind& kind, const PassSize& size) {
  const PassMemory pass(shape, kind, size);
  const MemoryUse most = pass.largest();
  const std::int64_t weights = bytes(kFloat * static_cast<double>(shape.parameterCount()));
  return {.weights = weights,
          .gradients = weights,
          .moments = 2 * weights,
          .copies = bytes(pass.copies() + pass.rotaryTables()),
          .activations = bytes(most.activations),
          .head = bytes(most.head),
          .work = bytes(most.work + (kind.onGpu ? kCublas : 0))};
}

}  // namespace batchwise
