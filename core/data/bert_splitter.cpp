// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/bert_splitter.h"

#include <algorithm>
#include <memory>

#include "core/base/plain_text.h"
#include "core/data/bert_tables.h"

namespace batchwise {
namespace {

using bert::CodePointKind;

enum class FoldKind : std::uint8_t { Same, Single, Several, Transparent, Vanishing, Mark };

struct Entry {
  std::uint32_t value = 0;  // Single: the code point; Several: index into kFoldSeveral; Mark: the rank
  CodePointKind kind = CodePointKind::Word;
  FoldKind fold = FoldKind::Same;
};

/// Lookup table over all code points: blocks of 256; all ordinary blocks share block 0.
class Table {
 public:
  Table() {
    blocks_.emplace_back(new Block{});
    for (const auto& range : bert::kKindRanges)
      for (std::uint32_t c = range.first; c <= range.last; ++c) at(c).kind = range.kind;
    for (const auto& range : bert::kVanishing)
      for (std::uint32_t c = range.first; c <= range.last; ++c)
        at(c).fold = range.transparent ? FoldKind::Transparent : FoldKind::Vanishing;
    for (const auto& run : bert::kFoldRuns)
      for (std::uint32_t c = run.first; c <= run.last; c += run.stride)
        set(c, FoldKind::Single, c + static_cast<std::uint32_t>(run.delta));
    for (std::uint32_t i = 0; i < std::size(bert::kFoldSeveral); ++i)
      set(bert::kFoldSeveral[i].from, FoldKind::Several, i);
    for (const auto& mark : bert::kKeptCombining) set(mark.codePoint, FoldKind::Mark, mark.rank);
  }

  const Entry& operator[](std::uint32_t codePoint) const {
    return (*blocks_[blockOf_[codePoint >> 8]])[codePoint & 0xFF];
  }

 private:
  using Block = std::array<Entry, 256>;

  Entry& at(std::uint32_t codePoint) {
    std::uint16_t& block = blockOf_[codePoint >> 8];
    if (block == 0) {
      block = static_cast<std::uint16_t>(blocks_.size());
      blocks_.emplace_back(new Block{});
    }
    return (*blocks_[block])[codePoint & 0xFF];
  }
  void set(std::uint32_t codePoint, FoldKind fold, std::uint32_t value) {
    Entry& entry = at(codePoint);
    entry.fold = fold;
    entry.value = value;
  }

  std::array<std::uint16_t, 0x1100> blockOf_{};
  std::vector<std::unique_ptr<Block>> blocks_;
};

const Table& table() {
  static const Table instance;  // immutable: shared by all splitters
  return instance;
}

constexpr std::uint32_t kHangulFirst = 0xAC00;
constexpr std::uint32_t kHangulCount = 11172;

}  // namespace

bert::CodePointKind bert::kindOf(std::uint32_t codePoint) {
  return table()[codePoint].kind;
}

BertSplitter::BertSplitter(bool lowercase) : lowercase_(lowercase) {
  for (std::uint32_t c = 0; c < 128; ++c) {
    const Entry& entry = table()[c];
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
  switch (table()[codePoint].kind) {
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
  const Entry& entry = table()[codePoint];
  switch (entry.fold) {
    case FoldKind::Single: put(entry.value); return;
    case FoldKind::Several:
      for (const std::uint32_t part : bert::kFoldSeveral[entry.value].to)
        if (part != 0) put(part);
      return;
    case FoldKind::Transparent: return;
    case FoldKind::Vanishing: flushMarks(); return;
    case FoldKind::Same:
    case FoldKind::Mark: put(codePoint);
  }
}

/// Appends a fully folded code point to the current word.
void BertSplitter::put(std::uint32_t codePoint) {
  const Entry& entry = table()[codePoint];
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
