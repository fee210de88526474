// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
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

namespace bert {

/// What BERT's tokenizer does with a code point.
enum class CodePointKind : std::uint8_t {
  Word,         ///< part of a word
  Removed,      ///< dropped before anything else (control and format characters, NUL, U+FFFD)
  Space,        ///< ends a word
  Punctuation,  ///< a word of its own
  Cjk,          ///< a word of its own, recognized before decomposition
};

struct CombiningMark {
  std::uint32_t codePoint;
  std::uint8_t rank;
};

CodePointKind kindOf(std::uint32_t codePoint);

}  // namespace bert

/// BERT's text normalization and pre-tokenization: drops control characters, splits at white space, makes each CJK
/// character and punctuation mark a word. With `lowercase` it also decomposes canonically, strips accents and lowers
/// case. The reference is Hugging Face `tokenizers`, whose answers the tables of unicode.h hold. Not thread-safe.
class BertSplitter {
 public:
  explicit BertSplitter(bool lowercase);

  /// Calls onWord(std::string_view) for each word in order; the view is valid until onWord returns. Ill-formed UTF-8 in
  /// `text` counts as U+FFFD, which is dropped.
  template <typename OnWord>
  void split(std::string_view text, OnWord&& onWord) {
    word_.clear();
    while (!text.empty()) {
      const auto byte = static_cast<std::uint8_t>(text.front());
      if (byte >= 0x80) {
        takeNonAscii(text);
        for (const std::string& done : finishedWords_) onWord(std::string_view(done));
        finishedWords_.clear();
        continue;
      }
      text.remove_prefix(1);
      const AsciiRule rule = ascii_[byte];
      if (rule.kind == bert::CodePointKind::Word) {
        word_.push_back(rule.folded);
      } else if (rule.kind != bert::CodePointKind::Removed) {
        if (!word_.empty()) onWord(std::string_view(word_));
        word_.clear();
        if (rule.kind == bert::CodePointKind::Punctuation) onWord(std::string_view(&rule.folded, 1));
      }
    }
    if (!word_.empty()) onWord(std::string_view(word_));
  }

 private:
  struct AsciiRule {
    bert::CodePointKind kind = bert::CodePointKind::Word;
    char folded = 0;
  };

  void takeNonAscii(std::string_view& text);
  void take(std::uint32_t codePoint);
  void takeFolded(std::uint32_t codePoint);
  void put(std::uint32_t codePoint);
  void flushMarks();
  void endWord();

  bool lowercase_;
  std::array<AsciiRule, 128> ascii_;
  std::string word_;                        // current word
  std::vector<std::string> finishedWords_;  // completed by the last takeNonAscii()
  std::vector<bert::CombiningMark> marks_;  // following word_, not yet in canonical order
};

}  // namespace batchwise
