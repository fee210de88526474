// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/model/shape/model_shape.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary.h"

namespace batchwise {

/// Returns names and texts of the tokenizer files of a Hugging Face model folder. BERT's tokenizer also has a
/// vocab.txt; of any other one tokenizer.json goes out as it was read, framed if it does not frame by itself, with a
/// tokenizer_config.json that has it used as it is. `segmentTypes`: rows of the table of segment types; with fewer than
/// 2, both texts of a pair are of type 0.
std::vector<std::pair<std::string, std::string>> tokenizerFiles(const Tokenizer& tokenizer, std::int64_t maxSeqLen,
                                                                std::int64_t segmentTypes);

// The config.json of a Hugging Face model folder. Old (transformers 4) and new (5) spellings are read; both are
// written, equal.

struct FolderConfig {
  ModelShape shape;
  std::vector<std::string> notes;  ///< values that training does not use
};

/// Parses a config.json; ignores unknown keys. Fails with Config if the family is unknown or has an option that is not
/// supported, if a value is missing or of the wrong type, or if two spellings of one value differ; the error names the
/// field and the value.
Result<FolderConfig> parseFolderConfig(std::string_view json);
/// Likewise, of what storedConfig() returned; only the shape.
Result<ModelShape> parseStoredConfig(std::string_view json);

/// Returns a config.json for transformers 4.48 and later. Options unknown to it (norm, layer_drop, attention_logit_l2)
/// are written under their configuration names, and only if they differ from the family's.
/// `classes`: names of the outputs of a task head; empty: it has one, a number.
std::string huggingFaceConfig(const ModelShape& shape, const SpecialIds& special,
                              const std::vector<std::string>& classes = {});
/// Returns names and texts of the files that make a folder of TaskHead::Vectors one of sentence-transformers: cosines
/// of pooled hidden states. `pooling`: "mean" or "cls".
std::vector<std::pair<std::string, std::string>> sentenceTransformersFiles(const ModelShape& shape,
                                                                           std::int64_t maxSeqLen,
                                                                           std::string_view pooling);
/// Returns a config.json like huggingFaceConfig() with what parseStoredConfig() needs beyond it.
std::string storedConfig(const ModelShape& shape, const SpecialIds& special);

}  // namespace batchwise
