// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/shape/tensor_names.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/model/shape/family_format.h"

namespace batchwise {
namespace {

using Shape = std::vector<std::int64_t>;

/// Collects tensors by the names of a family.
class TensorList {
 public:
  explicit TensorList(const ModelShape& shape)
      : shape_(shape), traits_(shape.traits()), names_(formatOf(shape.family).names) {}

  std::vector<ParameterTensor> all() && {
    addEmbeddings();
    for (layer_ = 0; layer_ < shape_.layers; ++layer_) addLayer();
    layer_ = -1;
    if (shape_.norm == NormPlacement::Pre) addNorm(TensorRole::FinalNorm, TensorRole::FinalNormBias, names_.finalNorm);
    shape_.taskHead == TaskHead::None ? addHead() : addTaskHead();
    return std::move(tensors_);
  }

 private:
  void addEmbeddings() {
    const std::int64_t h = shape_.hiddenSize;
    addMatrix(TensorRole::WordEmbeddings, names_.words, shape_.vocabSize, h);
    if (traits_.positions == PositionKind::Learned)
      addMatrix(TensorRole::PositionEmbeddings, names_.positions, shape_.positionRows(), h);
    if (traits_.segmentTypes > 0) addMatrix(TensorRole::TypeEmbeddings, names_.types, shape_.typeVocabSize, h);
    if (traits_.embeddingNorm) addNorm(TensorRole::EmbeddingNorm, TensorRole::EmbeddingNormBias, names_.embeddingNorm);
  }

  void addLayer() {
    const std::int64_t h = shape_.hiddenSize;
    addQueryKeyValue();
    addMatrix(TensorRole::AttentionOutput, names_.attentionOutput, h, h);
    addBias(TensorRole::AttentionOutputBias, names_.attentionOutput, h);
    if (layer_ > 0 || !traits_.firstNormIsIdentity)
      addNorm(TensorRole::AttentionNorm, TensorRole::AttentionNormBias, names_.attentionNorm);
    addFeedForward();
    addNorm(TensorRole::OutputNorm, TensorRole::OutputNormBias, names_.outputNorm);
  }

  void addQueryKeyValue() {
    const std::int64_t h = shape_.hiddenSize;
    const std::int64_t kv = shape_.keyValueSize();
    if (traits_.queryKeyValue != QueryKeyValueLayout::Separate)
      return addMatrix(TensorRole::QueryKeyValue, names_.queryKeyValue, h + 2 * kv, h);
    addMatrix(TensorRole::Query, names_.query, h, h);
    addMatrix(TensorRole::Key, names_.key, kv, h);
    addMatrix(TensorRole::Value, names_.value, kv, h);
    addBias(TensorRole::QueryBias, names_.query, h);
    addBias(TensorRole::KeyBias, names_.key, kv);
    addBias(TensorRole::ValueBias, names_.value, kv);
  }

  void addFeedForward() {
    const std::int64_t h = shape_.hiddenSize;
    const std::int64_t i = shape_.intermediateSize;
    if (traits_.feedForward == FeedForward::Plain) {
      addMatrix(TensorRole::Intermediate, names_.intermediate, i, h);
      addBias(TensorRole::IntermediateBias, names_.intermediate, i);
    } else if (names_.gateUp != nullptr) {
      addMatrix(TensorRole::GateUp, names_.gateUp, 2 * i, h);
    } else {
      addMatrix(TensorRole::Gate, names_.gate, i, h);
      addMatrix(TensorRole::Up, names_.up, i, h);
    }
    addMatrix(TensorRole::Output, names_.output, h, i);
    addBias(TensorRole::OutputBias, names_.output, h);
  }

  void addHead() {
    const std::int64_t h = shape_.hiddenSize;
    if (traits_.decoderBias) add(TensorRole::DecoderBias, names_.decoderBias, ".bias", {shape_.vocabSize});
    if (traits_.head == HeadKind::Transform) {
      addMatrix(TensorRole::Transform, names_.transform, h, h);
      if (traits_.transformBias) add(TensorRole::TransformBias, names_.transform, ".bias", {h});
      addNorm(TensorRole::TransformNorm, TensorRole::TransformNormBias, names_.transformNorm);
    }
    if (!shape_.tieWordEmbeddings) addMatrix(TensorRole::Decoder, names_.decoder, shape_.vocabSize, h);
  }

  void addTaskHead() {
    const std::int64_t h = shape_.hiddenSize;
    const TaskHeadNames& names = formatOf(shape_.family).taskHead;
    if (shape_.taskHead == TaskHead::Vectors) {
      if (names.pooler == nullptr) return;
      addMatrix(TensorRole::Transform, names.pooler, h, h);
      return add(TensorRole::TransformBias, names.pooler, ".bias", {h});
    }
    const bool ofSequence = shape_.taskHead == TaskHead::Sequence;
    if (ofSequence || traits_.taskHead.denseOfTokens) {
      addMatrix(TensorRole::Transform, names.dense, h, h);
      if (names.denseBias) add(TensorRole::TransformBias, names.dense, ".bias", {h});
      if (names.norm != nullptr) addNorm(TensorRole::TransformNorm, TensorRole::TransformNormBias, names.norm);
    }
    const char* classifier = ofSequence ? names.sequence : "classifier";
    addMatrix(TensorRole::Classifier, classifier, shape_.taskOutputs, h);
    add(TensorRole::ClassifierBias, classifier, ".bias", {shape_.taskOutputs});
  }

  void add(TensorRole role, const char* name, const char* suffix, Shape shape) {
    const std::string prefix = layer_ < 0 ? "" : names_.layers + std::to_string(layer_) + ".";
    tensors_.push_back({role, layer_, prefix + name + suffix, std::move(shape)});
  }
  void addMatrix(TensorRole role, const char* name, std::int64_t rows, std::int64_t width) {
    add(role, name, ".weight", {rows, width});
  }
  void addBias(TensorRole role, const char* name, std::int64_t size) {
    if (traits_.biases) add(role, name, ".bias", {size});
  }
  void addNorm(TensorRole weight, TensorRole bias, const char* name) {
    add(weight, name, ".weight", {shape_.hiddenSize});
    if (traits_.norm == NormKind::LayerNorm) add(bias, name, ".bias", {shape_.hiddenSize});
  }

  const ModelShape& shape_;
  const FamilyTraits& traits_;
  const TensorNames& names_;
  std::int64_t layer_ = -1;
  std::vector<ParameterTensor> tensors_;
};

enum class RowOrder { FileToMemory, MemoryToFile };

/// Copies rows between [head][query, key, value][head size] (file) and [query, key, value][head][head size] (memory).
std::vector<float> reordered(const ModelShape& shape, const std::vector<float>& values, RowOrder order) {
  constexpr std::size_t kKinds = 3;
  const auto heads = static_cast<std::size_t>(shape.heads);
  const std::size_t block = values.size() / (kKinds * heads);  // the rows of one head and kind
  std::vector<float> result(values.size());
  for (std::size_t head = 0; head < heads; ++head) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const std::size_t file = (head * kKinds + kind) * block;
      const std::size_t memory = (kind * heads + head) * block;
      const auto [from, to] = order == RowOrder::FileToMemory ? std::pair(file, memory) : std::pair(memory, file);
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from), block,
                  result.begin() + static_cast<std::ptrdiff_t>(to));
    }
  }
  return result;
}

}  // namespace

std::vector<ParameterTensor> parameterTensors(const ModelShape& shape) {
  return TensorList(shape).all();
}

std::vector<float> rowsFromFile(const ModelShape& shape, const std::vector<float>& values) {
  return reordered(shape, values, RowOrder::FileToMemory);
}

std::vector<float> rowsToFile(const ModelShape& shape, const std::vector<float>& values) {
  return reordered(shape, values, RowOrder::MemoryToFile);
}

}  // namespace batchwise
