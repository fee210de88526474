// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/hugging_face/hugging_face.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <span>
#include <utility>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/model/hugging_face/weights_reader.h"
#include "core/model/shape/family_format.h"
#include "core/model/shape/tensor_names.h"
#include "core/text/tokenizer.h"

namespace batchwise {
namespace {

constexpr std::int64_t kMaxConfigBytes = 16 << 20;

using Shape = std::vector<std::int64_t>;

std::string shapeText(const Shape& shape) {
  return "[" + joined(shape, ", ", [](std::int64_t size) { return std::to_string(size); }) + "]";
}

/// Rows of learned positions before the first token's: in files of roberta one per id up to the padding token's.
std::int64_t positionsBefore(const ModelShape& shape, std::int64_t paddingId) {
  return shape.traits().firstPosition > 0 ? paddingId + 1 : 0;
}

/// Returns the position table with `after` instead of `before` rows ahead of that of the first token. The last of these
/// rows is the padding token's; no token uses the others.
std::vector<float> positionsMoved(const std::vector<float>& values, std::int64_t width, std::int64_t before,
                                  std::int64_t after) {
  const auto rows = static_cast<std::int64_t>(values.size()) / width - before + after;
  std::vector<float> moved(static_cast<std::size_t>(rows * width));
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t from = std::max<std::int64_t>(0, row + before - after);
    std::copy_n(values.begin() + from * width, width, moved.begin() + row * width);
  }
  return moved;
}

/// The tensors of a model, by name, with their shapes in files.
class TensorTable {
 public:
  TensorTable(const ModelShape& shape, std::int64_t paddingId)
      : shape_(shape), before_(positionsBefore(shape, paddingId)), format_(formatOf(shape.family)) {
    for (ParameterTensor& tensor : parameterTensors(shape)) {
      if (tensor.role == TensorRole::PositionEmbeddings) tensor.shape[0] = shape.maxPositions + before_;
      tensors_.emplace(tensor.name, std::move(tensor));
    }
  }

  const std::map<std::string, ParameterTensor>& all() const { return tensors_; }
  const FamilyFormat& format() const { return format_; }
  const ParameterTensor* find(const std::string& name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : &found->second;
  }
  std::string words() const { return format_.names.words + std::string(".weight"); }
  std::string decoder() const { return format_.names.decoder + std::string(".weight"); }
  std::string decoderBias() const {
    return format_.names.decoderBias == nullptr ? "" : format_.names.decoderBias + std::string(".bias");
  }

  bool changesRows(const ParameterTensor& tensor) const {
    if (tensor.role == TensorRole::PositionEmbeddings) return before_ != shape_.traits().firstPosition;
    return tensor.role == TensorRole::QueryKeyValue && shape_.traits().queryKeyValue == QueryKeyValueLayout::PerHead;
  }
  std::vector<float> fromFile(const ParameterTensor& tensor, std::vector<float> values) const {
    if (!changesRows(tensor)) return values;
    if (tensor.role == TensorRole::QueryKeyValue) return rowsFromFile(shape_, values);
    return positionsMoved(values, shape_.hiddenSize, before_, shape_.traits().firstPosition);
  }
  std::vector<float> toFile(const ParameterTensor& tensor, const std::vector<float>& values) const {
    if (tensor.role == TensorRole::QueryKeyValue) return rowsToFile(shape_, values);
    return positionsMoved(values, shape_.hiddenSize, shape_.traits().firstPosition, before_);
  }

 private:
  const ModelShape& shape_;
  const std::int64_t before_;
  const FamilyFormat& format_;
  std::map<std::string, ParameterTensor> tensors_;
};

/// Values that a model derives: they are no weights, although some folders hold them.
bool isBuffer(std::string_view name) {
  return name.ends_with("position_ids") || name.ends_with("token_type_ids") || name.ends_with("inv_freq");
}

/// Adds a tensor to `list`. The decoder's bias may occur under both its names, and then the one of the decoder wins;
/// other duplicates must have equal values.
Result<void> addTensor(std::vector<NamedFloats>& list, NamedFloats next, std::string_view nameInFile,
                       const std::string& decoderBias) {
  const auto tensor = std::ranges::find(list, next.name, &NamedFloats::name);
  if (tensor == list.end()) {
    list.push_back(std::move(next));
    return {};
  }
  const bool same = tensor->values == next.values && tensor->shape == next.shape;
  if (!same && next.name != decoderBias)
    return Error::corrupt(formatText("two different tensors both map to \"{}\"", next.name));
  if (nameInFile != next.name) *tensor = std::move(next);
  return {};
}

const NamedFloats* find(const std::vector<NamedFloats>& tensors, std::string_view name) {
  const auto found = std::ranges::find(tensors, name, &NamedFloats::name);
  return found == tensors.end() ? nullptr : &*found;
}

/// Makes the decoder consistent with tieWordEmbeddings: many folders contain a copy of the word embeddings as decoder.
Result<void> resolveDecoder(const TensorTable& table, HuggingFaceModel& model) {
  const NamedFloats* decoder = find(model.tensors, table.decoder());
  const NamedFloats* words = find(model.tensors, table.words());
  if (!model.shape.tieWordEmbeddings) {
    if (decoder != nullptr || words == nullptr) return {};
    model.tensors.push_back({table.decoder(), words->shape, words->values});
    return {};
  }
  if (decoder == nullptr) return {};
  if (words != nullptr && words->values != decoder->values)
    return Error::corrupt(
        "config.json ties the decoder to the word embeddings, but the file has different ones: set tie_word_embeddings "
        "to false there");
  std::erase_if(model.tensors, [&](const NamedFloats& tensor) { return tensor.name == table.decoder(); });
  return {};
}

/// Returns what DistributedDataParallel and torch.compile put before the names of all tensors; empty: nothing.
std::string wrapperPrefix(const std::vector<TensorInfo>& tensors) {
  std::string prefix;
  for (bool grows = !tensors.empty(); grows;) {
    grows = false;
    for (const char* wrapper : {"module.", "_orig_mod."})
      if (std::ranges::all_of(tensors, [&](const TensorInfo& one) { return one.name.starts_with(prefix + wrapper); })) {
        prefix += wrapper;
        grows = true;
      }
  }
  return prefix;
}

/// `nameInFile`: without the prefix of all.
Result<void> readTensor(const TensorTable& table, const WeightsReader& reader, std::size_t index,
                        std::string_view nameInFile, HuggingFaceModel& model) {
  const TensorInfo& info = reader.tensors()[index];
  const std::string name = table.format().canonicalName(nameInFile);
  const ParameterTensor* known = table.find(name);
  const bool kept = table.format().isKept(name);
  if (known == nullptr && !kept && name != table.decoder()) {
    model.ignored.push_back(info.name);
    return {};
  }
  ASSIGN_OR_RETURN(auto values, reader.readFloats(index));
  NamedFloats tensor{name, info.shape, std::move(values)};
  if (known != nullptr && known->shape == info.shape) {  // other shapes are refused when the model loads them
    tensor.values = table.fromFile(*known, std::move(tensor.values));
    if (known->role == TensorRole::PositionEmbeddings) tensor.shape[0] = model.shape.positionRows();
  }
  return addTensor(kept ? model.extras : model.tensors, std::move(tensor), nameInFile, table.decoderBias());
}

constexpr const char* kWeightsFile = "model.safetensors";
constexpr const char* kConfigFile = "config.json";
/// In the order of renaming: model.safetensors marks the folder as ours, config.json makes it a complete model.
constexpr const char* kFiles[] = {
    kWeightsFile, "vocab.txt", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", kConfigFile};

Result<void> checkMayReplace(const std::filesystem::path& folder, Replaces replaces) {
  if (replaces == Replaces::AnyFiles || isOwnSafetensors(folder / kWeightsFile)) return {};
  std::error_code unknown;
  for (const char* name : kFiles)
    if (std::filesystem::exists(folder / name, unknown))
      return Error::config(formatText(
          "'{}' exists and was not written by such an export; name another folder, or replace it (export --force)",
          (folder / name).native()));
  return {};
}

/// The tensors of a file: those of a model, some with other rows or under a second name.
struct FileTensors {
  std::vector<TensorBytes> tensors;
  std::vector<std::vector<float>> changed;  ///< storage of those whose rows differ
};

FileTensors fileTensors(const TensorTable& table, const ModelShape& shape, const std::vector<TensorBytes>& tensors) {
  FileTensors file{tensors, {}};
  file.changed.reserve(tensors.size());
  for (TensorBytes& tensor : file.tensors) {
    const ParameterTensor* known = table.find(tensor.name);
    if (known == nullptr || !table.changesRows(*known)) continue;
    std::vector<float> values(tensor.bytes.size() / sizeof(float));
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    file.changed.push_back(table.toFile(*known, values));
    tensor.bytes = std::as_bytes(std::span(file.changed.back()));
    tensor.shape = known->shape;
  }
  const auto addAlias = [&](const std::string& name, const std::string& alias) {
    const auto found = std::ranges::find(file.tensors, name, &TensorBytes::name);
    if (found == file.tensors.end()) return;
    TensorBytes copy = *found;
    copy.name = alias;
    file.tensors.push_back(std::move(copy));
  };
  if (!shape.tieWordEmbeddings && table.format().writesDecoderBiasTwice)
    addAlias(table.decoderBias(), table.format().names.decoder + std::string(".bias"));
  if (shape.tieWordEmbeddings && table.format().writesTiedDecoder) addAlias(table.words(), table.decoder());
  return file;
}

/// Moves the files into place; readers see either all of them or no model.
Result<void> moveAll(const std::filesystem::path& from, const std::filesystem::path& target) {
  // Without config.json, files of an earlier export are not a model either.
  if (::unlink((target / kConfigFile).c_str()) != 0 && errno != ENOENT)
    return Error::fromErrno(errno, "cannot replace '{}'", (target / kConfigFile).native());
  RETURN_IF_ERROR(syncFolder(target));
  std::error_code unknown;
  for (const char* name : kFiles) {
    if (!std::filesystem::exists(from / name, unknown)) {  // vocab.txt of an earlier export with another tokenizer
      if (::unlink((target / name).c_str()) != 0 && errno != ENOENT)
        return Error::fromErrno(errno, "cannot replace '{}'", (target / name).native());
    } else if (::rename((from / name).c_str(), (target / name).c_str()) != 0) {
      return Error::fromErrno(errno, "cannot write '{}'", (target / name).native());
    }
  }
  return syncFolder(target);
}

Result<FolderConfig> readFolderConfig(const std::filesystem::path& folder) {
  const ModelFolder place = modelFolder(folder);
  ASSIGN_OR_RETURN(const auto text, readFile(place.transformer / kConfigFile, kMaxConfigBytes));
  auto config = parseFolderConfig(text);
  if (!config) return config.error().within(folder.string());
  if (!place.modules.empty())
    config->notes.push_back(
        formatText("of the sentence-transformers model only the Transformer is trained and exported; {} {} left out",
                   joined(place.modules), pluralText(std::ssize(place.modules), "is", "are")));
  return config;
}

/// Requires `folder` to exist.
Result<void> writeModel(const std::filesystem::path& folder, const ModelShape& shape,
                        const std::vector<TensorBytes>& tensors, const Tokenizer& tokenizer, std::int64_t maxSeqLen,
                        const std::vector<std::string>& classes) {
  ASSIGN_OR_RETURN(const auto staging, StagedFolder::make(folder, ".batchwise-export-"));
  const Vocabulary& vocabulary = tokenizer.vocabulary();
  RETURN_IF_ERROR(
      writeFileAtomically(staging.path() / kConfigFile, huggingFaceConfig(shape, vocabulary.special(), classes)));
  for (const auto& [name, text] : tokenizerFiles(tokenizer, maxSeqLen, shape.typeVocabSize))
    RETURN_IF_ERROR(writeFileAtomically(staging.path() / name, text));
  const TensorTable table(shape, paddingIdOf(shape, vocabulary.special()));
  RETURN_IF_ERROR(writeSafetensors(staging.path() / kWeightsFile, fileTensors(table, shape, tensors).tensors));
  return moveAll(staging.path(), folder);
}

}  // namespace

void replaceSuffix(std::string& name, std::string_view old, std::string_view now) {
  if (name.ends_with(old)) name.replace(name.size() - old.size(), old.size(), now);
}

Error missingTensor(const std::string& name, ModelFamily family) {
  return Error::config(formatText("the folder has no tensor \"{}\"; a model of family {} of this shape needs it", name,
                                  choiceName(family)));
}

Result<ModelShape> readFolderShape(const std::filesystem::path& folder) {
  ASSIGN_OR_RETURN(auto config, readFolderConfig(folder));
  return config.shape;
}

Result<HuggingFaceModel> readHuggingFaceModel(const std::filesystem::path& folder) {
  ASSIGN_OR_RETURN(const auto config, readFolderConfig(folder));
  ASSIGN_OR_RETURN(const auto reader, WeightsReader::open(folder));
  HuggingFaceModel model;
  model.shape = config.shape;
  const TensorTable table(model.shape, model.shape.unplacedToken);
  const std::size_t prefix = wrapperPrefix(reader.tensors()).size();
  for (std::size_t i = 0; i < reader.tensors().size(); ++i) {
    const auto nameInFile = std::string_view(reader.tensors()[i].name).substr(prefix);
    if (auto read = readTensor(table, reader, i, nameInFile, model); !read) return read.error().within(folder.string());
  }
  if (auto resolved = resolveDecoder(table, model); !resolved) return resolved.error().within(folder.string());
  return model;
}

Result<FolderTensors> checkModelFolder(const std::filesystem::path& folder) {
  ASSIGN_OR_RETURN(const auto config, readFolderConfig(folder));
  ASSIGN_OR_RETURN(const auto reader, WeightsReader::open(folder));
  const TensorTable table(config.shape, config.shape.unplacedToken);
  FolderTensors found;
  found.shape = config.shape;
  found.notes = config.notes;
  const std::string prefix = wrapperPrefix(reader.tensors());
  if (!prefix.empty())
    found.notes.push_back(
        formatText("all names of tensors in the folder begin with '{}', as DistributedDataParallel or torch.compile "
                   "write them; they are read without it",
                   prefix));
  std::map<std::string, Shape> given;
  for (const TensorInfo& info : reader.tensors()) {
    const std::string name = table.format().canonicalName(std::string_view(info.name).substr(prefix.size()));
    given[name] = info.shape;
    if (table.find(name) == nullptr && !table.format().isKept(name) && name != table.decoder() && !isBuffer(name))
      found.unused.push_back(info.name);
  }
  for (const auto& [name, tensor] : table.all()) {
    const auto tensorGiven = given.find(name);
    if (tensorGiven == given.end()) {
      if (!isHeadRole(tensor.role)) return missingTensor(name, config.shape.family);
      if (tensor.role == TensorRole::Decoder)
        found.decoderIsCopyOfWords = true;
      else
        found.missing.push_back(name);
    } else if (tensorGiven->second != tensor.shape) {
      return Error::config(formatText("tensor \"{}\" in the folder has the shape {}, but the model needs {}", name,
                                      shapeText(tensorGiven->second), shapeText(tensor.shape)));
    }
  }
  return found;
}

Result<void> checkExportFolder(const std::filesystem::path& folder, const ModelShape& shape, Replaces replaces) {
  if (shape.family == ModelFamily::Bert && shape.norm == NormPlacement::Pre)
    return Error::config(
        "this model has norm: pre, and transformers has no BERT with it: other programs would compute something else "
        "from the same weights; train family modernbert, or bert with norm: post, to export it");
  if (shape.family == ModelFamily::NeoBert && shape.taskHead != TaskHead::None)
    return Error::config(
        "transformers has no NeoBERT of its own, so that no class for a task could read the folder; export --hf writes "
        "the model for its authors' code");
  RETURN_IF_ERROR(checkOutsideWorkspaces(folder));
  return checkMayReplace(folder, replaces);
}

Result<void> writeHuggingFaceModel(const std::filesystem::path& folder, const ModelShape& shape,
                                   const std::vector<TensorBytes>& tensors, const Tokenizer& tokenizer,
                                   std::int64_t maxSeqLen, Replaces replaces, const std::vector<std::string>& classes) {
  RETURN_IF_ERROR(checkExportFolder(folder, shape, replaces));
  std::error_code ignored;
  const bool isNew = !std::filesystem::exists(folder, ignored);
  RETURN_IF_ERROR(makeFolders(folder));
  auto wrote = writeModel(folder, shape, tensors, tokenizer, maxSeqLen, classes);
  if (!wrote && isNew) std::filesystem::remove(folder, ignored);  // fails unless it is empty
  return wrote;
}

}  // namespace batchwise
