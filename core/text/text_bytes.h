// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/text/token_cache.h"
#include "core/text/tokenizer.h"

namespace batchwise {

/// Bytes of UTF-8 of the text under tokens, by which a loss becomes bits per byte: the nats of the predicted tokens
/// / ln 2 / the bytes under them. All tokens of a dataset together have the bytes of its documents, each in proportion
/// to Tokenizer::ownBytes(). With a byte-level tokenizer these already are the bytes of the text. What others drop or
/// hide (white space, accents, what [UNK] stands for) is thus spread over the tokens. Vocabularies compare only of
/// tokenizers that lose nothing: a text without case, or with [UNK], is easier to predict over the same bytes.
/// Immutable and thread-safe.
class TextBytes {
 public:
  /// A dataset that does not know the bytes of its documents: each token has its own.
  TextBytes(const Tokenizer& tokenizer, const TokenDataset& data);

  double under(std::span<const std::int32_t> ids) const;

 private:
  std::vector<std::int32_t> own_;  // by id
  double scale_ = 1.0;
};

}  // namespace batchwise
