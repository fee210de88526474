// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/vocabulary.h"

namespace batchwise {

/// How "[MASK]" and the other special tokens are treated when they occur in the text itself.
enum class SpecialTokensInText {
  Plain,      ///< as ordinary text: training corpora must not be able to insert [SEP]
  Recognize,  ///< as their ids: for texts typed by people, as in fill-mask
};

/// BERT's tokenizer: normalization, splitting at white space and punctuation, then greedy longest match against the
/// vocabulary. With `Recognize` the ids equal those of Hugging Face's fast BertTokenizer without [CLS] and [SEP].
/// Source: Devlin et al. 2019 and its published code. Copies share the vocabulary. Thread-safe, except that each
/// `Encoder` belongs to one thread.
class WordPiece {
 public:
  /// Words with more code points become [UNK].
  static constexpr int kMaxWordCodePoints = 100;

  WordPiece(Vocabulary vocabulary, bool lowercase);

  const Vocabulary& vocabulary() const { return *vocabulary_; }
  bool lowercase() const { return lowercase_; }
  /// Hash: equal, up to collisions, if and only if every text gets the same ids.
  Hash128 identity() const;

  /// Returns the ids of `text`, without [CLS] and [SEP]. Ill-formed UTF-8 counts as U+FFFD and is dropped.
  std::vector<std::int32_t> encode(std::string_view text,
                                   SpecialTokensInText special = SpecialTokensInText::Plain) const;

  class Encoder;

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
  bool lowercase_ = true;
};

/// Encoder for large texts: caches the pieces of words in bounded memory. Not thread-safe.
class WordPiece::Encoder {
 public:
  explicit Encoder(const WordPiece& tokenizer, SpecialTokensInText special = SpecialTokensInText::Plain);
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;
  ~Encoder();

  /// Appends the ids of `text`.
  void append(std::string_view text, std::vector<std::int32_t>& ids);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchwise
