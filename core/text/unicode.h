// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What BERT's tokenizer and the parts of a tokenizer.json take characters for. The tables are generated from Hugging
// Face `tokenizers`, see tools/make_unicode_tables.py: each part of that library has tables of its own Unicode version.
// Texts are well-formed UTF-8 throughout.
namespace batchwise::unicode {

/// Bits of a code point's class; between them stands its ClusterClass.
enum CharClass : std::uint16_t {
  kLetter = 1,        ///< \p{L} of its regular expressions
  kNumber = 2,        ///< \p{N}
  kSpace = 4,         ///< \s, White_Space
  kWord = 8,          ///< \w of the pre-tokenizer Whitespace and of the flag single_word
  kNumeric = 16,      ///< a digit of the pre-tokenizer Digits
  kPunctuation = 32,  ///< of the pre-tokenizers Punctuation and BertPreTokenizer
  kNonspacing = 64,   ///< removed by the normalizer StripAccents
  kStripped = 128,    ///< removed by BertNormalizer where it strips accents: fewer marks
  kRemoved = 0x1000,  ///< removed by BertNormalizer where it cleans: control and format characters, NUL, U+FFFD
  kCjk = 0x2000,      ///< set apart by BertNormalizer
};

/// What a code point does to grapheme clusters (Unicode 15.1, annex 29, with the conjuncts of its rule GB9c).
enum class ClusterClass : std::uint8_t {
  Other,
  Control,
  Extend,
  Joiner,
  Spacing,
  Prepend,
  Regional,
  L,
  V,
  T,
  LV,
  LVT,
  Pictographic,
  Consonant,
  Linker,
  ConjunctExtend,
};

// Rows of the generated tables in unicode_tables.h. All ranges include both ends.
struct CodePointRange {
  std::uint32_t first, last;
};
/// first, first + stride, ... last become themselves plus delta.
struct DeltaRun {
  std::uint32_t first, last, stride;
  std::int32_t delta;
};

/// Calls `take` with each code point of a table by values, and with its value.
template <typename Take>
void forEachValue(std::span<const std::uint32_t> table, Take take) {
  for (std::size_t at = 0; at < table.size();) {
    const std::uint32_t value = table[at];
    const std::size_t end = at + 2 + 2 * std::size_t{table[at + 1]};
    for (at += 2; at < end; at += 2)
      for (std::uint32_t c = table[at]; c <= table[at + 1]; ++c) take(c, value);
  }
}

/// Calls `take` with each code point of a table of decompositions, and with its parts.
template <typename Take>
void forEachDecomposition(std::span<const std::uint32_t> table, Take take) {
  for (std::size_t at = 0; at < table.size();) {
    const std::uint32_t first = table[at], count = table[at + 1], length = table[at + 2];
    at += 3;
    for (std::uint32_t i = 0; i < count; ++i, at += length) take(first + i, table.subspan(at, length));
  }
}

/// A value per code point, in blocks of 256; equal blocks of zeros are shared.
template <typename Value>
class CodePointTable {
 public:
  CodePointTable() { blocks_.push_back(std::make_unique<Block>()); }
  Value operator[](std::uint32_t codePoint) const { return (*blocks_[blockOf_[codePoint >> 8]])[codePoint & 0xFF]; }
  Value& at(std::uint32_t codePoint) {
    std::uint16_t& block = blockOf_[codePoint >> 8];
    if (block == 0) {
      block = static_cast<std::uint16_t>(blocks_.size());
      blocks_.push_back(std::make_unique<Block>());
    }
    return (*blocks_[block])[codePoint & 0xFF];
  }

 private:
  using Block = std::array<Value, 256>;
  std::array<std::uint16_t, 0x1100> blockOf_{};
  std::vector<std::unique_ptr<Block>> blocks_;
};

using ClassTable = CodePointTable<std::uint16_t>;
/// The bits of CharClass, and the ClusterClass in four bits. Immutable, shared by all threads.
const ClassTable& classTable();
inline ClusterClass clusterClass(std::uint16_t value) {
  return static_cast<ClusterClass>(value >> 8 & 0xF);
}

/// A decoded code point of well-formed text.
struct Step {
  std::uint32_t codePoint;
  std::uint32_t bytes;
};

/// Decodes the code point at `at`. Requires well-formed UTF-8 and at < text.size().
inline Step stepAt(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<std::uint8_t>(text[at + i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xE0) return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (lead < 0xF0) return {(lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
  return {(lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F), 4};
}
/// Decodes the code point that ends before `end` > 0.
Step stepBefore(std::string_view text, std::size_t end);

/// Returns whether `text` has ASCII characters only.
bool isAscii(std::string_view text);
/// Returns whether `text` is well-formed UTF-8.
bool isWellFormed(std::string_view text);
/// Returns `text` with each maximal ill-formed part replaced by U+FFFD.
std::string repaired(std::string_view text);

/// Appends the lower case of a code point, whatever stands around it.
void appendLower(std::string& out, std::uint32_t codePoint);

enum class NormalForm { Nfc, Nfd, Nfkc, Nfkd };
/// Returns whether no character of `text` can be changed by the form: a quick check, false for some normal texts.
bool isPlainlyNormal(std::string_view text, NormalForm form);
/// Appends `text` in a normal form (Unicode 15, section 3.11).
void appendNormalized(std::string& out, std::string_view text, NormalForm form);

/// Returns where the grapheme cluster that begins at `begin` ends.
std::size_t clusterEnd(std::string_view text, std::size_t begin, const ClassTable& classes);

}  // namespace batchwise::unicode
