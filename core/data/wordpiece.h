// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/vocabulary.h"

namespace batchwise {

/// What "[MASK]" and the other special tokens mean when they stand in the text itself.
enum class SpecialTokensInText {
  Plain,      ///< text like any other: for training corpora, which must not be able to say [SEP]
  Recognise,  ///< their ids: for texts that a person types, as in fill-mask
};

/// BERT's tokenizer: normalisation, splitting at white space and punctuation, then greedy longest match against the
/// vocabulary. With `Recognise` the ids equal those of Hugging Face's fast BertTokenizer without its [CLS] and [SEP].
/// Source: Devlin et al. 2019 and its published code. Copies share the vocabulary. Each thread needs an `Encoder` of
/// its own; everything else may be called from any thread.
class WordPiece {
 public:
  /// Longer words, in code points, become [UNK].
  static constexpr int kMaxWordCodePoints = 100;

  WordPiece(Vocabulary vocabulary, bool lowercase);

  const Vocabulary& vocabulary() const { return *vocabulary_; }
  bool lowercase() const { return lowercase_; }
  /// Equal if and only if (but for hash collisions) every text gets the same ids.
  Hash128 identity() const;

  /// Ids of `text`, without [CLS] and [SEP]. Ill-formed UTF-8 counts as U+FFFD and so vanishes.
  std::vector<std::int32_t> encode(std::string_view text,
                                   SpecialTokensInText special = SpecialTokensInText::Plain) const;

  class Encoder;

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
  bool lowercase_ = true;
};

/// The same encoding for much text: remembers the pieces of words met before, in bounded memory. One thread at a time.
class WordPiece::Encoder {
 public:
  explicit Encoder(const WordPiece& tokenizer);
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;
  ~Encoder();

  /// Appends the ids of `text`; special tokens in it are plain text.
  void append(std::string_view text, std::vector<std::int32_t>& ids);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchwise
