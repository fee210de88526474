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

namespace batchwise {

/// Counts the words of text as the trained tokenizer will split it (NFC, then by the pattern of GPT-2), in bounded
/// memory: beyond `maxWords` distinct words the rarest are dropped, so counts of rare words are lower bounds. Not
/// thread-safe.
class BytePairCounter {
 public:
  explicit BytePairCounter(std::size_t maxWords = 1'000'000);

  void add(std::string_view document);
  bool isEmpty() const { return words_.empty(); }
  /// Returns all words with their counts, in byte order.
  std::vector<std::pair<std::string, std::int64_t>> words() const;

 private:
  std::size_t maxWords_;
  std::int64_t pruned_ = 0;  // words with at most this count have been dropped
  Normalizer normalizer_;
  PreTokenizer preTokenizer_;
  std::unordered_map<std::string, std::int64_t> words_;
  Normalizer::Buffers buffers_;
  PreTokenizer::Buffers split_;
  std::string key_;  // scratch
};

/// Trains byte-level byte-pair encoding (Sennrich et al. 2016, on bytes as GPT-2) and returns its tokenizer.json with
/// exactly `vocabSize` tokens: [PAD], [UNK], [CLS], [SEP], [MASK], the bytes, then merged pairs, the most frequent one
/// first, ties by their ids, then [unused0], ... if there are too few. Deterministic. Fails with Config if there are no
/// words or `vocabSize` is out of range.
Result<std::string> trainBytePairs(const BytePairCounter& counts, std::int32_t vocabSize);

}  // namespace batchwise
