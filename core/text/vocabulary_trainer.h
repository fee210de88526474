// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/text/normalizer.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/vocabulary.h"

namespace batchwise {

/// Words with their counts in bounded memory: beyond `most` distinct words the rarest are dropped.
class CountedWordSet {
 public:
  explicit CountedWordSet(std::size_t most) : most_(most) {}

  void add(std::string_view word);
  const std::unordered_map<std::string, std::int64_t>& words() const { return words_; }

 private:
  std::size_t most_;
  std::int64_t pruned_ = 0;  // words with at most this count have been dropped
  std::unordered_map<std::string, std::int64_t> words_;
  std::string key_;  // scratch
};

/// Counts the words and characters of text as BERT splits it, in bounded memory: beyond `maxWords` distinct words the
/// rarest are dropped, so counts of rare words are lower bounds. Not thread-safe.
class WordCounter {
 public:
  explicit WordCounter(bool lowercase, std::size_t maxWords = 250'000);

  void add(std::string_view document);
  bool isEmpty() const { return characters_.empty(); }

  /// Returns at most `limit` words with their counts, most frequent first, ties in byte order.
  std::vector<std::pair<std::string, std::int64_t>> mostFrequent(std::size_t limit) const;

  struct Character {
    std::uint32_t codePoint = 0;
    std::int64_t count = 0;
    bool insideWords = false;  ///< occurs in words with other characters
  };
  /// Returns all characters, most frequent first, ties by code point.
  std::vector<Character> characters() const;

 private:
  void addWord(std::string_view word);

  BertSplitter splitter_;
  CountedWordSet words_;
  std::unordered_map<std::uint32_t, Character> characters_;
};

/// Trains a vocabulary of exactly `vocabSize` tokens: special tokens, then the most frequent characters (at most half
/// of the vocabulary; also with "##" if they occur inside words), then byte-pair pieces, best first, then [unused0],
/// ... if there are too few. Deterministic. Fails with Config if there are no words or `vocabSize` is below 16 or above
/// Vocabulary::kMaxTokens.
Result<Vocabulary> trainVocabulary(const WordCounter& counts, std::int32_t vocabSize);

/// Counts the words of text as the trained tokenizer will split it (NFC, then by the pattern of GPT-2), in bounded
/// memory: beyond `maxWords` distinct words the rarest are dropped, so counts of rare words are lower bounds. Not
/// thread-safe.
class BytePairCounter {
 public:
  explicit BytePairCounter(std::size_t maxWords = 1'000'000);

  void add(std::string_view document);
  bool isEmpty() const { return words_.words().empty(); }
  /// Returns all words with their counts, in byte order.
  std::vector<std::pair<std::string, std::int64_t>> words() const;

 private:
  Normalizer normalizer_;
  PreTokenizer preTokenizer_;
  CountedWordSet words_;
  Normalizer::Buffers buffers_;
  PreTokenizer::Buffers split_;
};

/// Trains byte-level byte-pair encoding (Sennrich et al. 2016, on bytes as GPT-2) and returns its tokenizer.json with
/// exactly `vocabSize` tokens: [PAD], [UNK], [CLS], [SEP], [MASK], the bytes, then merged pairs, the most frequent one
/// first, ties by their ids, then [unused0], ... if there are too few. Deterministic. Fails with Config if there are no
/// words or `vocabSize` is out of range.
Result<std::string> trainBytePairs(const BytePairCounter& counts, std::int32_t vocabSize);

}  // namespace batchwise
