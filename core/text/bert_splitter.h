// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace batchwise {

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
