// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/text/normalizer.h"
#include "core/text/pieces.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/vocabulary.h"

namespace batchwise {

/// Content of a tokenizer.json.
struct TokenizerDefinition {
  std::vector<std::string> tokens;  ///< by id, as the file writes them; empty where no token has the id
  std::vector<AddedToken> added;
  std::vector<NormalizerStep> normalizer;
  std::vector<PreTokenizerStep> preTokenizer;
  std::variant<WordPieceSpec, BytePairSpec, UnigramSpec> model;
  std::string unknown;  ///< the model's token for what it does not know; may be empty
  /// Tokens that the post-processor puts before and behind a text, at most one each; -1: none.
  std::int32_t before = -1, behind = -1;
  std::vector<std::int32_t> between;  ///< tokens that it puts between the texts of a pair; empty: it does not say
  bool byteLevel = false;             ///< tokens are written in the byte-level alphabet
  /// Set if normalizer and pre-tokenizer are those of BERT with or without lower case.
  std::optional<bool> bertLowercase;
  /// Whether vocab.txt and lower case say as much: BERT's tokenizer with its five special tokens.
  bool isBert = false;
  Hash128 identity;  ///< of all that decides about ids
};

/// Parses a tokenizer.json. Fails with Config, naming the part and its type, if anything that decides about ids is not
/// understood; with Corrupt if it is not JSON.
Result<TokenizerDefinition> parseTokenizerJson(std::string_view text);

/// Adds to `config` (the text of a tokenizer_config.json, may be empty) what only `map` (of a special_tokens_map.json)
/// names. Texts that are not JSON objects count as empty.
std::string mergedTokenizerConfig(std::string_view config, std::string_view map);

/// Finds which tokens frame a text, stand for padding and for what is masked: first the post-processor, then the names
/// in `config` (text of a tokenizer_config.json), then the names that published tokenizers use. Fails with Config if
/// the tokens before and behind a text or the mask cannot be found, with `name` as the source.
Result<SpecialIds> findSpecialIds(const TokenizerDefinition& definition, std::string_view config,
                                  std::string_view name);

/// Returns the bytes of a text in the byte-level alphabet of GPT-2; nothing if it has other characters.
std::optional<std::string> bytesOfByteLevelText(std::string_view text);
/// Returns the byte-level text of bytes.
std::string byteLevelText(std::string_view bytes);

}  // namespace batchwise
