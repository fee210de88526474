// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a model folder and writes it again, for the test that has transformers judge both.
// Usage: folder_tool FOLDER TARGET [PAD_ID [TOKENS [CONFIG]]]
//   PAD_ID   id of the padding token in the written tokenizer
//   TOKENS   size of the tokenizer, for which embeddings are added
//   CONFIG   sizes of a larger model, as the section `model` of a configuration: the weights are tiled
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/model/hugging_face/hugging_face.h"
#include "core/model/hugging_face/start_weights.h"

namespace batchwise {
namespace {

template <typename Value>
Value orThrow(Result<Value> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}

Vocabulary vocabularyOf(std::int64_t size, std::int64_t pad) {
  std::vector<std::string> tokens = {"[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  tokens.insert(tokens.begin() + std::min<std::int64_t>(pad, std::ssize(tokens)), "[PAD]");
  while (std::ssize(tokens) < size) tokens.push_back("t" + std::to_string(tokens.size()));
  return orThrow(Vocabulary::fromTokens(tokens));
}

void copyFolder(const std::vector<std::string>& arguments) {
  HuggingFaceModel model = orThrow(readHuggingFaceModel(arguments.at(0)));
  const std::int64_t pad = arguments.size() > 2 ? std::stoll(arguments[2]) : 0;
  const std::int64_t tokens = arguments.size() > 3 ? std::stoll(arguments[3]) : model.shape.vocabSize;
  ModelConfig config;
  config.extendVocab = true;
  ModelShape shape = orThrow(resolveModelShape(config, model.shape, tokens, 1));
  model = fittedWeights(std::move(model), shape, tokens);
  if (arguments.size() > 4) {
    const LoadedConfig larger = parseConfig("model: " + arguments[4], "larger", {});
    shape = orThrow(resolveTiledShape(larger.config.model, shape, tokens, 1));
    model = orThrow(tiledWeights(model, shape));
  }
  std::vector<TensorBytes> tensors;
  for (const NamedFloats& tensor : model.tensors)
    tensors.push_back({tensor.name, TensorType::F32, tensor.shape, std::as_bytes(std::span(tensor.values))});
  const auto written = writeHuggingFaceModel(arguments.at(1), shape, tensors,
                                             Tokenizer::bert(vocabularyOf(tokens, pad), /*lowercase=*/true),
                                             shape.maxPositions, Replaces::AnyFiles);
  if (!written) throw std::runtime_error(written.error().text());
  const FolderTensors folder = orThrow(checkModelFolder(arguments.at(0)));
  for (const std::string& note : startNotes(folder, shape, tokens)) std::cout << note << "\n";
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) try {
  batchwise::copyFolder({argv + 1, argv + argc});
  return 0;
} catch (const std::exception& e) {
  std::cerr << "folder_tool: " << e.what() << "\n";
  return 1;
}
