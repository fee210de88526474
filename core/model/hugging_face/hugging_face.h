// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/model/hugging_face/hugging_face_json.h"
#include "core/model/hugging_face/safetensors.h"
#include "core/model/shape/model_shape.h"
#include "core/text/tokenizer.h"

namespace batchwise {

/// A tensor by its name in the state dictionary of the family's masked language model; fp32, row-major.
struct NamedFloats {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// Model in the Hugging Face folder layout.
struct HuggingFaceModel {
  ModelShape shape;
  std::vector<NamedFloats> tensors;  ///< parameterTensors(shape), as far as the folder has them; rows as in memory
  std::vector<NamedFloats> extras;   ///< pooler and next-sentence weights: unused, kept for export
  std::vector<std::string> ignored;  ///< names in the file of tensors that the model does not have (other heads)
};

/// The error of a folder that lacks a tensor of the encoder.
Error missingTensor(const std::string& name, ModelFamily family);

// Folders that are read may also be those of sentence-transformers, see modelFolder().

/// Reads only config.json. Fails as parseFolderConfig(), or with NotFound or Io.
Result<ModelShape> readFolderShape(const std::filesystem::path& folder);

/// Reads config.json and the weights, see WeightsReader; fp16 and bf16 become fp32. Accepts encoder weights without the
/// MLM head, which is then missing from `tensors`; an untied decoder that is missing becomes a copy of the word
/// embeddings. Fails with NotFound, Io, Config, Corrupt, Unsupported, or NonFinite, naming the tensor.
Result<HuggingFaceModel> readHuggingFaceModel(const std::filesystem::path& folder);

/// What is known of a folder without reading its weights.
struct FolderTensors {
  ModelShape shape;
  std::vector<std::string> missing;   ///< tensors of the head, by the model's names
  std::vector<std::string> unused;    ///< by their names in the file, without buffers and those kept for export
  bool decoderIsCopyOfWords = false;  ///< config.json asks for an untied decoder that the folder lacks
  std::vector<std::string> notes;     ///< see FolderConfig
};
/// Compares the headers of a folder's weights with its config.json. Fails with Config, naming the tensor, if one of the
/// encoder is missing or has another shape; or as parseFolderConfig() and WeightsReader::open().
Result<FolderTensors> checkModelFolder(const std::filesystem::path& folder);

/// Fails with Config if writeHuggingFaceModel() would.
Result<void> checkExportFolder(const std::filesystem::path& folder, const ModelShape& shape, Replaces replaces);

/// Writes config.json, model.safetensors, tokenizer.json, vocab.txt (of BERT's tokenizer), tokenizer_config.json and
/// special_tokens_map.json into `folder`, creating it if needed. The files are written elsewhere first and then
/// renamed, config.json last; an earlier failure leaves `folder` unchanged. `tensors`: parameterTensors() with rows as
/// in memory, and extras. Fails with Config if files of these names exist and were not written by this function (unless
/// `replaces` is AnyFiles), or if transformers has no such model (BERT with norm: pre, NeoBERT with a task head); with
/// Io or DiskFull otherwise. `classes`: of a task head, see huggingFaceConfig().
Result<void> writeHuggingFaceModel(const std::filesystem::path& folder, const ModelShape& shape,
                                   const std::vector<TensorBytes>& tensors, const Tokenizer& tokenizer,
                                   std::int64_t maxSeqLen, Replaces replaces,
                                   const std::vector<std::string>& classes = {});

}  // namespace batchwise
