// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/prepare_data.h"
#include "core/text/text_survey.h"

namespace batchwise {

/// General text for a run on own text: some of it is trained on, other of it shows what the model forgets.
struct GeneralTextRequest {
  std::vector<std::string> paths;  ///< files, folders, patterns; absolute
  TextSurvey general;              ///< of `paths`
  TextSurvey own;                  ///< of the training text; its format is written
  double share = 0.05;             ///< of all text that is trained on; in [0, 1)
  double holdout = 0;              ///< share of all documents that the run holds out; none of these is trained on
  std::filesystem::path folder;    ///< created if missing; its files are replaced
};

/// Files with documents of general text, none in both.
struct GeneralText {
  std::filesystem::path train;  ///< empty: no document was drawn
  std::filesystem::path eval;
  std::int64_t trainDocuments = 0, trainBytes = 0;
  std::int64_t evalDocuments = 0, evalBytes = 0;
  std::vector<std::string> warnings = {};  ///< of the survey of the general text
};

/// Draws the documents by their hash: about 1 MB to evaluate on, at most half of the text, and those to train on, which
/// make up `share` of what is not held out, or less if there are not enough. They are written as they will be read
/// again: for `text` without blank lines, for `lines` as one line. Reads the text twice; `progress` is called from this
/// thread. Fails with Config if there is none to evaluate on, Stopped on `stop`, Io, DiskFull, and as findTextFiles()
/// and DocumentReader; then files of earlier calls are untouched.
Result<GeneralText> writeGeneralText(const GeneralTextRequest& request, const ProgressFn& progress,
                                     std::stop_token stop);

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
