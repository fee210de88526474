// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>

#include "core/base/return_if_error.h"
#include "core/exchange/hugging_face.h"
#include "core/exchange/messages.h"

namespace batchwise {
namespace {

using Shape = std::vector<std::int64_t>;

std::string shapeText(const Shape& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

void addMatrix(std::map<std::string, Shape>& tensors, const std::string& name, std::int64_t rows, std::int64_t width) {
  tensors[name + ".weight"] = {rows, width};
  tensors[name + ".bias"] = {rows};
}
void addNorm(std::map<std::string, Shape>& tensors, const std::string& name, std::int64_t width) {
  tensors[name + ".weight"] = tensors[name + ".bias"] = {width};
}

}  // namespace

std::map<std::string, std::vector<std::int64_t>> encoderTensors(const ModelShape& shape) {
  std::map<std::string, Shape> tensors;
  const std::int64_t h = shape.hiddenSize;
  tensors["bert.embeddings.word_embeddings.weight"] = {shape.vocabSize, h};
  tensors["bert.embeddings.position_embeddings.weight"] = {shape.maxPositions, h};
  tensors["bert.embeddings.token_type_embeddings.weight"] = {shape.typeVocabSize, h};
  addNorm(tensors, "bert.embeddings.LayerNorm", h);
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    const std::string prefix = "bert.encoder.layer." + std::to_string(layer) + ".";
    for (const char* part : {"query", "key", "value"}) addMatrix(tensors, prefix + "attention.self." + part, h, h);
    addMatrix(tensors, prefix + "attention.output.dense", h, h);
    addNorm(tensors, prefix + "attention.output.LayerNorm", h);
    addMatrix(tensors, prefix + "intermediate.dense", shape.intermediateSize, h);
    addMatrix(tensors, prefix + "output.dense", h, shape.intermediateSize);
    addNorm(tensors, prefix + "output.LayerNorm", h);
  }
  if (shape.norm == NormPlacement::Pre) addNorm(tensors, "bert.encoder.LayerNorm", h);
  return tensors;
}

Result<void> checkModelFolder(const std::filesystem::path& folder, const ModelShape& shape) {
  ASSIGN_OR_RETURN(const auto reader, SafetensorsReader::open(folder));
  std::map<std::string, Shape> given;
  for (const TensorInfo& info : reader.tensors()) given[canonicalTensorName(info.name)] = info.shape;
  for (const auto& [name, needed] : encoderTensors(shape)) {
    const auto found = given.find(name);
    if (found == given.end()) return Error::config(messages::folderLacksTensor(name));
    if (found->second != needed)
      return Error::config(messages::weightsTensorShapeMismatch(name, shapeText(found->second), shapeText(needed)));
  }
  return {};
}

}  // namespace batchwise
