// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/choices.h"
#include "core/text/prepare_data.h"

namespace batchwise {

/// What text files hold, found before anything is tokenized. Of large data only a part is read; counts then are
/// estimates for all of it.
struct TextSurvey {
  TextFormat format = TextFormat::Text;
  std::string textField = "text";   ///< for formats that name one
  std::vector<std::string> fields;  ///< string fields of the first JSON objects, or columns; the likely text first
  std::int64_t files = 0;
  std::int64_t fileBytes = 0;  ///< on disk
  double readShare = 1;        ///< of fileBytes; 1: everything was read
  std::int64_t documents = 0;
  std::int64_t words = 0;               ///< between white space; each Chinese or Japanese character counts as one
  std::int64_t textBytes = 0;           ///< of the documents
  std::int64_t medianWords = 0;         ///< of a document
  std::int64_t longWords = 0;           ///< 95 % of the documents have at most so many
  std::optional<std::string> language;  ///< see LanguageGuess::code()
  std::vector<std::string> sample;      ///< the first lines, each cut to about 300 bytes
  std::vector<std::string> warnings;    ///< about encoding, a guessed column, and size
  double bytesPerToken = 4.5;           ///< to expect, with the vocabulary that suits the text unless another is set

  /// Returns the tokens to expect, at least one per word.
  std::int64_t estimatedTokens() const;
  /// Returns `words` words as tokens of this text.
  std::int64_t tokensOf(std::int64_t words) const;
};

/// Entries of the vocabulary that suits a text of so many bytes: 1,000 to 30,522.
std::int64_t vocabularyForText(std::int64_t textBytes);
/// Bytes of text per token to expect of a vocabulary: 2.9 for 1,000 entries, 0.4 more for each doubling, 4.5 from
/// 16,000 on (WordPiece trained on three English texts of 1 MB: within 6 %).
double expectedBytesPerToken(std::int64_t vocabulary);

struct SurveyRequest {
  std::vector<std::string> paths;                   ///< as DataConfig::train; absolute
  std::optional<TextFormat> format;                 ///< empty: guessed from names and contents
  std::string textField;                            ///< for formats that name one; empty: guessed
  std::int64_t readBytes = std::int64_t{64} << 20;  ///< of larger data, parts of that size in all are read
};

/// Surveys the files. `progress` is called from this thread. Fails as findTextFiles() and DocumentReader, with Config
/// for binary data, for files without text, and for fewer than 20 words, and with Stopped on `stop`.
Result<TextSurvey> surveyText(const SurveyRequest& request, const ProgressFn& progress, std::stop_token stop);

}  // namespace batchwise
