// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/text/word_cache.h"

namespace batchwise {

/// What becomes of the places where a pattern matches.
enum class SplitBehavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };

// The steps of a pre-tokenizer of tokenizer.json; each has the meaning that it has in Hugging Face `tokenizers`.
struct WhitespaceSplitStep {};   ///< drops white space
struct WhitespaceStep {};        ///< `\w+|[^\w\s]+`
struct BertPreTokenizerStep {};  ///< drops white space, isolates punctuation
struct PunctuationStep {
  SplitBehavior behavior = SplitBehavior::Isolated;
};
struct DigitsStep {
  bool individual = false;
};
struct MetaspaceStep {
  enum class Prepend { Always, First, Never };
  std::string replacement = "\xE2\x96\x81";  ///< of each space
  Prepend prepend = Prepend::Always;
  bool split = true;
};
/// The regular expressions that published tokenizers split by, each with a scanner of its own.
enum class SplitPattern {
  Text,        ///< a text as it is
  Gpt2,        ///< of GPT-2, RoBERTa, ModernBERT
  Llama3,      ///< of GPT-4 and Llama 3: numbers in groups of up to three digits
  Qwen2,       ///< the same with single digits
  WhiteRuns,   ///< `\s+`
  Number,      ///< `\p{N}`
  NumberRuns,  ///< `\p{N}+`
};
struct SplitStep {
  SplitPattern pattern = SplitPattern::Text;
  std::string text;
  SplitBehavior behavior = SplitBehavior::Isolated;
  bool invert = false;
};
/// The words of a byte-level model; the model reads their bytes, so that nothing is mapped here.
struct ByteLevelStep {
  bool addPrefixSpace = true;
};
using PreTokenizerStep = std::variant<WhitespaceSplitStep, WhitespaceStep, BertPreTokenizerStep, PunctuationStep,
                                      DigitsStep, MetaspaceStep, SplitStep, ByteLevelStep>;

/// Returns the pattern of a regular expression; false if it is none of the known ones.
bool findSplitPattern(std::string_view expression, SplitPattern& pattern);

/// A pre-tokenizer: steps one after the other. Immutable; thread-safe with buffers of the caller.
class PreTokenizer {
 public:
  PreTokenizer() = default;
  explicit PreTokenizer(std::vector<PreTokenizerStep> steps) : steps_(std::move(steps)) {}

  using Span = WordSpan;
  /// Scratch space of one thread.
  struct Buffers {
    std::string texts[2];
    std::vector<Span> words, next;
    int used = 0;  // of the texts
  };
  /// Splits `text`, which begins the whole text if `atStart`. buffers.words are the words, as places in the returned
  /// text, which is `text` or a view into `buffers`. Requires a text below 4 GiB.
  std::string_view split(std::string_view text, bool atStart, Buffers& buffers) const;

 private:
  std::vector<PreTokenizerStep> steps_;
};

}  // namespace batchwise
