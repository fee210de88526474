// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/bert_splitter.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/text.h"
#include "core/text/unicode.h"
#include "core/text/unicode_tables.h"

namespace batchwise {
namespace {

using bert::CodePointKind;

/// Transparent: vanishes without separating the combining marks on its two sides, which are ordered together.
enum class FoldKind : std::uint8_t { Same, Single, Several, Transparent, Vanishing, Mark };

struct Entry {
  std::uint32_t value = 0;  // Single: the code point; Several: index into Table::several; Mark: the rank
  CodePointKind kind = CodePointKind::Word;
  FoldKind fold = FoldKind::Same;
};

CodePointKind bertKindOf(std::uint16_t value) {
  if ((value & unicode::kRemoved) != 0) return CodePointKind::Removed;
  if ((value & unicode::kSpace) != 0) return CodePointKind::Space;
  if ((value & unicode::kPunctuation) != 0) return CodePointKind::Punctuation;
  return (value & unicode::kCjk) != 0 ? CodePointKind::Cjk : CodePointKind::Word;
}

/// What becomes of each code point. Hangul syllables are computed.
struct Table {
  Table() {
    for (const unicode::MarkRange& range : unicode::kMarkRanges)
      for (std::uint32_t c = range.first; c <= range.last; ++c) {
        ranks.at(c) = range.rank;
        fold(c, {&c, 1});
      }
    for (const unicode::ClassRange& range : unicode::kClassRanges) {
      const CodePointKind kind = bertKindOf(range.value);
      const bool stripped = (range.value & unicode::kStripped) != 0;
      for (std::uint32_t c = range.first; c <= range.last && (stripped || kind != CodePointKind::Word); ++c) {
        entries.at(c).kind = kind;
        if (stripped) fold(c, {&c, 1});
      }
    }
    for (const unicode::DeltaRun& run : unicode::kLowerRuns)
      for (std::uint32_t c = run.first; c <= run.last; c += run.stride) fold(c, {&c, 1});
    const auto& flat = unicode::kCanonicalDecompositions;
    for (std::size_t i = 0; i < std::size(flat); i += 2 + flat[i + 1]) fold(flat[i], {flat + i + 2, flat[i + 1]});
  }

  unicode::CodePointTable<Entry> entries;
  std::vector<std::string> several;

 private:
  /// Enters a code point that decomposes into `parts`: those that are not stripped stay, in lower case.
  void fold(std::uint32_t codePoint, std::span<const std::uint32_t> parts) {
    std::string kept;
    for (const std::uint32_t part : parts)
      if ((unicode::classTable()[part] & unicode::kStripped) == 0) unicode::appendLower(kept, part);
    Entry& entry = entries.at(codePoint);
    if (kept.empty()) {
      const bool marks = std::all_of(parts.begin(), parts.end(), [&](std::uint32_t part) { return ranks[part] != 0; });
      entry.fold = marks ? FoldKind::Transparent : FoldKind::Vanishing;
    } else if (const auto [first, bytes] = unicode::stepAt(kept, 0); bytes < kept.size()) {
      entry.fold = FoldKind::Several;
      entry.value = static_cast<std::uint32_t>(several.size());
      several.push_back(std::move(kept));
    } else if (first != codePoint) {
      entry.fold = FoldKind::Single;
      entry.value = first;
    } else if (ranks[codePoint] != 0) {
      entry.fold = FoldKind::Mark;
      entry.value = ranks[codePoint];
    }
  }

  unicode::CodePointTable<std::uint8_t> ranks;
};

const Table& table() {
  static const Table instance;  // immutable: shared by all splitters
  return instance;
}

constexpr std::uint32_t kHangulFirst = 0xAC00;
constexpr std::uint32_t kHangulCount = 11172;

}  // namespace

bert::CodePointKind bert::kindOf(std::uint32_t codePoint) {
  return table().entries[codePoint].kind;
}

BertSplitter::BertSplitter(bool lowercase) : lowercase_(lowercase) {
  for (std::uint32_t c = 0; c < 128; ++c) {
    const Entry entry = table().entries[c];
    const std::uint32_t folded = lowercase && entry.fold == FoldKind::Single ? entry.value : c;
    ascii_[c] = {entry.kind, static_cast<char>(folded)};
  }
}

/// Processes code points up to the next ASCII character that is not removed.
void BertSplitter::takeNonAscii(std::string_view& text) {
  while (!text.empty()) {
    const auto byte = static_cast<std::uint8_t>(text.front());
    if (byte < 0x80 && ascii_[byte].kind != CodePointKind::Removed) break;
    const Utf8Step step = decodeUtf8(text);
    text.remove_prefix(static_cast<std::size_t>(step.bytes));
    take(step.codePoint);
  }
  flushMarks();
}

void BertSplitter::take(std::uint32_t codePoint) {
  switch (table().entries[codePoint].kind) {
    case CodePointKind::Removed: return;
    case CodePointKind::Space: endWord(); return;
    case CodePointKind::Cjk:
      endWord();
      takeFolded(codePoint);
      endWord();
      return;
    case CodePointKind::Word:
    case CodePointKind::Punctuation: takeFolded(codePoint);
  }
}

void BertSplitter::takeFolded(std::uint32_t codePoint) {
  if (!lowercase_) return put(codePoint);
  if (codePoint - kHangulFirst < kHangulCount) {  // Unicode 15, section 3.12
    const std::uint32_t syllable = codePoint - kHangulFirst;
    put(0x1100 + syllable / 588);
    put(0x1161 + syllable % 588 / 28);
    if (syllable % 28 != 0) put(0x11A7 + syllable % 28);
    return;
  }
  const Entry entry = table().entries[codePoint];
  switch (entry.fold) {
    case FoldKind::Single: put(entry.value); return;
    case FoldKind::Several:
      for (std::string_view parts = table().several[entry.value]; !parts.empty();) {
        const unicode::Step step = unicode::stepAt(parts, 0);
        put(step.codePoint);
        parts.remove_prefix(step.bytes);
      }
      return;
    case FoldKind::Transparent: return;
    case FoldKind::Vanishing: flushMarks(); return;
    case FoldKind::Same:
    case FoldKind::Mark: put(codePoint);
  }
}

/// Appends a fully folded code point to the current word.
void BertSplitter::put(std::uint32_t codePoint) {
  const Entry entry = table().entries[codePoint];
  if (lowercase_ && entry.fold == FoldKind::Mark) {
    marks_.push_back({codePoint, static_cast<std::uint8_t>(entry.value)});
    return;
  }
  flushMarks();
  if (entry.kind == CodePointKind::Space) return endWord();
  if (entry.kind == CodePointKind::Punctuation) endWord();
  appendUtf8(word_, codePoint);
  if (entry.kind == CodePointKind::Punctuation) endWord();
}

void BertSplitter::flushMarks() {
  std::stable_sort(marks_.begin(), marks_.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  for (const bert::CombiningMark& mark : marks_) appendUtf8(word_, mark.codePoint);
  marks_.clear();
}

void BertSplitter::endWord() {
  flushMarks();
  if (!word_.empty()) finishedWords_.push_back(word_);
  word_.clear();
}

}  // namespace batchwise
