// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/unicode.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "core/base/text.h"
#include "core/text/unicode_tables.h"

namespace batchwise::unicode {
namespace {

constexpr std::uint32_t kHangulFirst = 0xAC00, kHangulCount = 11172;  // Unicode 15, section 3.12
constexpr std::uint32_t kLeadFirst = 0x1100, kVowelFirst = 0x1161, kTailFirst = 0x11A7;
constexpr std::uint32_t kLeads = 19, kVowels = 21, kTails = 28;
constexpr std::uint32_t kDottedI = 0x130;

/// What normalization needs to know about a code point.
struct FormEntry {
  std::uint16_t canonical = 0;   // 1 + index into the list of decompositions; 0: none
  std::uint16_t compatible = 0;  // as far as it differs
  std::uint8_t rank = 0;         // of its combining class; 0: a starter
  bool joinsBefore = false;      // may be composed with what stands before it
};

class FormTables {
 public:
  FormTables() {
    forEachValue(kMarkRanks, [this](std::uint32_t c, std::uint32_t rank) {
      entries_.at(c).rank = static_cast<std::uint8_t>(rank);
    });
    read(kCanonicalDecompositions, &FormEntry::canonical);
    read(kCompatibilityDecompositions, &FormEntry::compatible);
    for (const DeltaRun& run : kCompatibilityRuns) {
      for (std::uint32_t c = run.first; c <= run.last; c += run.stride) {
        const std::uint32_t to = c + static_cast<std::uint32_t>(run.delta);
        add(c, {&to, 1}, &FormEntry::compatible);
      }
    }
    for (std::size_t count = 2; count <= 4; ++count) addPairs(count);  // what has one part less joins first
    for (std::uint32_t c = 0; c < kVowels; ++c) entries_.at(kVowelFirst + c).joinsBefore = true;
    for (std::uint32_t c = 1; c < kTails; ++c) entries_.at(kTailFirst + c).joinsBefore = true;
  }

  FormEntry operator[](std::uint32_t codePoint) const { return entries_[codePoint]; }
  /// Requires an index other than 0.
  std::span<const std::uint32_t> decomposition(std::uint16_t index) const {
    const auto [begin, count] = decompositions_[index - 1u];
    return {parts_.data() + begin, count};
  }

  /// Returns 0 if the two are not composed.
  std::uint32_t composed(std::uint32_t first, std::uint32_t second) const {
    if (first - kLeadFirst < kLeads && second - kVowelFirst < kVowels)
      return kHangulFirst + ((first - kLeadFirst) * kVowels + (second - kVowelFirst)) * kTails;
    const std::uint32_t syllable = first - kHangulFirst;
    if (syllable < kHangulCount && syllable % kTails == 0 && second - kTailFirst - 1 < kTails - 1)
      return first + (second - kTailFirst);
    const auto found = pairs_.find(key(first, second));
    return found == pairs_.end() ? 0 : found->second;
  }
  /// All of `parts`, which are not empty, from left to right.
  std::uint32_t composed(std::span<const std::uint32_t> parts) const {
    std::uint32_t made = parts.front();
    for (const std::uint32_t part : parts.subspan(1)) made = made == 0 ? 0 : composed(made, part);
    return made;
  }

 private:
  static std::uint64_t key(std::uint32_t first, std::uint32_t second) { return std::uint64_t{first} << 32 | second; }

  void read(std::span<const std::uint32_t> table, std::uint16_t FormEntry::*index) {
    forEachDecomposition(table, [&](std::uint32_t c, std::span<const std::uint32_t> parts) { add(c, parts, index); });
  }
  void add(std::uint32_t codePoint, std::span<const std::uint32_t> parts, std::uint16_t FormEntry::*index) {
    decompositions_.emplace_back(parts_.size(), parts.size());
    parts_.insert(parts_.end(), parts.begin(), parts.end());
    entries_.at(codePoint).*index = static_cast<std::uint16_t>(decompositions_.size());
  }
  /// Those of the code points with `count` parts.
  void addPairs(std::size_t count) {
    forEachDecomposition(kCanonicalDecompositions, [&](std::uint32_t c, std::span<const std::uint32_t> parts) {
      const auto holds = [c](CodePointRange range) { return c - range.first <= range.last - range.first; };
      if (parts.size() != count || std::any_of(std::begin(kNotComposed), std::end(kNotComposed), holds)) return;
      pairs_.emplace(key(composed(parts.first(count - 1)), parts.back()), c);
      entries_.at(parts.back()).joinsBefore = true;
    });
  }

  CodePointTable<FormEntry> entries_;
  std::vector<std::pair<std::size_t, std::size_t>> decompositions_;  // begin and number of their parts
  std::vector<std::uint32_t> parts_;
  std::unordered_map<std::uint64_t, std::uint32_t> pairs_;
};

const FormTables& formTables() {
  static const FormTables tables;  // immutable: shared
  return tables;
}

bool isComposed(NormalForm form) {
  return form == NormalForm::Nfc || form == NormalForm::Nfkc;
}
bool isCompatible(NormalForm form) {
  return form == NormalForm::Nfkc || form == NormalForm::Nfkd;
}

/// Normalizes the code points between two places where nothing joins. Not thread-safe.
class Segment {
 public:
  Segment(const FormTables& tables, NormalForm form) : tables_(tables), form_(form) {}

  bool empty() const { return parts_.empty(); }

  void add(std::uint32_t codePoint) {
    if (codePoint - kHangulFirst < kHangulCount) return addSyllable(codePoint - kHangulFirst);
    const FormEntry entry = tables_[codePoint];
    const std::uint16_t index = isCompatible(form_) && entry.compatible != 0 ? entry.compatible : entry.canonical;
    if (index == 0) return parts_.push_back({codePoint, entry.rank});
    for (const std::uint32_t part : tables_.decomposition(index)) parts_.push_back({part, tables_[part].rank});
  }

  void flush(std::string& out) {
    order();
    if (isComposed(form_)) compose();
    for (const Part& part : parts_) appendUtf8(out, part.codePoint);
    parts_.clear();
  }

 private:
  struct Part {
    std::uint32_t codePoint;
    std::uint8_t rank;
  };

  void addSyllable(std::uint32_t syllable) {
    parts_.push_back({kLeadFirst + syllable / (kVowels * kTails), 0});
    parts_.push_back({kVowelFirst + syllable % (kVowels * kTails) / kTails, 0});
    if (syllable % kTails != 0) parts_.push_back({kTailFirst + syllable % kTails, 0});
  }

  /// Canonical ordering: runs of marks are sorted by their class, stably.
  void order() {
    for (std::size_t i = 0; i < parts_.size();) {
      if (parts_[i].rank == 0) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < parts_.size() && parts_[end].rank != 0) ++end;
      std::stable_sort(parts_.begin() + static_cast<std::ptrdiff_t>(i),
                       parts_.begin() + static_cast<std::ptrdiff_t>(end),
                       [](const Part& a, const Part& b) { return a.rank < b.rank; });
      i = end;
    }
  }

  /// Canonical composition: each part joins the last starter unless something of its class or a starter is between.
  void compose() {
    std::size_t kept = 0;
    std::size_t starter = std::string::npos;
    int lastRank = -1;  // of the part before, if it stands between the starter and this one
    for (const Part part : parts_) {
      if (starter != std::string::npos && lastRank < static_cast<int>(part.rank)) {
        if (const std::uint32_t joined = tables_.composed(parts_[starter].codePoint, part.codePoint); joined != 0) {
          parts_[starter].codePoint = joined;
          continue;
        }
      }
      if (part.rank == 0) {
        starter = kept;
        lastRank = -1;
      } else {
        lastRank = part.rank;
      }
      parts_[kept++] = part;
    }
    parts_.resize(kept);
  }

  const FormTables& tables_;
  NormalForm form_;
  std::vector<Part> parts_;
};

/// Whether the form leaves a code point as it is, and nothing joins it to what stands before.
bool isInert(const FormEntry& entry, std::uint32_t codePoint, NormalForm form, const FormTables& tables) {
  if (entry.rank != 0 || entry.joinsBefore) return false;
  if (isCompatible(form) && entry.compatible != 0) return false;
  if (codePoint - kHangulFirst < kHangulCount) return isComposed(form);
  if (entry.canonical == 0) return true;
  if (!isComposed(form)) return false;
  // A composed character stays if its parts make it again; singletons and exclusions do not.
  const auto parts = tables.decomposition(entry.canonical);
  return parts.size() > 1 && tables.composed(parts) == codePoint;
}

/// The ClusterClass of a mark counts as Extend under most rules.
bool extends(ClusterClass kind) {
  return kind == ClusterClass::Extend || kind == ClusterClass::Linker || kind == ClusterClass::ConjunctExtend;
}

/// Where one cluster ends, rule by rule (annex 29, section 3.1.1).
class ClusterRules {
 public:
  explicit ClusterRules(std::uint32_t first, ClusterClass kind) : before_(first), kind_(kind) { follow(kind); }

  bool joins(std::uint32_t next, ClusterClass kind) const {
    using enum ClusterClass;
    if (before_ == '\r' && next == '\n') return true;
    if (kind_ == Control || kind == Control) return false;
    if (kind_ == L && (kind == L || kind == V || kind == LV || kind == LVT)) return true;
    if ((kind_ == LV || kind_ == V) && (kind == V || kind == T)) return true;
    if ((kind_ == LVT || kind_ == T) && kind == T) return true;
    if (extends(kind) || kind == Joiner || kind == Spacing || kind_ == Prepend) return true;
    if (conjunct_ && linked_ && kind == Consonant) return true;
    if (pictograph_ && kind_ == Joiner && kind == Pictographic) return true;
    return kind_ == Regional && kind == Regional && regionals_ % 2 == 1;
  }
  void take(std::uint32_t next, ClusterClass kind) {
    before_ = next;
    kind_ = kind;
    follow(kind);
  }

 private:
  void follow(ClusterClass kind) {
    using enum ClusterClass;
    regionals_ = kind == Regional ? regionals_ + 1 : 0;
    if (kind == Pictographic)
      pictograph_ = true;
    else if (!extends(kind) && kind != Joiner)
      pictograph_ = false;
    if (kind == Consonant) {
      conjunct_ = true;
      linked_ = false;
    } else if (kind == Linker) {
      linked_ = conjunct_;
    } else if (kind != ConjunctExtend && kind != Joiner) {
      conjunct_ = linked_ = false;
    }
  }

  std::uint32_t before_;
  ClusterClass kind_;
  int regionals_ = 0;
  bool pictograph_ = false;  // a pictograph, extended, came last
  bool conjunct_ = false;    // a consonant and what may follow it in a conjunct came last
  bool linked_ = false;      // with a linker among them
};

}  // namespace

const ClassTable& classTable() {
  static const ClassTable table = [] {
    ClassTable made;
    forEachValue(kClasses,
                 [&made](std::uint32_t c, std::uint32_t value) { made.at(c) = static_cast<std::uint16_t>(value); });
    for (std::uint32_t i = 0; i < kHangulCount; i += kTails) made.at(kHangulFirst + i) -= 0x100;  // LV
    return made;
  }();
  return table;
}

Step stepBefore(std::string_view text, std::size_t end) {
  std::size_t at = end - 1;
  while (at > 0 && isUtf8Continuation(text[at])) --at;
  return stepAt(text, at);
}

bool isAscii(std::string_view text) {
  std::uint64_t all = 0;
  while (text.size() >= sizeof all) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data(), sizeof eight);
    all |= eight;
    text.remove_prefix(sizeof eight);
  }
  for (const char c : text) all |= static_cast<std::uint8_t>(c);
  return (all & 0x8080808080808080ull) == 0;
}

bool isWellFormed(std::string_view text) {
  while (!text.empty()) {
    std::uint64_t eight = 0;
    if (text.size() >= sizeof eight) {
      std::memcpy(&eight, text.data(), sizeof eight);
      if ((eight & 0x8080808080808080ull) == 0) {
        text.remove_prefix(sizeof eight);
        continue;
      }
    }
    const Utf8Step step = decodeUtf8(text);
    if (!step.wellFormed) return false;
    text.remove_prefix(static_cast<std::size_t>(step.bytes));
  }
  return true;
}

std::string repaired(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Step step = decodeUtf8(text);
    appendUtf8(out, step.codePoint);
    text.remove_prefix(static_cast<std::size_t>(step.bytes));
  }
  return out;
}

void appendLower(std::string& out, std::uint32_t codePoint) {
  static const CodePointTable<std::int32_t> deltas = [] {
    CodePointTable<std::int32_t> made;
    for (const DeltaRun& run : kLowerRuns)
      for (std::uint32_t c = run.first; c <= run.last; c += run.stride) made.at(c) = run.delta;
    return made;
  }();
  if (codePoint == kDottedI) {
    out += "i\xCC\x87";
    return;
  }
  appendUtf8(out, codePoint + static_cast<std::uint32_t>(deltas[codePoint]));
}

bool isPlainlyNormal(std::string_view text, NormalForm form) {
  if (isAscii(text)) return true;
  // Below U+0300 nothing joins, and composed letters stay composed.
  return form == NormalForm::Nfc &&
         std::none_of(text.begin(), text.end(), [](char c) { return static_cast<std::uint8_t>(c) >= 0xCC; });
}

void appendNormalized(std::string& out, std::string_view text, NormalForm form) {
  const FormTables& tables = formTables();
  Segment segment(tables, form);
  std::size_t plain = 0;     // begin of what is copied as it is
  std::size_t boundary = 0;  // the last inert code point: what follows may join it
  for (std::size_t at = 0; at < text.size();) {
    const Step step = stepAt(text, at);
    const bool inert = step.codePoint < 0x80 || isInert(tables[step.codePoint], step.codePoint, form, tables);
    if (inert) {
      if (!segment.empty()) {
        segment.flush(out);
        plain = at;
      }
      boundary = at;
    } else {
      if (segment.empty()) {
        out.append(text.substr(plain, boundary - plain));
        if (boundary < at) segment.add(stepAt(text, boundary).codePoint);
      }
      segment.add(step.codePoint);
    }
    at += step.bytes;
  }
  if (segment.empty()) out.append(text.substr(plain));
  segment.flush(out);
}

std::size_t clusterEnd(std::string_view text, std::size_t begin, const ClassTable& classes) {
  const Step first = stepAt(text, begin);
  ClusterRules rules(first.codePoint, clusterClass(classes[first.codePoint]));
  std::size_t at = begin + first.bytes;
  while (at < text.size()) {
    const Step next = stepAt(text, at);
    const ClusterClass kind = clusterClass(classes[next.codePoint]);
    if (!rules.joins(next.codePoint, kind)) break;
    rules.take(next.codePoint, kind);
    at += next.bytes;
  }
  return at;
}

}  // namespace batchwise::unicode
