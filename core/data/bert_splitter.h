// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/bert_table_types.h"

namespace batchwise {

/// BERT's normalisation and splitting of text into words: control characters dropped, white space and CJK characters
/// separate words, punctuation stands alone; with `lowercase` also canonical decomposition, accents stripped, lower
/// case. The tables come from the judge of our tests, see tools/make_bert_tables.py. One thread at a time.
class BertSplitter {
 public:
  explicit BertSplitter(bool lowercase);

  /// Calls onWord(std::string_view) for each word, in order; the view holds until onWord returns. `text` may be
  /// ill-formed UTF-8: such bytes count as U+FFFD, which is dropped.
  template <typename OnWord>
  void split(std::string_view text, OnWord&& onWord) {
    word_.clear();
    while (!text.empty()) {
      const auto byte = static_cast<std::uint8_t>(text.front());
      if (byte >= 0x80) {
        takeNonAscii(text);
        for (const std::string& done : doneWords_) onWord(std::string_view(done));
        doneWords_.clear();
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
  void settleMarks();
  void endWord();

  bool lowercase_;
  std::array<AsciiRule, 128> ascii_;
  std::string word_;                        // the word under way
  std::vector<std::string> doneWords_;      // finished by the last takeNonAscii()
  std::vector<bert::CombiningMark> marks_;  // behind word_, waiting to be put in order
};

}  // namespace batchwise
