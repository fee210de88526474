// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/planned_shape.h"

#include "core/base/file.h"
#include "core/base/return_if_error.h"
#include "core/data/vocabulary.h"
#include "core/exchange/hugging_face.h"

namespace batchwise {
namespace {

constexpr std::int64_t kLongestConfig = 1 << 20;

Result<std::int64_t> vocabularySize(const LoadedConfig& config) {
  const TokenizerConfig& tokenizer = config.config.tokenizer;
  // A model that starts from a folder uses the vocabulary of that folder.
  const std::string& path = tokenizer.path.empty() ? config.config.model.initFrom : tokenizer.path;
  if (path.empty()) return tokenizer.trainVocabSize;
  const Result<Vocabulary> vocabulary = Vocabulary::load(config.baseFolder / path);
  if (!vocabulary.ok()) return vocabulary.error().within("tokenizer.path");
  return static_cast<std::int64_t>(vocabulary->size());
}

}  // namespace

Result<ModelShape> plannedShape(const LoadedConfig& config) {
  ASSIGN_OR_RETURN(const auto vocabulary, vocabularySize(config));
  const ModelConfig& model = config.config.model;
  const std::int64_t positions = config.config.data.maxSeqLen;
  if (model.initFrom.empty()) return resolveModelShape(model, vocabulary, positions);
  const Result<std::string> text = readFile(config.baseFolder / model.initFrom / "config.json", kLongestConfig);
  if (!text.ok()) return text.error().within("model.init_from");
  const Result<ModelShape> folder = parseHuggingFaceConfig(*text);
  if (!folder.ok()) return folder.error().within("model.init_from");
  return resolveModelShape(model, *folder, vocabulary, positions);
}

}  // namespace batchwise
