// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/data/vocabulary.h"
#include "core/exchange/model_shape.h"
#include "core/exchange/safetensors.h"
#include "core/store/output_file.h"

namespace batchwise {

/// A tensor by the name it has in a BertForMaskedLM state dictionary, in fp32 and row-major.
struct NamedFloats {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// A folder in the Hugging Face layout.
struct HuggingFaceModel {
  ModelShape shape;
  std::vector<NamedFloats> tensors;  ///< of the masked language model, by today's names
  std::vector<NamedFloats> extras;   ///< pooler and next-sentence weights: kept for export, not used
  std::vector<std::string> ignored;  ///< names that mean nothing here (position_ids, other heads)
};

/// Today's BertForMaskedLM name of a tensor of a BERT folder: "gamma" and "beta" of old files become weight and bias,
/// a missing "bert." is put before, "cls.predictions.decoder.bias" and "cls.predictions.bias" are one.
std::string canonicalTensorName(std::string_view name);

/// Sizes and options from the text of a config.json; unknown keys are passed over. Fails with Config if it is no BERT,
/// or a value is missing or of the wrong kind.
Result<ModelShape> parseHuggingFaceConfig(std::string_view json);
/// The text of a config.json that transformers 5 reads. Options that it does not know (norm, layer_drop,
/// attention_logit_l2) are written only where they differ from BERT's, under the names of the configuration.
std::string huggingFaceConfig(const ModelShape& shape, const SpecialIds& special);

/// Reads config.json and the weights. Weights of the encoder alone (no head) are accepted: the head is then missing
/// from `tensors`. Fails with NotFound, Io, Config, Corrupt, Unsupported, NonFinite, naming the tensor.
Result<HuggingFaceModel> readHuggingFaceModel(const std::filesystem::path& folder);

/// Names and shapes of the tensors that a BERT of `shape` has below its head, which a folder may lack.
std::map<std::string, std::vector<std::int64_t>> encoderTensors(const ModelShape& shape);
/// Whether a folder has them, by the headers of its weights. Fails with Config, naming the tensor, or as
/// SafetensorsReader::open.
Result<void> checkModelFolder(const std::filesystem::path& folder, const ModelShape& shape);

/// Writes config.json, model.safetensors, vocab.txt, tokenizer.json, tokenizer_config.json and special_tokens_map.json
/// into `folder`, which is made if needed. They come to their names, one after the other and config.json last, when all
/// are complete; a failure before leaves `folder` as it was. Files of these names whose model.safetensors is none of
/// ours are refused with Config, unless AnyFiles are replaced; a folder in a workspace always is. Fails with Io or
/// DiskFull.
Result<void> writeHuggingFaceModel(const std::filesystem::path& folder, const ModelShape& shape,
                                   const std::vector<TensorBytes>& tensors, const Vocabulary& vocabulary,
                                   bool lowercase, std::int64_t maxSeqLen, Replaces replaces);

}  // namespace batchwise
