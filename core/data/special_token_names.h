// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/data/tokenizer_json.h"
#include "core/data/vocabulary.h"

namespace batchwise {

/// Adds to `config` (the text of a tokenizer_config.json, may be empty) what only `map` (of a special_tokens_map.json)
/// names. Texts that are not JSON objects count as empty.
std::string mergedTokenizerConfig(std::string_view config, std::string_view map);

/// Finds which tokens frame a text, stand for padding and for what is masked: first the post-processor, then the names
/// in `config` (text of a tokenizer_config.json), then the names that published tokenizers use. Fails with Config if
/// the tokens before and behind a text or the mask cannot be found, with `name` as the source.
Result<SpecialIds> findSpecialIds(const TokenizerDefinition& definition, std::string_view config,
                                  std::string_view name);

}  // namespace batchwise
