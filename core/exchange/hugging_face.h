// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/hugging_face_json.h"
#include "core/exchange/safetensors.h"
#include "core/store/output_file.h"

namespace batchwise {

/// A tensor with its name in a BertForMaskedLM state dictionary; fp32, row-major.
struct NamedFloats {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// Model in the Hugging Face folder layout.
struct HuggingFaceModel {
  ModelShape shape;
  std::vector<NamedFloats> tensors;  ///< of the masked language model, with canonical names
  std::vector<NamedFloats> extras;   ///< pooler and next-sentence weights: unused, kept for export
  std::vector<std::string> ignored;  ///< names of unknown tensors (position_ids, other heads)
};

/// Returns the current BertForMaskedLM name of a tensor: old "gamma" and "beta" become weight and bias, a missing
/// "bert." prefix is added, "cls.predictions.decoder.bias" becomes "cls.predictions.bias".
std::string canonicalTensorName(std::string_view name);

/// Reads config.json and the weights. Accepts encoder weights without the MLM head, which is then missing from
/// `tensors`. Fails with NotFound, Io, Config, Corrupt, Unsupported, or NonFinite, naming the tensor.
Result<HuggingFaceModel> readHuggingFaceModel(const std::filesystem::path& folder);

/// Returns names and shapes of the tensors of a BERT without its MLM head.
std::map<std::string, std::vector<std::int64_t>> encoderTensors(const ModelShape& shape);
/// Checks that a folder has these tensors, reading only headers. Fails with Config, naming the tensor, or as
/// SafetensorsReader::open().
Result<void> checkModelFolder(const std::filesystem::path& folder, const ModelShape& shape);

/// Writes config.json, model.safetensors, vocab.txt, tokenizer.json, tokenizer_config.json and special_tokens_map.json
/// into `folder`, creating it if needed. The files are written elsewhere first and then renamed, config.json last; an
/// earlier failure leaves `folder` unchanged. Fails with Config if files of these names exist and were not written by
/// this function (unless `replaces` is AnyFiles), or if `folder` is in a workspace; with Io or DiskFull otherwise.
Result<void> writeHuggingFaceModel(const std::filesystem::path& folder, const ModelShape& shape,
                                   const std::vector<TensorBytes>& tensors, const Vocabulary& vocabulary,
                                   bool lowercase, std::int64_t maxSeqLen, Replaces replaces);

}  // namespace batchwise
