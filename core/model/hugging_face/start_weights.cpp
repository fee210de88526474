// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/hugging_face/start_weights.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "core/base/format.h"
#include "core/model/shape/tensor_names.h"

namespace batchwise {
namespace {

using Values = std::vector<float>;

std::size_t index(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

NamedFloats* findTensor(std::vector<NamedFloats>& tensors, const std::string& name) {
  const auto found = std::ranges::find(tensors, name, &NamedFloats::name);
  return found == tensors.end() ? nullptr : &*found;
}

/// Name of the tensor of a role outside the layers; empty if the model has none.
std::string nameOf(const ModelShape& shape, TensorRole role) {
  const auto all = parameterTensors(shape);
  const auto found = std::ranges::find(all, role, &ParameterTensor::role);
  return found == all.end() ? std::string() : found->name;
}

/// Adds rows with the mean of the present ones. `tensor`: [rows, width], or [rows] as a column.
void addMeanRows(NamedFloats& tensor, std::int64_t rows) {
  const std::int64_t known = tensor.shape[0];
  const std::int64_t width = known == 0 ? 0 : static_cast<std::int64_t>(tensor.values.size()) / known;
  std::vector<double> sum(index(width));
  for (std::size_t i = 0; i < tensor.values.size(); ++i) sum[i % index(width)] += tensor.values[i];
  for (std::int64_t row = known; row < rows; ++row)
    for (const double total : sum) tensor.values.push_back(static_cast<float>(total / static_cast<double>(known)));
  tensor.shape[0] = rows;
}

void untie(HuggingFaceModel& model, const ModelShape& shape) {
  const NamedFloats* words = findTensor(model.tensors, nameOf(shape, TensorRole::WordEmbeddings));
  const std::string decoder = nameOf(shape, TensorRole::Decoder);
  if (words == nullptr || findTensor(model.tensors, decoder) != nullptr) return;
  model.tensors.push_back({decoder, words->shape, words->values});
}

void tie(HuggingFaceModel& model) {
  const std::string decoder = nameOf(model.shape, TensorRole::Decoder);
  std::erase_if(model.tensors, [&](const NamedFloats& tensor) { return tensor.name == decoder; });
}

void extendRows(HuggingFaceModel& model, const ModelShape& shape, std::int64_t tokens) {
  for (const TensorRole role : {TensorRole::WordEmbeddings, TensorRole::Decoder, TensorRole::DecoderBias}) {
    NamedFloats* tensor = findTensor(model.tensors, nameOf(shape, role));
    // A tensor of another shape is refused when the model loads it.
    if (tensor == nullptr || tensor->values.empty() || tensor->shape.empty() || tensor->shape[0] >= shape.vocabSize)
      continue;
    const std::int64_t known = tensor->shape[0];
    const float least = *std::ranges::min_element(tensor->values);
    addMeanRows(*tensor, shape.vocabSize);
    if (role != TensorRole::DecoderBias) continue;
    for (std::int64_t row = std::max(known, tokens); row < shape.vocabSize; ++row) tensor->values[index(row)] = least;
  }
}

/// A matrix or vector as blocks of equal height, [blocks x height, width].
struct Blocks {
  std::int64_t count, height, width;
};

/// Where a smaller tensor lies in a larger one: in its middle, or at its begin, where the first `fixed` rows are not
/// repeated.
struct Placement {
  bool centered = true;
  std::int64_t fixed = 0;
};

/// Returns where index `i` of `size` takes its value from in a smaller tensor of `from`.
std::int64_t sourceOf(std::int64_t i, std::int64_t size, std::int64_t from, const Placement& placement) {
  if (!placement.centered) return i < from ? i : placement.fixed + (i - placement.fixed) % (from - placement.fixed);
  return ((i - (size - from) / 2) % from + from) % from;
}

Values tiledBlocks(const Values& source, const Blocks& from, const Blocks& to, const Placement& rows) {
  Values result(index(to.count * to.height * to.width));
  std::vector<std::int64_t> columns(index(to.width));
  for (std::int64_t c = 0; c < to.width; ++c) columns[index(c)] = sourceOf(c, to.width, from.width, {});
  for (std::int64_t block = 0; block < to.count; ++block) {
    for (std::int64_t row = 0; row < to.height; ++row) {
      const std::int64_t sourceRow = block * from.height + sourceOf(row, to.height, from.height, rows);
      for (std::int64_t c = 0; c < to.width; ++c)
        result[index((block * to.height + row) * to.width + c)] =
            source[index(sourceRow * from.width + columns[index(c)])];
    }
  }
  return result;
}

/// Rows that mean the same in both models.
bool keepsRows(TensorRole role) {
  return role == TensorRole::WordEmbeddings || role == TensorRole::PositionEmbeddings ||
         role == TensorRole::TypeEmbeddings || role == TensorRole::Decoder || role == TensorRole::DecoderBias;
}

std::int64_t blocksOf(TensorRole role) {
  if (role == TensorRole::QueryKeyValue) return 3;
  return role == TensorRole::GateUp ? 2 : 1;
}

/// A vector of rows that keep their places is a column; any other is as wide as the model.
Blocks blocksOf(const ParameterTensor& tensor) {
  const std::int64_t count = blocksOf(tensor.role);
  if (tensor.shape.size() > 1) return {count, tensor.shape[0] / count, tensor.shape[1]};
  if (keepsRows(tensor.role)) return {1, tensor.shape[0], 1};
  return {1, 1, tensor.shape[0]};
}

class Tiling {
 public:
  Tiling(const HuggingFaceModel& smaller, const ModelShape& shape) : smaller_(smaller), shape_(shape) {
    for (ParameterTensor& tensor : parameterTensors(smaller.shape))
      described_.emplace(std::pair(tensor.role, tensor.layer), std::move(tensor));
    for (const NamedFloats& tensor : smaller.tensors) given_[tensor.name] = &tensor;
  }

  Result<HuggingFaceModel> model() const {
    RETURN_IF_ERROR(checkSizes());
    HuggingFaceModel result;
    result.shape = shape_;
    for (const ParameterTensor& tensor : parameterTensors(shape_)) {
      const ParameterTensor* source = sourceOfTensor(tensor);
      if (source == nullptr || !given_.contains(source->name)) continue;
      const NamedFloats& values = *given_.at(source->name);
      if (values.shape != source->shape) return missingTensor(source->name, smaller_.shape.family);
      result.tensors.push_back(
          {tensor.name, tensor.shape,
           tiledBlocks(values.values, blocksOf(*source), blocksOf(tensor), placementOf(tensor.role))});
    }
    return result;
  }

 private:
  Result<void> checkSizes() const {
    const ModelShape& from = smaller_.shape;
    if (from.family != shape_.family)
      return Error::config(
          "model.tile_from",
          formatText(
              "the folder holds a model of family {}, but the new one is of family {}; tile a model of the same family",
              choiceName(from.family), choiceName(shape_.family)));
    const std::pair<const char*, std::pair<std::int64_t, std::int64_t>> sizes[] = {
        {"hidden_size", {from.hiddenSize, shape_.hiddenSize}},
        {"num_hidden_layers", {from.layers, shape_.layers}},
        {"num_attention_heads", {from.heads, shape_.heads}},
        {"num_key_value_heads", {from.keyValueHeads, shape_.keyValueHeads}},
        {"intermediate_size", {from.intermediateSize, shape_.intermediateSize}},
        {"vocab_size", {from.vocabSize, shape_.vocabSize}}};
    for (const auto& [field, size] : sizes)
      if (size.first > size.second)
        return Error::config("model.tile_from", formatText("{0} of the folder is {1}, of the new model {2}; tiling "
                                                           "needs a model that is at least as large: raise model.{0}",
                                                           field, size.first, size.second));
    return {};
  }

  /// As Python's round() of ModernBERT's tiling: halves go to the even number.
  std::int64_t sourceLayer(std::int64_t layer) const {
    const double place =
        static_cast<double>(layer) * static_cast<double>(smaller_.shape.layers) / static_cast<double>(shape_.layers);
    return std::min(smaller_.shape.layers - 1, static_cast<std::int64_t>(std::nearbyint(place)));
  }

  Placement placementOf(TensorRole role) const {
    return {!keepsRows(role), role == TensorRole::PositionEmbeddings ? shape_.traits().firstPosition : 0};
  }

  /// Returns null if the smaller model has no such tensor.
  const ParameterTensor* sourceOfTensor(const ParameterTensor& tensor) const {
    std::int64_t layer = tensor.layer < 0 ? -1 : sourceLayer(tensor.layer);
    auto found = described_.find({tensor.role, layer});
    // The first layer may lack a norm that a later one, tiled from it, has.
    if (found == described_.end() && layer == 0) found = described_.find({tensor.role, 1});
    return found == described_.end() ? nullptr : &found->second;
  }

  const HuggingFaceModel& smaller_;
  const ModelShape& shape_;
  std::map<std::pair<TensorRole, std::int64_t>, ParameterTensor> described_;
  std::map<std::string, const NamedFloats*> given_;
};

}  // namespace

HuggingFaceModel fittedWeights(HuggingFaceModel folder, const ModelShape& shape, std::int64_t tokens) {
  HuggingFaceModel model = std::move(folder);
  if (model.shape.tieWordEmbeddings && !shape.tieWordEmbeddings) untie(model, shape);
  if (!model.shape.tieWordEmbeddings && shape.tieWordEmbeddings) tie(model);
  if (shape.vocabSize > model.shape.vocabSize) extendRows(model, shape, tokens);
  model.shape = shape;
  return model;
}

Result<HuggingFaceModel> tiledWeights(const HuggingFaceModel& smaller, const ModelShape& shape) {
  return Tiling(smaller, shape).model();
}

std::vector<std::string> startNotes(const FolderTensors& folder, const ModelShape& shape, std::int64_t tokens) {
  std::vector<std::string> notes = folder.notes;
  const bool unties = folder.shape.tieWordEmbeddings && !shape.tieWordEmbeddings;
  if (!folder.missing.empty())
    notes.push_back(formatText(
        "{} of the head that predicts masked tokens {} not in the folder, such as '{}'; {} untrained. Expect a loss "
        "near {} at first, as of random guesses, and a sentence-embedding model loses that skill",
        countText(std::ssize(folder.missing), "tensor"), pluralText(std::ssize(folder.missing), "is", "are"),
        folder.missing.front(), pluralText(std::ssize(folder.missing), "it starts", "they start"),
        formatValue(std::log(static_cast<double>(shape.vocabSize)))));
  if ((folder.decoderIsCopyOfWords && !shape.tieWordEmbeddings) || unties)
    notes.push_back("the weights have no output layer of their own; it starts as a copy of the word embeddings");
  if (!folder.shape.tieWordEmbeddings && !folder.decoderIsCopyOfWords && shape.tieWordEmbeddings)
    notes.push_back(
        "the output layer of the folder is not used, because model.tie_word_embeddings takes the word embeddings for "
        "it");
  if (!folder.unused.empty())
    notes.push_back(
        formatText("{} {} not used, such as '{}'; the model has no such part", formatInteger(std::ssize(folder.unused)),
                   pluralText(std::ssize(folder.unused), "tensor of the folder is", "tensors of the folder are"),
                   folder.unused.front()));
  if (tokens > folder.shape.vocabSize)
    notes.push_back(formatText("embeddings of {} new tokens start from the mean of the known ones",
                               formatInteger(tokens - folder.shape.vocabSize)));
  if (folder.shape.attentionDropout != shape.attentionDropout)
    notes.push_back(formatText("trains with model.attention_probs_dropout_prob {}; config.json of the folder has {}",
                               formatExact(shape.attentionDropout), formatExact(folder.shape.attentionDropout)));
  return notes;
}

}  // namespace batchwise
