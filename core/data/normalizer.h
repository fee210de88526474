// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/data/charsmap.h"
#include "core/data/unicode.h"

namespace batchwise {

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
