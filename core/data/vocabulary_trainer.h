// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/data/bert_splitter.h"
#include "core/data/vocabulary.h"

namespace batchwise {

/// Counts the words and characters of a text as BERT splits it, in bounded memory: beyond `maxWords` different words
/// the rarest are dropped, and later ones must be more frequent than those to stay. One thread at a time.
class WordCounter {
 public:
  explicit WordCounter(bool lowercase, std::size_t maxWords = 250'000);

  void add(std::string_view document);
  /// No word was met.
  bool isEmpty() const { return characters_.empty(); }

  /// At most `limit` words with their counts, the most frequent first, equal ones by their bytes.
  std::vector<std::pair<std::string, std::int64_t>> mostFrequent(std::size_t limit) const;

  struct Character {
    std::uint32_t codePoint = 0;
    std::int64_t count = 0;
    bool goesOnWords = false;  ///< part of a word with other characters
  };
  /// The most frequent first, equal ones by code point.
  std::vector<Character> characters() const;

 private:
  void addWord(std::string_view word);
  void prune();

  BertSplitter splitter_;
  std::size_t maxWords_;
  std::int64_t pruned_ = 0;  // words with at most this count have been dropped
  std::unordered_map<std::string, std::int64_t> words_;
  std::unordered_map<std::uint32_t, Character> characters_;
  std::string key_;  // scratch
};

/// A vocabulary of exactly `vocabSize` tokens for text like that of `counts`: the special tokens, the characters met
/// (at most half of the vocabulary, the rarest are left out; with a "##" form if they can stand inside a word), then
/// pieces found by byte-pair encoding, best first; [unused0], ... if the text does not give enough. The same counts
/// give the same vocabulary. Fails with Config if there are no words or `vocabSize` is below 16 or above
/// Vocabulary::kMaxTokens.
Result<Vocabulary> trainVocabulary(const WordCounter& counts, std::int32_t vocabSize);

}  // namespace batchwise
