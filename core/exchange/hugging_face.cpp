// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/hugging_face.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include "core/base/file.h"
#include "core/exchange/messages.h"

namespace batchwise {
namespace {

constexpr std::int64_t kMaxConfigBytes = 16 << 20;
constexpr std::string_view kDecoderBias = "cls.predictions.bias";
constexpr std::string_view kDecoderBiasAlias = "cls.predictions.decoder.bias";
constexpr std::string_view kDecoderWeight = "cls.predictions.decoder.weight";
constexpr std::string_view kWordEmbeddings = "bert.embeddings.word_embeddings.weight";

void replaceSuffix(std::string& name, std::string_view old, std::string_view now) {
  if (name.ends_with(old)) name.replace(name.size() - old.size(), old.size(), now);
}

enum class Use { Model, Extra, Ignored };

Use useOf(const std::string& name) {
  if (name.starts_with("bert.pooler.") || name.starts_with("cls.seq_relationship.")) return Use::Extra;
  if (name == "bert.embeddings.position_ids") return Use::Ignored;
  const bool known =
      name.starts_with("bert.embeddings.") || name.starts_with("bert.encoder.") || name.starts_with("cls.predictions.");
  return known ? Use::Model : Use::Ignored;
}

/// Adds a tensor to `list`. The decoder bias may occur under both its names, and then the one of the decoder wins;
/// other duplicates must have equal values.
Result<void> addTensor(std::vector<NamedFloats>& list, NamedFloats next, std::string_view nameInFile) {
  const auto tensor = std::ranges::find(list, next.name, &NamedFloats::name);
  if (tensor == list.end()) {
    list.push_back(std::move(next));
    return {};
  }
  const bool same = tensor->values == next.values && tensor->shape == next.shape;
  if (!same && next.name != kDecoderBias) return Error::corrupt(messages::tensorsShareMeaning(next.name));
  if (nameInFile == kDecoderBiasAlias) *tensor = std::move(next);
  return {};
}

const NamedFloats* find(const std::vector<NamedFloats>& tensors, std::string_view name) {
  const auto found = std::ranges::find(tensors, name, &NamedFloats::name);
  return found == tensors.end() ? nullptr : &*found;
}

/// Makes the decoder consistent with tieWordEmbeddings: many folders contain a copy of the word embeddings as decoder.
Result<void> resolveDecoder(HuggingFaceModel& model) {
  const NamedFloats* decoder = find(model.tensors, kDecoderWeight);
  const NamedFloats* words = find(model.tensors, kWordEmbeddings);
  if (!model.shape.tieWordEmbeddings) {
    if (decoder != nullptr || words == nullptr) return {};
    model.tensors.push_back({std::string(kDecoderWeight), words->shape, words->values});
    return {};
  }
  if (decoder == nullptr) return {};
  if (words != nullptr && words->values != decoder->values)
    return Error::corrupt(messages::decoderTieContradictsWeights());
  std::erase_if(model.tensors, [](const NamedFloats& tensor) { return tensor.name == kDecoderWeight; });
  return {};
}

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

constexpr const char* kWeightsFile = "model.safetensors";
constexpr const char* kConfigFile = "config.json";
/// In the order of renaming: model.safetensors marks the folder as ours, config.json makes it a complete model.
constexpr const char* kFiles[] = {
    kWeightsFile, "vocab.txt", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", kConfigFile};

Result<void> checkMayReplace(const std::filesystem::path& folder, Replaces replaces) {
  RETURN_IF_ERROR(checkOutputFolder(folder));
  if (replaces == Replaces::AnyFiles || isOwnSafetensors(folder / kWeightsFile)) return {};
  std::error_code unknown;
  for (const char* name : kFiles)
    if (std::filesystem::exists(folder / name, unknown))
      return Error::config(messages::exportTargetExists((folder / name).native()));
  return {};
}

Result<void> writeWeights(const std::filesystem::path& file, const ModelShape& shape,
                          const std::vector<TensorBytes>& tensors) {
  if (shape.tieWordEmbeddings) return writeSafetensors(file, tensors);
  // Readers expect an untied decoder to have its own bias.
  auto all = tensors;
  for (const TensorBytes& tensor : tensors) {
    if (tensor.name != kDecoderBias) continue;
    all.push_back(tensor);
    all.back().name = kDecoderBiasAlias;
  }
  return writeSafetensors(file, all);
}

/// Moves the files into place; readers see either all of them or no model.
Result<void> moveAll(const std::filesystem::path& from, const std::filesystem::path& target) {
  // Without config.json, files of an earlier export are not a model either.
  if (::unlink((target / kConfigFile).c_str()) != 0 && errno != ENOENT)
    return Error::fromErrno(errno, messages::cannotReplace, (target / kConfigFile).native());
  RETURN_IF_ERROR(syncFolder(target));
  for (const char* name : kFiles)
    if (::rename((from / name).c_str(), (target / name).c_str()) != 0)
      return Error::fromErrno(errno, messages::cannotWrite, (target / name).native());
  return syncFolder(target);
}

/// Requires `folder` to exist.
Result<void> writeModel(const std::filesystem::path& folder, const ModelShape& shape,
                        const std::vector<TensorBytes>& tensors, const Vocabulary& vocabulary, bool lowercase,
                        std::int64_t maxSeqLen) {
  ASSIGN_OR_RETURN(const auto staging, StagedEntry::folder(folder, ".batchwise-export-"));
  const std::pair<const char*, std::string> texts[] = {
      {kConfigFile, huggingFaceConfig(shape, vocabulary.special())},
      {"vocab.txt", vocabulary.text()},
      {"tokenizer.json", tokenizerJson(vocabulary, lowercase)},
      {"tokenizer_config.json", tokenizerConfigJson(vocabulary, lowercase, maxSeqLen)},
      {"special_tokens_map.json", specialTokensJson(vocabulary)}};
  for (const auto& [name, text] : texts) RETURN_IF_ERROR(writeFileAtomically(staging.path() / name, text));
  RETURN_IF_ERROR(writeWeights(staging.path() / kWeightsFile, shape, tensors));
  return moveAll(staging.path(), folder);
}

}  // namespace

std::string canonicalTensorName(std::string_view name) {
  std::string result(name);
  replaceSuffix(result, "LayerNorm.gamma", "LayerNorm.weight");
  replaceSuffix(result, "LayerNorm.beta", "LayerNorm.bias");
  for (const std::string_view part : {"embeddings.", "encoder.", "pooler."})
    if (result.starts_with(part)) return "bert." + result;
  if (result == kDecoderBiasAlias) return std::string(kDecoderBias);
  return result;
}

Result<HuggingFaceModel> readHuggingFaceModel(const std::filesystem::path& folder) {
  ASSIGN_OR_RETURN(const auto config, readFile(folder / "config.json", kMaxConfigBytes));
  auto shape = parseHuggingFaceConfig(config);
  if (!shape) return shape.error().within(folder.string());
  ASSIGN_OR_RETURN(const auto reader, SafetensorsReader::open(folder));
  HuggingFaceModel model;
  model.shape = *shape;
  for (std::size_t i = 0; i < reader.tensors().size(); ++i) {
    const TensorInfo& info = reader.tensors()[i];
    const std::string name = canonicalTensorName(info.name);
    const Use use = useOf(name);
    if (use == Use::Ignored) {
      model.ignored.push_back(info.name);
      continue;
    }
    ASSIGN_OR_RETURN(auto values, reader.readFloats(i));
    NamedFloats tensor{name, info.shape, std::move(values)};
    auto& list = use == Use::Extra ? model.extras : model.tensors;
    if (auto added = addTensor(list, std::move(tensor), info.name); !added)
      return added.error().within(folder.string());
  }
  if (auto resolved = resolveDecoder(model); !resolved) return resolved.error().within(folder.string());
  return model;
}

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

Result<void> writeHuggingFaceModel(const std::filesystem::path& folder, const ModelShape& shape,
                                   const std::vector<TensorBytes>& tensors, const Vocabulary& vocabulary,
                                   bool lowercase, std::int64_t maxSeqLen, Replaces replaces) {
  RETURN_IF_ERROR(checkMayReplace(folder, replaces));
  std::error_code ignored;
  const bool isNew = !std::filesystem::exists(folder, ignored);
  RETURN_IF_ERROR(makeFolders(folder));
  auto wrote = writeModel(folder, shape, tensors, vocabulary, lowercase, maxSeqLen);
  if (!wrote && isNew) std::filesystem::remove(folder, ignored);  // fails unless it is empty
  return wrote;
}

}  // namespace batchwise
