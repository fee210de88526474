// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/text/unicode.h"

namespace batchwise {

/// The replacements that SentencePiece compiles into a model ("precompiled_charsmap"), applied as Hugging Face's
/// normalizer Precompiled does. Immutable and thread-safe.
class Charsmap {
 public:
  /// Parses a map in base64. Fails with Config if it is damaged.
  static Result<Charsmap> parse(std::string_view base64);

  /// Appends the normalized text: each grapheme cluster of less than six bytes is replaced by what its beginning is
  /// mapped to, and other clusters character by character.
  void append(std::string& out, std::string_view text) const;

 private:
  std::optional<std::string_view> replacement(std::string_view text) const;
  void appendCluster(std::string& out, std::string_view cluster) const;

  std::vector<std::uint32_t> units_;  // double array of darts-clone
  std::string replacements_;          // each ends with NUL
  std::array<bool, 128> plain_{};     // ASCII characters that stay
  const unicode::ClassTable* classes_ = &unicode::classTable();
};

// The steps of a normalizer of tokenizer.json; each has the meaning that it has in Hugging Face `tokenizers`.
struct FormStep {
  unicode::NormalForm form;
};
struct LowercaseStep {};
struct StripAccentsStep {
  unicode::CharClass removed = unicode::kNonspacing;  ///< kStripped in BertNormalizer, which knows fewer marks
};
struct CleanTextStep {};      ///< of BertNormalizer: drops control characters, makes white space U+0020
struct SpacedChineseStep {};  ///< of BertNormalizer: spaces around CJK characters
struct StripStep {
  bool left = false, right = false;
};
struct PrependStep {
  std::string text;  ///< before texts that are not empty
};
struct ReplaceStep {
  /// What is replaced: a text, or one of the regular expressions that occur.
  enum class Pattern { Text, SpaceRuns /* ` {2,}` */, WhiteRuns /* `\s+` */ };
  Pattern pattern = Pattern::Text;
  std::string text, by;
};
struct CharsmapStep {
  std::shared_ptr<const Charsmap> map;
};
using NormalizerStep = std::variant<FormStep, LowercaseStep, StripAccentsStep, CleanTextStep, SpacedChineseStep,
                                    StripStep, PrependStep, ReplaceStep, CharsmapStep>;

/// A normalizer: steps one after the other. Immutable; thread-safe with buffers of the caller.
class Normalizer {
 public:
  Normalizer() = default;
  explicit Normalizer(std::vector<NormalizerStep> steps) : steps_(std::move(steps)) {}

  /// Scratch space of one thread.
  struct Buffers {
    std::string first, second;
  };
  /// Returns the normalized text: `text` itself if nothing changes, else a view into `buffers`.
  std::string_view apply(std::string_view text, Buffers& buffers) const;
  bool isEmpty() const { return steps_.empty(); }

 private:
  std::vector<NormalizerStep> steps_;
};

}  // namespace batchwise
