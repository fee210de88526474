// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchwise::bert {

/// What BERT's tokenizer does with a code point.
enum class CodePointKind : std::uint8_t {
  Word,         ///< part of a word
  Removed,      ///< dropped before anything else (control and format characters, NUL, U+FFFD)
  Space,        ///< ends a word
  Punctuation,  ///< a word of its own
  Cjk,          ///< a word of its own, recognized before decomposition
};

// Rows of the generated tables in bert_tables.h. All ranges include both ends.
struct KindRange {
  std::uint32_t first, last;
  CodePointKind kind;
};
struct VanishingRange {
  std::uint32_t first, last;
  bool transparent;  ///< does not separate the combining marks on its two sides, which are ordered together
};
struct FoldRun {
  std::uint32_t first, last, stride;
  std::int32_t delta;
};
struct FoldSeveral {
  std::uint32_t from;
  std::uint32_t to[3];  ///< unused entries are 0
};
struct CombiningMark {
  std::uint32_t codePoint;
  std::uint8_t rank;
};

}  // namespace batchwise::bert
