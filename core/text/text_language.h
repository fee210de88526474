// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace batchwise {

/// Guesses the language of a text from its script and, where a script serves many languages, from the share of common
/// function words. Not thread-safe.
class LanguageGuess {
 public:
  /// Counts letters and words of `text`, UTF-8.
  void add(std::string_view text);
  /// Returns the ISO 639-1 code of the language ("en", "de"); nothing if there is too little text, several languages
  /// are mixed, or no known language fits.
  std::optional<std::string> code() const;

  static constexpr std::size_t kLanguages = 14;  ///< recognized by their function words
  enum class Script { Latin, Cyrillic, Arabic, Greek, Hebrew, Han, Kana, Hangul, Thai, Other };
  static constexpr std::size_t kScripts = 10;

 private:
  void countWord(std::string_view word);
  std::optional<std::string> byFunctionWords() const;

  std::array<std::int64_t, kScripts> letters_{};
  std::array<std::int64_t, kLanguages> hits_{};
  std::int64_t words_ = 0;
};

}  // namespace batchwise
