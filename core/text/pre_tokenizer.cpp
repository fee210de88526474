// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/pre_tokenizer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include "core/base/text.h"
#include "core/text/unicode.h"
#include "core/text/unicode_tables.h"

namespace batchwise {
namespace {

using Span = PreTokenizer::Span;
using Spans = std::vector<Span>;
using unicode::stepAt;

/// What the regular expressions tell apart.
enum class Kind : std::uint8_t { Other, Letter, Number, Space };

Kind kindOfClass(std::uint16_t value) {
  if ((value & unicode::kLetter) != 0) return Kind::Letter;
  if ((value & unicode::kNumber) != 0) return Kind::Number;
  return (value & unicode::kSpace) != 0 ? Kind::Space : Kind::Other;
}

/// A piece of text, read character by character.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), size_(static_cast<std::uint32_t>(text.size())) {}

  struct Look {
    Kind kind = Kind::Other;
    std::uint32_t bytes = 0;  // 0: the end
  };
  std::uint32_t size() const { return size_; }
  char operator[](std::uint32_t at) const { return text_[at]; }

  Look look(std::uint32_t at) const {
    if (at >= size_) return {};
    const auto byte = static_cast<std::uint8_t>(text_[at]);
    if (byte < 0x80) return {ascii_[byte], 1};
    const unicode::Step step = stepAt(text_, at);
    return {kindOfClass(classes_[step.codePoint]), step.bytes};
  }
  /// Returns the end of the run of characters of `kind` at `at`.
  std::uint32_t runEnd(std::uint32_t at, Kind kind) const {
    if (kind == Kind::Letter) at = asciiLettersEnd(at);
    while (true) {
      while (at < size_ && static_cast<std::uint8_t>(text_[at]) < 0x80 &&
             ascii_[static_cast<std::uint8_t>(text_[at])] == kind)
        ++at;
      const Look next = at < size_ && static_cast<std::uint8_t>(text_[at]) >= 0x80 ? look(at) : Look{};
      if (next.bytes == 0 || next.kind != kind) return at;
      at += next.bytes;
    }
  }
  /// Returns where the next white space character at or behind `at` begins.
  std::uint32_t spaceBegin(std::uint32_t at) const {
    for (Look next = look(at); next.bytes != 0 && next.kind != Kind::Space; next = look(at)) at += next.bytes;
    return at;
  }
  /// Returns the end of what `\s+(?!\S)|\s+` matches at a white space character: the run up to its last character,
  /// which is left to the next match unless it is the only one or ends the text.
  std::uint32_t spaceEnd(std::uint32_t at) const {
    const std::uint32_t first = at + look(at).bytes;
    std::uint32_t last = at;
    std::uint32_t end = first;
    for (Look next = look(end); next.bytes != 0 && next.kind == Kind::Space; next = look(end)) {
      last = end;
      end += next.bytes;
    }
    return end == size_ ? end : std::max(first, last);
  }

 private:
  /// Returns the end of the run of ASCII letters at `at`, or a place in it, eight bytes at a time.
  std::uint32_t asciiLettersEnd(std::uint32_t at) const {
    constexpr std::uint64_t kOnes = 0x0101010101010101ull, kUpper = kOnes << 7;
    for (; size_ - at >= 8; at += 8) {
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, text_.data() + at, sizeof bytes);
      const std::uint64_t low = (bytes | kOnes * 0x20) & ~kUpper;  // letters in lower case
      const std::uint64_t letters = (low + kOnes * (0x80 - 'a')) & ~(low + kOnes * (0x80 - 'z' - 1)) & ~bytes & kUpper;
      if (letters != kUpper) return at + static_cast<std::uint32_t>(std::countr_one(letters | ~kUpper)) / 8;
    }
    return at;
  }

  static const std::array<Kind, 128>& asciiKinds() {
    static const std::array<Kind, 128> kinds = [] {
      std::array<Kind, 128> made;
      for (std::uint32_t c = 0; c < 128; ++c) made[c] = kindOfClass(unicode::classTable()[c]);
      return made;
    }();
    return kinds;
  }

  std::string_view text_;
  std::uint32_t size_;
  const unicode::ClassTable& classes_ = unicode::classTable();
  const std::array<Kind, 128>& ascii_ = asciiKinds();
};

/// Bytes of a contraction ('s, 't, 're, 've, 'm, 'll, 'd) at an apostrophe; 0 if there is none.
std::uint32_t contraction(const Reader& text, std::uint32_t at, bool anyCase) {
  const auto letter = [&](std::uint32_t i) {
    const char c = i < text.size() ? text[i] : '\0';
    return anyCase && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  const char first = letter(at + 1);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const char second = letter(at + 2);
  if ((first == 'r' || first == 'v') && second == 'e') return 3;
  if (first == 'l' && second == 'l') return 3;
  // The long s (U+017F) has the upper case of s.
  return anyCase && first == '\xC5' && second == '\xBF' ? 3 : 0;
}

/// `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
std::uint32_t gpt2End(const Reader& text, std::uint32_t at) {
  Reader::Look here = text.look(at);
  if (text[at] == '\'') {
    if (const std::uint32_t bytes = contraction(text, at, false); bytes > 0) return at + bytes;
  } else if (here.kind == Kind::Space) {
    const Reader::Look next = text[at] == ' ' ? text.look(at + 1) : Reader::Look{};
    if (next.bytes == 0 || next.kind == Kind::Space) return text.spaceEnd(at);
    return text.runEnd(at + 1 + next.bytes, next.kind);
  }
  return text.runEnd(at + here.bytes, here.kind);
}

bool isLineEnd(char c) {
  return c == '\r' || c == '\n';
}

/// `[^\s\p{L}\p{N}]+[\r\n]*` behind its first character.
std::uint32_t symbolsEnd(const Reader& text, std::uint32_t at) {
  at = text.runEnd(at, Kind::Other);
  while (at < text.size() && isLineEnd(text[at])) ++at;
  return at;
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+` at a white space character.
std::uint32_t linesEnd(const Reader& text, std::uint32_t at) {
  std::uint32_t lineEnd = 0;
  std::uint32_t end = at;
  for (Reader::Look next = text.look(end); next.bytes != 0 && next.kind == Kind::Space; next = text.look(end)) {
    if (isLineEnd(text[end])) lineEnd = end + 1;
    end += next.bytes;
  }
  return lineEnd > 0 ? lineEnd : text.spaceEnd(at);
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|
/// ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
std::uint32_t llamaEnd(const Reader& text, std::uint32_t at, int mostDigits) {
  const Reader::Look here = text.look(at);
  const std::uint32_t behind = at + here.bytes;
  if (here.kind == Kind::Letter) return text.runEnd(behind, Kind::Letter);
  if (here.kind == Kind::Number) {
    std::uint32_t end = behind;
    for (int digits = 1; digits < mostDigits; ++digits) {
      const Reader::Look next = text.look(end);
      if (next.bytes == 0 || next.kind != Kind::Number) break;
      end += next.bytes;
    }
    return end;
  }
  if (text[at] == '\'') {
    if (const std::uint32_t bytes = contraction(text, at, true); bytes > 0) return at + bytes;
  }
  const Reader::Look next = text.look(behind);
  if (next.bytes != 0 && next.kind == Kind::Letter && !isLineEnd(text[at])) return text.runEnd(behind, Kind::Letter);
  if (here.kind == Kind::Other) return symbolsEnd(text, behind);
  if (text[at] == ' ' && next.bytes != 0 && next.kind == Kind::Other) return symbolsEnd(text, behind + next.bytes);
  return linesEnd(text, at);
}

/// A match of a pattern, or the text between two.
struct Match {
  Span span;
  bool matches;
};

/// Joins matches and what is between them as `behavior` says.
void arrange(std::vector<Match>& matches, SplitBehavior behavior, Spans& words) {
  if (behavior == SplitBehavior::MergedWithNext) {
    const std::size_t before = words.size();
    bool previous = false;
    for (auto match = matches.rbegin(); match != matches.rend(); ++match) {
      if (match->matches && !previous && words.size() > before)
        words.back().begin = match->span.begin;
      else
        words.push_back(match->span);
      previous = match->matches;
    }
    std::reverse(words.begin() + static_cast<std::ptrdiff_t>(before), words.end());
    return;
  }
  const std::size_t before = words.size();
  bool previous = false;
  for (const Match& match : matches) {
    const bool first = words.size() == before;
    const bool joins = !first && ((behavior == SplitBehavior::MergedWithPrevious && match.matches && !previous) ||
                                  (behavior == SplitBehavior::Contiguous && match.matches == previous));
    if (joins)
      words.back().end = match.span.end;
    else if (!match.matches || behavior != SplitBehavior::Removed)
      words.push_back(match.span);
    previous = match.matches;
  }
}

/// Splits where single characters are of a class.
void splitAtCharacters(std::string_view text, std::uint32_t offset, SplitBehavior behavior,
                       unicode::CharClass delimiters, Spans& words, std::vector<Match>& matches) {
  const unicode::ClassTable& classes = unicode::classTable();
  const auto size = static_cast<std::uint32_t>(text.size());
  const auto isDelimiter = [&](unicode::Step step) { return (classes[step.codePoint] & delimiters) != 0; };
  matches.clear();
  for (std::uint32_t at = 0; at < size;) {
    unicode::Step step = stepAt(text, at);
    const bool delimiter = isDelimiter(step);
    std::uint32_t end = at + step.bytes;
    while (!delimiter && end < size && !isDelimiter(step = stepAt(text, end))) end += step.bytes;
    if (!delimiter && end - at == size) return words.push_back({offset, offset + size});  // there is none
    matches.push_back({{offset + at, offset + end}, delimiter});
    at = end;
  }
  arrange(matches, behavior, words);
}

/// One step over all words so far.
class PreTokenizing {
 public:
  PreTokenizing(std::string_view text, bool atStart, PreTokenizer::Buffers& buffers)
      : text_(text), atStart_(atStart), buffers_(buffers), out_(buffers.next) {}

  std::string_view operator()(const WhitespaceSplitStep&) {
    return each([&](Span word) {
      const Reader reader(viewOf(word));
      for (std::uint32_t at = 0; at < reader.size();) {
        const std::uint32_t end = reader.spaceBegin(at);
        if (end > at) out_.push_back({word.begin + at, word.begin + end});
        at = end + reader.look(end).bytes;
      }
    });
  }

  std::string_view operator()(const WhitespaceStep&) {
    return each([&](Span word) {
      const std::string_view text = viewOf(word);
      const unicode::ClassTable& classes = unicode::classTable();
      const auto kindAt = [&](std::size_t at) {
        const std::uint16_t kind = classes[stepAt(text, at).codePoint];
        return (kind & unicode::kWord) != 0 ? 1 : (kind & unicode::kSpace) != 0 ? 0 : 2;
      };
      for (std::uint32_t at = 0; at < text.size();) {
        const int kind = kindAt(at);
        std::uint32_t end = at;
        while (end < text.size() && kindAt(end) == kind) end += stepAt(text, end).bytes;
        if (kind != 0) out_.push_back({word.begin + at, word.begin + end});
        at = end;
      }
    });
  }

  std::string_view operator()(const BertPreTokenizerStep&) {
    return each([&](Span word) {
      const std::string_view text = viewOf(word);
      const unicode::ClassTable& classes = unicode::classTable();
      std::uint32_t begin = 0;
      const auto close = [&](std::uint32_t end) {
        if (end > begin) out_.push_back({word.begin + begin, word.begin + end});
      };
      for (std::uint32_t at = 0; at < text.size();) {
        const unicode::Step step = stepAt(text, at);
        const std::uint16_t kind = classes[step.codePoint];
        const bool space = (kind & unicode::kSpace) != 0;
        if (space || (kind & unicode::kPunctuation) != 0) {
          close(at);
          begin = space ? at + step.bytes : at;
          if (!space) close(at + step.bytes);
          begin = at + step.bytes;
        }
        at += step.bytes;
      }
      close(static_cast<std::uint32_t>(text.size()));
    });
  }

  std::string_view operator()(const PunctuationStep& step) {
    return each([&](Span word) {
      splitAtCharacters(viewOf(word), word.begin, step.behavior, unicode::kPunctuation, out_, matches_);
    });
  }

  std::string_view operator()(const DigitsStep& step) {
    const SplitBehavior behavior = step.individual ? SplitBehavior::Isolated : SplitBehavior::Contiguous;
    return each(
        [&](Span word) { splitAtCharacters(viewOf(word), word.begin, behavior, unicode::kNumeric, out_, matches_); });
  }

  std::string_view operator()(const MetaspaceStep& step) {
    std::string& changed = freshText();
    for (const Span word : buffers_.words) {
      const std::string_view text = viewOf(word);
      const auto begin = static_cast<std::uint32_t>(changed.size());
      const bool wanted = step.prepend == MetaspaceStep::Prepend::Always ||
                          (step.prepend == MetaspaceStep::Prepend::First && atStart_ && word.begin == 0);
      if (wanted && !text.starts_with(step.replacement) && !text.starts_with(' ')) changed.append(step.replacement);
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t space = std::min(text.find(' ', at), text.size());
        changed.append(text.substr(at, space - at));
        if (space < text.size()) changed.append(step.replacement);
        at = space + 1;
      }
      std::size_t from = begin;
      for (std::size_t at = changed.find(step.replacement, begin + 1); step.split && at != std::string::npos;
           at = changed.find(step.replacement, at + 1)) {
        out_.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(at)});
        from = at;
      }
      if (from < changed.size())
        out_.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(changed.size())});
    }
    return finish(changed);
  }

  std::string_view operator()(const ByteLevelStep& step) {
    if (!step.addPrefixSpace) return text_;
    std::string& changed = freshText();
    for (const Span word : buffers_.words) {
      const std::string_view text = viewOf(word);
      const auto begin = static_cast<std::uint32_t>(changed.size());
      if (!text.starts_with(' ')) changed.push_back(' ');
      changed.append(text);
      out_.push_back({begin, static_cast<std::uint32_t>(changed.size())});
    }
    return finish(changed);
  }

  std::string_view operator()(const SplitStep& step) {
    const bool covers = step.pattern == SplitPattern::Gpt2 || step.pattern == SplitPattern::Llama3 ||
                        step.pattern == SplitPattern::Qwen2;
    if (covers &&
        (step.behavior == SplitBehavior::Isolated || (step.invert && step.behavior == SplitBehavior::Removed)))
      return each([&](Span word) { splitCovering(step.pattern, word); });
    return each([&](Span word) { splitByMatches(step, word); });
  }

 private:
  std::string_view viewOf(Span word) const { return text_.substr(word.begin, word.end - word.begin); }

  template <typename Split>
  std::string_view each(const Split& split) {
    out_.clear();
    for (const Span word : buffers_.words) split(word);
    buffers_.words.swap(out_);
    return text_;
  }

  std::string& freshText() {
    out_.clear();
    std::string& text = buffers_.texts[buffers_.used ^= 1];
    text.clear();
    return text;
  }
  std::string_view finish(const std::string& changed) {
    buffers_.words.swap(out_);
    return changed;
  }

  template <typename End>
  void cut(Span word, const End& end) {
    const Reader reader(viewOf(word));
    for (std::uint32_t at = 0; at < reader.size();) {
      const std::uint32_t next = end(reader, at);
      out_.push_back({word.begin + at, word.begin + next});
      at = next;
    }
  }

  void splitCovering(SplitPattern pattern, Span word) {
    if (pattern == SplitPattern::Gpt2) return cut(word, gpt2End);
    const int digits = pattern == SplitPattern::Llama3 ? 3 : 1;
    cut(word, [digits](const Reader& text, std::uint32_t at) { return llamaEnd(text, at, digits); });
  }

  void splitByMatches(const SplitStep& step, Span word) {
    const std::string_view text = viewOf(word);
    matches_.clear();
    std::uint32_t done = 0;
    const auto add = [&](std::size_t begin, std::size_t end) {
      if (begin > done)
        matches_.push_back({{word.begin + done, word.begin + static_cast<std::uint32_t>(begin)}, step.invert});
      matches_.push_back(
          {{word.begin + static_cast<std::uint32_t>(begin), word.begin + static_cast<std::uint32_t>(end)},
           !step.invert});
      done = static_cast<std::uint32_t>(end);
    };
    if (step.pattern == SplitPattern::Text) {
      for (std::size_t at = step.text.empty() ? std::string_view::npos : text.find(step.text);
           at != std::string_view::npos; at = text.find(step.text, done))
        add(at, at + step.text.size());
    } else {
      const Reader reader(text);
      for (std::uint32_t at = 0; at < reader.size();) {
        const std::uint32_t end = matchEnd(step.pattern, reader, at);
        if (end > at) add(at, end);
        at = end > at ? end : at + reader.look(at).bytes;
      }
    }
    if (done < text.size()) matches_.push_back({{word.begin + done, word.end}, step.invert});
    arrange(matches_, step.behavior, out_);
  }

  static std::uint32_t matchEnd(SplitPattern pattern, const Reader& text, std::uint32_t at) {
    switch (pattern) {
      case SplitPattern::Gpt2: return gpt2End(text, at);
      case SplitPattern::Llama3: return llamaEnd(text, at, 3);
      case SplitPattern::Qwen2: return llamaEnd(text, at, 1);
      case SplitPattern::WhiteRuns: return text.runEnd(at, Kind::Space);
      case SplitPattern::NumberRuns: return text.runEnd(at, Kind::Number);
      case SplitPattern::Number: return text.look(at).kind == Kind::Number ? at + text.look(at).bytes : at;
      case SplitPattern::Text: break;
    }
    return at;
  }

  std::string_view text_;
  bool atStart_;
  PreTokenizer::Buffers& buffers_;
  Spans& out_;
  std::vector<Match> matches_;
};

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
    unicode::forEachValue(unicode::kMarkRanks, [this](std::uint32_t c, std::uint32_t rank) {
      ranks.at(c) = static_cast<std::uint8_t>(rank);
      fold(c, {&c, 1});
    });
    unicode::forEachValue(unicode::kClasses, [this](std::uint32_t c, std::uint32_t value) {
      const CodePointKind kind = bertKindOf(static_cast<std::uint16_t>(value));
      if (kind != CodePointKind::Word) entries.at(c).kind = kind;
      if ((value & unicode::kStripped) != 0) fold(c, {&c, 1});
    });
    for (const unicode::DeltaRun& run : unicode::kLowerRuns)
      for (std::uint32_t c = run.first; c <= run.last; c += run.stride) fold(c, {&c, 1});
    unicode::forEachDecomposition(unicode::kCanonicalDecompositions,
                                  [this](std::uint32_t c, std::span<const std::uint32_t> parts) { fold(c, parts); });
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

bool findSplitPattern(std::string_view expression, SplitPattern& pattern) {
  static constexpr std::pair<std::string_view, SplitPattern> kKnown[] = {
      {R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", SplitPattern::Gpt2},
      {R"('(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", SplitPattern::Gpt2},
      {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       SplitPattern::Llama3},
      {R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)",
       SplitPattern::Llama3},
      {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       SplitPattern::Qwen2},
      {R"(\s+)", SplitPattern::WhiteRuns},
      {R"(\p{N})", SplitPattern::Number},
      {R"(\p{N}+)", SplitPattern::NumberRuns}};
  for (const auto& [text, known] : kKnown) {
    if (text != expression) continue;
    pattern = known;
    return true;
  }
  return false;
}

std::string_view PreTokenizer::split(std::string_view text, bool atStart, Buffers& buffers) const {
  buffers.words.assign(1, {0, static_cast<std::uint32_t>(text.size())});
  for (const PreTokenizerStep& step : steps_) text = std::visit(PreTokenizing(text, atStart, buffers), step);
  return text;
}

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
